/* store.c -- Opens a store, checks its format, and keeps its study. */
#include "store/store.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "store/schema.h"
#include "store/store_private.h"

/* ---- errors ---- */

int store_failed(struct store *s, const char *what, struct problem *p)
{
	int rc = sqlite3_errcode(s->db);
	int cause = s->db ? sqlite3_system_errno(s->db) : 0;
	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		return problem_no_memory(p);
	case SQLITE_IOERR:
		if (rc == SQLITE_IOERR_NOMEM)
			return problem_no_memory(p);
		break;
	case SQLITE_NOTADB:
		return problem_set(
		    p, EXIT_INPUT,
		    "%s: not a store: it is no SQLite file, or it was cut off",
		    s->path);
	case SQLITE_CORRUPT:
		/* SQLite calls bytes damaged that the system does not read. */
		cause = problem_machine_failed();
		if (cause)
			break;
		return problem_set(p, EXIT_INPUT,
				   "%s: is damaged or cut off (%s)", s->path,
				   sqlite3_errmsg(s->db));
	case SQLITE_FULL:
		return problem_set(p, EXIT_USAGE,
				   "%s: no space left on the disk; all earlier "
				   "points are in the store",
				   s->path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return problem_set(p, EXIT_USAGE,
				   "%s: another process holds it", s->path);
	default:
		break;
	}
	if (cause == EFBIG || cause == ENOSPC || cause == EDQUOT)
		return problem_set(p, EXIT_USAGE,
				   "%s: cannot be written: %s; all earlier "
				   "points are in the store",
				   s->path, strerror(cause));
	return problem_set(p, EXIT_USAGE, "%s: %s: %s%s%s", s->path, what,
			   sqlite3_errmsg(s->db), cause ? ": " : "",
			   cause ? strerror(cause) : "");
}

int store_run(struct store *s, const char *sql, struct problem *p)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK
		   ? 0
		   : store_failed(s, "writing", p);
}

sqlite3_stmt *store_prepare(struct store *s, const char *sql, struct problem *p)
{
	sqlite3_stmt *st = NULL;
	if (sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &st,
			       NULL) != SQLITE_OK)
		store_failed(s, "reading", p);
	return st;
}

/* ---- transactions ---- */

int store_begin_transaction(struct store *s, struct problem *p)
{
	if (s->in_transaction)
		return 0;
	if (store_run(s, "BEGIN IMMEDIATE", p) < 0)
		return -1;
	s->in_transaction = 1;
	return 0;
}

void store_roll_back(struct store *s)
{
	if (s->in_transaction)
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	s->in_transaction = 0;
}

int store_commit(struct store *s, struct problem *p)
{
	if (!s->in_transaction)
		return 0;
	if (store_run(s, "COMMIT", p) < 0) {
		store_roll_back(s);
		return -1;
	}
	s->in_transaction = 0;
	return 0;
}

/* ---- checking the format ---- */

int store_number_of(struct store *s, const char *sql, int64_t *out,
		    struct problem *p)
{
	sqlite3_stmt *st = store_prepare(s, sql, p);
	if (!st)
		return -1;
	int got = sqlite3_step(st);
	int rc = got == SQLITE_ROW    ? 0
		 : got == SQLITE_DONE ? problem_set(p, EXIT_INPUT,
						    "%s: is damaged: a table "
						    "has no row",
						    s->path)
				      : store_failed(s, "reading", p);
	if (rc == 0)
		*out = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return rc;
}

int store_verify(struct store *s, const char *pragma, struct problem *p)
{
	sqlite3_stmt *st = store_prepare(s, pragma, p);
	if (!st)
		return -1;
	const char *says = sqlite3_step(st) == SQLITE_ROW
			       ? (const char *)sqlite3_column_text(st, 0)
			       : NULL;
	int rc = !says                 ? store_failed(s, "reading", p)
		 : !strcmp(says, "ok") ? 0
		 : problem_machine_failed()
		     ? problem_if_machine_failed(p)
		     : problem_set(p, EXIT_INPUT,
				   "%s: is damaged or cut off (%.200s)",
				   s->path, says);
	sqlite3_finalize(st);
	return rc;
}

