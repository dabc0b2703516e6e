/* rows.c -- Adds rows to a store, and finds them. */
#include "store/rows.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/text.h"
#include "store/store_private.h"

const char *const store_status_name[N_STATUS] = {"ok", "refused", "failed"};

/* ---- statements ---- */

sqlite3_stmt *rows_prepare_values(struct store *s, const char *into, size_t n,
				  struct problem *p)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f) {
		problem_no_memory(p);
		return NULL;
	}
	fprintf(f, "%s VALUES (", into);
	for (size_t i = 0; i < n; i++)
		fputs(i ? ", ?" : "?", f);
	fputc(')', f);
	fclose(f);
	sqlite3_stmt *st = store_prepare(s, t.s, p);
	free(t.s);
	return st;
}

/* A store from before a figure existed can be read, but not extended. */
static int check_columns(struct store *s, size_t n, struct problem *p)
{
	int64_t there;
	if (store_number_of(s,
			    "SELECT count(*) FROM pragma_table_info('result')",
			    &there, p) < 0)
		return -1;
	return (size_t)there == n
		   ? 0
		   : problem_set(
			 p, EXIT_USAGE,
			 "%s: was written by another version of stepcost, with "
			 "other figures; choose another --store",
			 s->path);
}

/* The names of the columns of a row, in the order of scan.h. */
static void hash_names(struct store *s)
{
	static const char *const behind_axes[] = {"arm", "seed", "status",
						  "error", "warning"};
	struct cell_digest *d = &s->row_names;
	struct store_column c;
	enum store_mode mode = s->study.mode;
	cell_digest_begin(d);
	cell_digest_text(d, "point");
	for (size_t i = 0; i < s->axes.n; i++)
		cell_digest_text(d, s->axes.item[i]);
	for (size_t i = 0; i < sizeof behind_axes / sizeof *behind_axes; i++)
		cell_digest_text(d, behind_axes[i]);
	for (size_t i = 0; store_text(mode, i); i++)
		cell_digest_text(d, store_text(mode, i));
	for (size_t i = 0; store_number(mode, i, &c); i++)
		cell_digest_text(d, c.name);
}

int rows_prepare(struct store *s, struct problem *p)
{
	enum store_mode mode = s->study.mode;
	size_t n = 8 + store_n_texts(mode) + store_n_numbers(mode);
	if (s->add_log)
		return 0;
	if (check_columns(s, n, p) < 0)
		return -1;
	hash_names(s);
	s->add_point = rows_prepare_values(s, "INSERT OR IGNORE INTO point",
					   1 + s->axes.n, p);
	s->point_cells =
	    s->add_point
		? store_prepare(s, "SELECT * FROM point WHERE point = ?", p)
		: NULL;
	s->add_result =
	    s->point_cells ? rows_prepare_values(s, "REPLACE INTO result", n, p)
			   : NULL;
	s->add_log = s->add_result
			 ? rows_prepare_values(s, "INSERT INTO log", 8, p)
			 : NULL;
	return s->add_log ? 0 : -1;
}

/* Runs a statement with its bound values, and resets it for the next use. */
static int step(struct store *s, sqlite3_stmt *st, struct problem *p)
{
	int rc =
	    sqlite3_step(st) == SQLITE_DONE ? 0 : store_failed(s, "writing", p);
	sqlite3_reset(st);
	return rc;
}

static void bind_text(sqlite3_stmt *st, int at, const char *text)
{
	sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC);
}

static void bind_number(sqlite3_stmt *st, int at, double v)
{
	if (isfinite(v))
		sqlite3_bind_double(st, at, v);
	else
		sqlite3_bind_null(st, at);
}

/* ---- adding ---- */

static int add_point(struct store *s, const struct store_row *row,
		     struct problem *p)
{
	sqlite3_stmt *st = s->add_point;
	bind_text(st, 1, row->point);
	for (size_t i = 0; i < s->axes.n; i++)
		bind_text(st, 2 + (int)i, row->axis[i]);
	return step(s, st, p);
}

/* The digest holds the axes as SQLite keeps them, a number as a number. */
static int digest_point(struct store *s, const char *point,
			struct cell_digest *d, struct problem *p)
{
	sqlite3_stmt *st = s->point_cells;
	*d = s->row_names;
	bind_text(st, 1, point);
	int rc =
	    sqlite3_step(st) == SQLITE_ROW ? 0 : store_failed(s, "reading", p);
	for (int i = 0; rc == 0 && i <= (int)s->axes.n; i++)
		cell_digest_cell(d, st, i);
	sqlite3_reset(st);
	return rc;
}

/* The cells of `result` that are bound, one after another. */
struct binding {
	sqlite3_stmt *st;
	int at;
	struct cell_digest digest;
};

static void put_text(struct binding *b, const char *text)
{
	bind_text(b->st, ++b->at, text);
	cell_digest_text(&b->digest, text);
}