static int check_schema(struct store *s, struct problem *p)
{
	int64_t application = 0, schema = 0, study = 0;
	if (store_number_of(s, "PRAGMA application_id", &application, p) < 0 ||
	    store_number_of(
		s, "SELECT count(*) FROM sqlite_master WHERE name = 'study'",
		&study, p) < 0)
		return -1;
	if (application != STORE_APPLICATION || !study)
		return problem_set(
		    p, EXIT_INPUT,
		    "%s: is an SQLite file, but not the store of a sweep",
		    s->path);
	if (store_number_of(s, "SELECT schema FROM study", &schema, p) < 0)
		return -1;
	return schema == STORE_SCHEMA
		   ? 0
		   : problem_set(p, EXIT_INPUT,
				 "%s: is a store of schema %" PRId64
				 ", but this stepcost reads schema %d",
				 s->path, schema, STORE_SCHEMA);
}

/* ---- the study ---- */

/* The columns of `study` in this order, which is that of struct store_study. */
static const char study_columns[] =
    "stepcost, mode, configuration, axes, options, arms, points, shard, shards";

static int take_mode(struct store *s, const char *word, struct problem *p)
{
	for (int i = 0; i < STORE_MODES; i++)
		if (word && !strcmp(word, store_mode_name[i])) {
			s->study.mode = (enum store_mode)i;
			return 0;
		}
	return problem_set(
	    p, EXIT_INPUT,
	    "%s: holds results of mode '%s', which this version cannot read",
	    s->path, word ? word : "");
}

static int take_study(struct store *s, sqlite3_stmt *st, struct problem *p)
{
	static const int column[] = {0, 2, 3, 4, 5};
	for (int i = 0; i < 5; i++) {
		const unsigned char *text = sqlite3_column_text(st, column[i]);
		free(s->owned[i]);
		s->owned[i] = strdup(text ? (const char *)text : "");
		if (!s->owned[i])
			return problem_no_memory(p);
	}
	s->study = (struct store_study){
	    .stepcost = s->owned[0],
	    .configuration = s->owned[1],
	    .axes = s->owned[2],
	    .options = s->owned[3],
	    .arms = s->owned[4],
	    .points = sqlite3_column_int64(st, 6),
	    .shard = sqlite3_column_int64(st, 7),
	    .shards = sqlite3_column_int64(st, 8),
	};
	return take_mode(s, (const char *)sqlite3_column_text(st, 1), p);
}

int store_columns(struct store *s, const char *table, struct names *out,
		  struct problem *p)
{
	sqlite3_stmt *st =
	    store_prepare(s, "SELECT name FROM pragma_table_info(?)", p);
	int rc = SQLITE_ROW;
	if (!st)
		return -1;
	sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
	while (rc == SQLITE_ROW && (rc = sqlite3_step(st)) == SQLITE_ROW)
		if (names_add(out, (const char *)sqlite3_column_text(st, 0)) <
		    0)
			rc = SQLITE_NOMEM;
	sqlite3_finalize(st);
	return rc == SQLITE_DONE    ? 0
	       : rc == SQLITE_NOMEM ? problem_no_memory(p)
				    : store_failed(s, "reading", p);
}

/* The axes are the columns of `point` but the first. */
static int take_axes(struct store *s, struct problem *p)
{
	struct names all = {0};
	int rc = store_columns(s, "point", &all, p);
	names_free(&s->axes);
	for (size_t i = 1; rc == 0 && i < all.n; i++)
		if (names_add(&s->axes, all.item[i]) < 0)
			rc = problem_no_memory(p);
	names_free(&all);
	return rc;
}

static int read_study(struct store *s, struct problem *p)
{
	char sql[200];
	snprintf(sql, sizeof sql, "SELECT %s FROM study", study_columns);
	sqlite3_stmt *st = store_prepare(s, sql, p);
	if (!st)
		return -1;
	int rc = sqlite3_step(st) == SQLITE_ROW ? take_study(s, st, p)
						: store_failed(s, "reading", p);
	sqlite3_finalize(st);
	s->has_study = rc == 0;
	return rc == 0 ? take_axes(s, p) : -1;
}

/* Hashes the row of `study`, and the text of each definition. */
static int digest_study(struct store *s, char hex[CELL_DIGEST],
			struct problem *p)
{
	char sql[400];
	struct cell_digest d;
	int rc;
	cell_digest_begin(&d);
	snprintf(sql, sizeof sql,
		 "SELECT schema, %s FROM study UNION ALL SELECT * FROM ("
		 "SELECT name, type, sql, 0, 0, 0, 0, 0, 0, 0 "
		 "FROM sqlite_master WHERE name IN ('log', 'point', 'result', "
		 "'results', 'study') ORDER BY name)",
		 study_columns);
	sqlite3_stmt *st = store_prepare(s, sql, p);
	if (!st)
		return -1;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(st); i++)
			cell_digest_cell(&d, st, i);
	rc = rc == SQLITE_DONE ? 0 : store_failed(s, "reading", p);
	sqlite3_finalize(st);
	cell_digest_end(&d, hex);
	return rc;
}

static int check_study_digest(struct store *s, struct problem *p)
{
	char want[CELL_DIGEST];
	if (digest_study(s, want, p) < 0)
		return -1;
	sqlite3_stmt *st = store_prepare(s, "SELECT digest FROM study", p);
	if (!st)
		return -1;
	int got = sqlite3_step(st);
	const char *is =
	    got == SQLITE_ROW ? (const char *)sqlite3_column_text(st, 0) : NULL;
	int rc = is && !strcmp(is, want) ? 0
		 : problem_machine_failed() || got != SQLITE_ROW
		     ? store_failed(s, "reading", p)
		     : problem_set(p, EXIT_INPUT,
				   "%s: is damaged: its table study, or the "
				   "definition of a table, is not as it was "
				   "written",
				   s->path);
	sqlite3_finalize(st);
	return rc;
}

static int sign_study(struct store *s, struct problem *p)
{
	char hex[CELL_DIGEST], sql[100];
	if (digest_study(s, hex, p) < 0)
		return -1;
	snprintf(sql, sizeof sql, "UPDATE study SET digest = '%s'", hex);
	return store_run(s, sql, p);
}

static int write_study(struct store *s, const struct store_study *study,
		       struct problem *p)
{
	char sql[300];
	snprintf(sql, sizeof sql,
		 "REPLACE INTO study (rowid, schema, %s) "
		 "VALUES (1, %d, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
		 study_columns, STORE_SCHEMA);
	sqlite3_stmt *st = store_prepare(s, sql, p);
	if (!st)
		return -1;
	const char *text[] = {
	    study->stepcost,      store_mode_name[study->mode],
	    study->configuration, study->axes,
	    study->options,       study->arms};
	for (int i = 0; i < 6; i++)
		sqlite3_bind_text(st, i + 1, text[i], -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 7, study->points);
	if (study->shards) {
		sqlite3_bind_int64(st, 8, study->shard);
		sqlite3_bind_int64(st, 9, study->shards);
	}
	int rc =
	    sqlite3_step(st) == SQLITE_DONE ? 0 : store_failed(s, "writing", p);
	sqlite3_finalize(st);
	return rc;
}

/* ---- tables ---- */

static int make_tables(struct store *s, const struct store_study *study,
		       const char *const *axis, size_t n_axes,
		       struct problem *p)
{
	char *sql = schema_statements(study->mode, axis, n_axes);
	if (!sql)
		return problem_no_memory(p);
	int rc = store_run(s, sql, p);
	free(sql);
	return rc;
}

int store_set_identity(struct store *s, const char *json, struct problem *p)
{
	if (store_begin_transaction(s, p) < 0 ||
	    store_run(s,
		      "CREATE TABLE IF NOT EXISTS identity (json TEXT);"
		      "DELETE FROM identity",
		      p) < 0)
		return -1;
	sqlite3_stmt *st =
	    store_prepare(s, "INSERT INTO identity VALUES (?1)", p);
	if (!st)
		return -1;
	sqlite3_bind_text(st, 1, json, -1, SQLITE_STATIC);
	int rc = sqlite3_step(st) == SQLITE_DONE
		     ? store_commit(s, p)
		     : store_failed(s, "writing", p);
	sqlite3_finalize(st);
	return rc;
}