static void put_whole(struct binding *b, int64_t v)
{
	sqlite3_bind_int64(b->st, ++b->at, v);
	cell_digest_whole(&b->digest, v);
}

static void put_number(struct binding *b, double v)
{
	bind_number(b->st, ++b->at, v);
	cell_digest_number(&b->digest, v);
}

static int add_result(struct store *s, const struct store_row *row,
		      struct problem *p)
{
	enum store_mode mode = s->study.mode;
	struct binding b = {.st = s->add_result, .at = 1};
	size_t n = store_n_numbers(mode);
	char hex[CELL_DIGEST];
	if (digest_point(s, row->point, &b.digest, p) < 0)
		return -1;
	bind_text(b.st, 1, row->point);
	put_text(&b, row->arm);
	put_whole(&b, row->seed);
	bind_text(b.st, ++b.at, row->key);
	put_text(&b, store_status_name[row->status]);
	put_text(&b, row->error);
	put_text(&b, row->warning);
	for (size_t i = 0; store_text(mode, i); i++)
		put_text(&b, row->text ? row->text[i] : NULL);
	for (size_t i = 0; i < n; i++)
		put_number(&b, row->number ? row->number[i] : NAN);
	cell_digest_text(&b.digest, row->key);
	cell_digest_end(&b.digest, hex);
	bind_text(b.st, ++b.at, hex);
	return step(s, b.st, p);
}

static int add_log(struct store *s, const struct store_row *row,
		   struct problem *p)
{
	sqlite3_stmt *st = s->add_log;
	char at[32] = "";
	time_t when = (time_t)row->at_s;
	struct tm utc;
	if (gmtime_r(&when, &utc))
		strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%SZ", &utc);
	bind_text(st, 1, at);
	sqlite3_bind_double(st, 2, row->seconds);
	sqlite3_bind_double(st, 3, row->cpu_seconds);
	bind_text(st, 4, row->host);
	sqlite3_bind_int64(st, 5, row->process);
	bind_text(st, 6, row->point);
	bind_text(st, 7, row->arm);
	sqlite3_bind_int64(st, 8, row->seed);
	return step(s, st, p);
}

int store_add(struct store *s, const struct store_row *row, struct problem *p)
{
	return rows_prepare(s, p) < 0 || store_begin_transaction(s, p) < 0 ||
		       add_point(s, row, p) < 0 || add_result(s, row, p) < 0 ||
		       add_log(s, row, p) < 0
		   ? -1
		   : 0;
}

/* ---- finding ---- */

static enum store_status status_named(const unsigned char *word)
{
	for (int i = 0; i < N_STATUS; i++)
		if (word && !strcmp((const char *)word, store_status_name[i]))
			return (enum store_status)i;
	return STATUS_FAILED;
}

static void take_text(char *to, size_t size, sqlite3_stmt *st, int at)
{
	const unsigned char *text = sqlite3_column_text(st, at);
	snprintf(to, size, "%s", text ? (const char *)text : "");
}

/* Runs a statement that asks for one row.  Returns 1 with it, 0 without one, or
 * -1 with *p.  The caller resets it. */
static int look_for(struct store *s, sqlite3_stmt *st, const char *point,
		    const char *arm, int64_t seed, struct problem *p)
{
	bind_text(st, 1, point);
	bind_text(st, 2, arm);
	sqlite3_bind_int64(st, 3, seed);
	int got = sqlite3_step(st);
	return got == SQLITE_ROW    ? 1
	       : got == SQLITE_DONE ? 0
				    : store_failed(s, "reading", p);
}

static void take_found(struct store_found *out, sqlite3_stmt *st, int key,
		       int status)
{
	take_text(out->key, sizeof out->key, st, key);
	out->status = status_named(sqlite3_column_text(st, status));
}

int store_find(struct store *s, const char *point, const char *arm,
	       int64_t seed, struct store_found *out, struct problem *p)
{
	if (!s->find)
		s->find = store_prepare(s,
					"SELECT key, status FROM result WHERE "
					"point = ? AND arm = ? AND seed = ?",
					p);
	if (!s->find)
		return -1;
	int rc = look_for(s, s->find, point, arm, seed, p);
	if (rc == 1)
		take_found(out, s->find, 0, 1);
	sqlite3_reset(s->find);
	return rc;
}

int store_count(struct store *s, struct store_counts *c, struct problem *p)
{
	const struct {
		const char *sql;
		int64_t *out;
	} of[] = {
	    {"SELECT count(*) FROM point", &c->points},
	    {"SELECT count(*) FROM result", &c->rows},
	    {"SELECT count(*) FROM result WHERE status = 'refused'",
	     &c->refused},
	    {"SELECT count(*) FROM result WHERE status = 'failed'", &c->failed},
	    {"SELECT count(*) FROM result WHERE key NOT GLOB 'r*'", &c->former},
	};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (store_number_of(s, of[i].sql, of[i].out, p) < 0)
			return -1;
	return 0;
}