/* Columns and shard cannot change. */
static int check_study(struct store *s, const struct store_study *study,
		       const char *const *axis, size_t n_axes,
		       struct problem *p)
{
	const struct store_study *old = &s->study;
	char text[400];
	int same = n_axes == s->axes.n;
	for (size_t i = 0; same && i < n_axes; i++)
		same = names_have(&s->axes, axis[i]);
	if (!same)
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: holds a study of other axes: %s; take another --store",
		    s->path, names_join(&s->axes, text, sizeof text));
	if (study->mode != old->mode)
		return problem_set(p, EXIT_USAGE,
				   "%s: holds %s results and not %s results; "
				   "take another --store",
				   s->path, store_mode_name[old->mode],
				   store_mode_name[study->mode]);
	if (study->shard != old->shard || study->shards != old->shards)
		return problem_set(p, EXIT_USAGE,
				   "%s: holds shard %" PRId64 " of %" PRId64
				   " and not %" PRId64 " of %" PRId64
				   " (of 0: all); take another --store",
				   s->path, old->shard, old->shards,
				   study->shard, study->shards);
	return s->has_digests
		   ? 0
		   : problem_set(p, EXIT_USAGE,
				 "%s: was written before rows had digests; "
				 "take another --store (`stepcost sweep merge` "
				 "makes one of it)",
				 s->path);
}

int store_begin(struct store *s, const struct store_study *study,
		const char *const *axis, size_t n_axes, struct problem *p)
{
	int rc = s->has_study ? check_study(s, study, axis, n_axes, p) : 0;
	if (rc == 0)
		rc = store_begin_transaction(s, p);
	if (rc == 0 && !s->has_study)
		rc = make_tables(s, study, axis, n_axes, p);
	if (rc == 0)
		rc = write_study(s, study, p);
	if (rc == 0)
		rc = sign_study(s, p);
	if (rc == 0)
		rc = store_commit(s, p);
	if (rc < 0)
		store_roll_back(s);
	return rc == 0 ? read_study(s, p) : -1;
}

int store_has_study(const struct store *s)
{
	return s->has_study;
}

const struct store_study *store_study(const struct store *s)
{
	return &s->study;
}

const struct names *store_axes(const struct store *s)
{
	return &s->axes;
}

const struct problem *store_complaint(const struct store *s)
{
	return s->complaint.code ? &s->complaint : NULL;
}

int store_has_digests(const struct store *s)
{
	return s->has_digests;
}

const char *store_path(const struct store *s)
{
	return s->path;
}

/* ---- opening and closing ---- */

static int look_for_digests(struct store *s, struct problem *p)
{
	struct names all = {0};
	int rc = store_columns(s, "result", &all, p);
	s->has_digests = names_have(&all, "digest");
	names_free(&all);
	return rc;
}

/* Pages, definitions and study are as they were written. */
static int check_frame(struct store *s, struct problem *p)
{
	return store_verify(s, "PRAGMA quick_check(1)", p) < 0 ||
		       (s->has_digests && check_study_digest(s, p) < 0) ||
		       read_study(s, p) < 0
		   ? -1
		   : 0;
}

/* An empty file becomes a store, if it is opened for writing. */
static int look_inside(struct store *s, struct problem *p)
{
	int64_t tables = 0;
	s->has_digests = 1;
	if (store_number_of(s, "SELECT count(*) FROM sqlite_master", &tables,
			    p) < 0)
		return -1;
	if (tables == 0)
		return store_is_read(s)
			   ? problem_set(p, EXIT_INPUT,
					 "%s: is empty, not a store", s->path)
			   : 0;
	if (check_schema(s, p) < 0 || look_for_digests(s, p) < 0)
		return -1;
	if (s->use != STORE_CHECK)
		return check_frame(s, p);
	check_frame(s, &s->complaint);
	return take_axes(s, p);
}

struct store *store_open(const char *path, enum store_use use,
			 struct problem *p)
{
	struct store *s = calloc(1, sizeof *s);
	if (!s || !(s->path = strdup(path))) {
		free(s);
		problem_no_memory(p);
		return NULL;
	}
	s->use = use;
	if (opening_open(s, p) == 0 && look_inside(s, p) == 0 &&
	    opening_set_journal(s, p) == 0)
		return s;
	store_close(s, NULL);
	return NULL;
}

int store_close(struct store *s, struct problem *p)
{
	int rc = s->db ? store_commit(s, p) : 0;
	sqlite3_finalize(s->add_point);
	sqlite3_finalize(s->point_cells);
	sqlite3_finalize(s->add_result);
	sqlite3_finalize(s->add_log);
	sqlite3_finalize(s->find);
	if (opening_close(s, rc == 0 ? p : NULL) < 0)
		rc = -1;
	for (int i = 0; i < 5; i++)
		free(s->owned[i]);
	names_free(&s->axes);
	free(s->path), free(s);
	return rc;
}
