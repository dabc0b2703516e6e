/* merge.c -- Copies the rows of several stores of one study into another
 * store. */
#include "store/merge.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/text.h"
#include "base/names.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/scan.h"

/* A study with copies of its texts. */
struct stored_study {
	struct store_study is;
	struct names texts, axes;
	const char *path;
};

static void free_study(struct stored_study *k)
{
	names_free(&k->texts);
	names_free(&k->axes);
}

/* ---- comparing studies ---- */

/* Finds the first line in which two texts differ: its start in each of them. */
static void first_difference(const char **a, const char **b)
{
	const char *x = *a, *y = *b;
	for (size_t i = 0; x[i] && x[i] == y[i]; i++)
		if (x[i] == '\n') {
			*a = x + i + 1;
			*b = y + i + 1;
		}
}

static int differ(const char *what, const char *a, const char *b,
		  const struct stored_study *of_a,
		  const struct stored_study *of_b, struct problem *p)
{
	enum { SHOWN = 150 };
	first_difference(&a, &b);
	int n = (int)strcspn(a, "\n"), m = (int)strcspn(b, "\n");
	return problem_set(p, EXIT_USAGE,
			   "%s and %s are of different studies: %s: '%.*s' "
			   "and '%.*s'",
			   of_a->path, of_b->path, what, n < SHOWN ? n : SHOWN,
			   a, m < SHOWN ? m : SHOWN, b);
}

static int check_same(const struct stored_study *x,
		      const struct stored_study *y, struct problem *p)
{
	const struct store_study *a = &x->is, *b = &y->is;
	char text[2][24];
	snprintf(text[0], sizeof text[0], "%" PRId64, a->shards);
	snprintf(text[1], sizeof text[1], "%" PRId64, b->shards);
	const struct {
		const char *what, *a, *b;
	} part[] = {
	    {"version of stepcost", a->stepcost, b->stepcost},
	    {"mode", store_mode_name[a->mode], store_mode_name[b->mode]},
	    {"configuration", a->configuration, b->configuration},
	    {"axes", a->axes, b->axes},
	    {"options", a->options, b->options},
	    {"arms", a->arms, b->arms},
	    {"number of shards", text[0], text[1]},
	};
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (strcmp(part[i].a, part[i].b))
			return differ(part[i].what, part[i].a, part[i].b, x, y,
				      p);
	return 0;
}

/* ---- reading the studies ---- */

static const char *keep(struct stored_study *k, const char *text)
{
	return names_add(&k->texts, text) < 0 ? NULL
					      : k->texts.item[k->texts.n - 1];
}

static int keep_study(struct stored_study *k, struct store *s, const char *path,
		      struct problem *p)
{
	const struct store_study *is = store_study(s);
	const struct names *axes = store_axes(s);
	k->path = path;
	k->is = *is;
	k->is.stepcost = keep(k, is->stepcost);
	k->is.configuration = keep(k, is->configuration);
	k->is.axes = keep(k, is->axes);
	k->is.options = keep(k, is->options);
	k->is.arms = keep(k, is->arms);
	int failed = k->texts.n < 5;
	for (size_t i = 0; i < axes->n; i++)
		failed |= names_add(&k->axes, axes->item[i]) < 0;
	return failed ? problem_no_memory(p) : 0;
}

static int read_study(struct stored_study *k, const char *path,
		      struct problem *p)
{
	struct store *s = store_open(path, STORE_READ, p);
	if (!s)
		return -1;
	int rc = keep_study(k, s, path, p);
	store_close(s, NULL);
	return rc;
}

/* Lists the missing shards, "1, 3", as many as fit. */
static int check_shards(const struct stored_study *k, size_t n,
			struct problem *p)
{
	char missing[400] = "";
	size_t used = 0;
	int64_t shards = k[0].is.shards;
	int n_missing = 0;
	for (int64_t shard = 0; shard < shards; shard++) {
		int there = 0;
		for (size_t i = 0; i < n; i++)
			there |= k[i].is.shard == shard;
		if (there)
			continue;
		if (used < sizeof missing - 24)
			used += (size_t)snprintf(
			    missing + used, sizeof missing - used, "%s%" PRId64,
			    n_missing ? ", " : "", shard);
		n_missing++;
	}
	return n_missing
		   ? problem_set(p, EXIT_USAGE,
				 "of %" PRId64 " shards there %s missing: %s",
				 shards, n_missing == 1 ? "is one" : "are some",
				 missing)
		   : 0;
}

static int read_all(struct stored_study *k, const char *const *in, size_t n,
		    struct problem *p)
{
	for (size_t i = 0; i < n; i++)
		if (read_study(&k[i], in[i], p) < 0 ||
		    check_same(&k[0], &k[i], p) < 0)
			return -1;
	return check_shards(k, n, p);
}

/* ---- copying ---- */

/* Copies the rows of one store into another.  Cells are found by name, because
 * axes may be in another order. */
struct copying {
	struct store *to;
	struct scan from;
	struct names cell; /* point, axes, other columns, key */
	int n_of_point;    /* cells that go into the table `point` */
	int *place;        /* [cell.n] of a cell among those of `from`, or -1 */
	sqlite3_stmt *add_point, *add_result;
};

/* Lists the cells in the order of the digest. */
static int list_cells(struct copying *c, struct problem *p)
{
	struct scan to;
	int rc = scan_open(&to, c->to, NULL, p);
	for (int i = 0; rc == 0 && i <= to.n; i++)
		if (names_add(&c->cell, sqlite3_column_name(to.rows, i)) < 0)
			rc = problem_no_memory(p);
	scan_close(&to);
	c->n_of_point = 1 + (int)c->to->axes.n;
	return rc;
}

static int find_cells(struct copying *c, struct problem *p)
{
	c->place = calloc(c->cell.n + 1, sizeof *c->place);
	if (!c->place)
		return problem_no_memory(p);
	for (size_t i = 0; i < c->cell.n; i++) {
		const struct scan *x = &c->from;
		int k = 0;
		while (k <= x->n &&
		       strcmp(sqlite3_column_name(x->rows, k), c->cell.item[i]))
			k++;
		c->place[i] = k <= x->n ? k : -1;
	}
	return 0;
}

/* Prepares the statement that adds the point and the cells from `first` on to
 * a table. */
static sqlite3_stmt *prepare(const struct copying *c, const char *into,
			     int first, int end, const char *last,
			     struct problem *p)
{
	size_t n = 1 + (size_t)(end - first) + (*last != '\0');
	struct text t;
	FILE *f = text_begin(&t);
	if (!f) {
		problem_no_memory(p);
		return NULL;
	}
	fprintf(f, "%s (point", into);
	for (int i = first; i < end; i++) {
		fputs(", ", f);
		schema_quote(f, c->cell.item[i]);
	}
	fprintf(f, "%s)", last);
	fclose(f);
	sqlite3_stmt *st = rows_prepare_values(c->to, t.s, n, p);
	free(t.s);
	return st;
}

static int begin_copying(struct copying *c, struct store *from,
			 struct problem *p)
{
	if (rows_prepare(c->to, p) < 0 || list_cells(c, p) < 0 ||
	    scan_open(&c->from, from, NULL, p) < 0 || find_cells(c, p) < 0)
		return -1;
	int all = (int)c->cell.n;
	c->add_point =
	    prepare(c, "INSERT OR IGNORE INTO point", 1, c->n_of_point, "", p);
	c->add_result = c->add_point
			    ? prepare(c, "REPLACE INTO result", c->n_of_point,
				      all, ", digest", p)
			    : NULL;
	return c->add_result ? 0 : -1;
}

static void end_copying(struct copying *c)
{
	sqlite3_finalize(c->add_point);
	sqlite3_finalize(c->add_result);
	scan_close(&c->from);
	names_free(&c->cell);
	free(c->place);
}

/* Binds a cell of the current row. */
static void bind(const struct copying *c, sqlite3_stmt *st, int at, int cell)
{
	if (c->place[cell] < 0)
		sqlite3_bind_null(st, at);
	else
		sqlite3_bind_value(
		    st, at, sqlite3_column_value(c->from.rows, c->place[cell]));
}

static int add(const struct copying *c, sqlite3_stmt *st, int first, int end,
	       const char *digest, struct problem *p)
{
	int at = 0;
	bind(c, st, ++at, 0);
	for (int i = first; i < end; i++)
		bind(c, st, ++at, i);
	if (digest)
		sqlite3_bind_text(st, ++at, digest, -1, SQLITE_STATIC);
	int rc = sqlite3_step(st) == SQLITE_DONE
		     ? 0
		     : store_failed(c->to, "writing", p);
	sqlite3_reset(st);
	return rc;
}

static int copy_row(const struct copying *c, struct problem *p)
{
	char hex[CELL_DIGEST];
	int all = (int)c->cell.n;
	struct cell_digest d = c->to->row_names;
	for (int i = 0; i < all; i++)
		if (c->place[i] < 0)
			cell_digest_text(&d, NULL);
		else
			cell_digest_cell(&d, c->from.rows, c->place[i]);
	cell_digest_end(&d, hex);
	return add(c, c->add_point, 1, c->n_of_point, NULL, p) < 0 ||
		       add(c, c->add_result, c->n_of_point, all, hex, p) < 0
		   ? -1
		   : 0;
}

static int copy_rows(struct copying *c, struct damage *bad, struct problem *p)
{
	char name[SCAN_NAME];
	enum scan_found found;
	int rc = 0;
	while (rc == 0 && (found = scan_next(&c->from, p)) != SCAN_END) {
		if (found == SCAN_DAMAGED)
			damage_add(bad, scan_name(&c->from, name));
		else
			rc = found == SCAN_FAILED ? -1 : copy_row(c, p);
	}
	return rc;
}

/* Adds the lines of a log that are not there. */
static int copy_log(struct store *to, struct store *from, struct problem *p)
{
	enum { COLUMNS = 8 };
	sqlite3_stmt *read = store_prepare(
	    from,
	    "SELECT at, seconds, cpu_seconds, host, process, point, arm, seed "
	    "FROM log",
	    p);
	sqlite3_stmt *add =
	    read && store_run(to,
			      "CREATE TEMP TABLE IF NOT EXISTS more "
			      "AS SELECT * FROM log LIMIT 0; "
			      "DELETE FROM temp.more",
			      p) == 0
		? store_prepare(to,
				"INSERT INTO temp.more VALUES "
				"(?, ?, ?, ?, ?, ?, ?, ?)",
				p)
		: NULL;
	int rc = add ? 0 : -1;
	int got = SQLITE_DONE;
	while (rc == 0 && (got = sqlite3_step(read)) == SQLITE_ROW) {
		for (int i = 0; i < COLUMNS; i++)
			sqlite3_bind_value(add, 1 + i,
					   sqlite3_column_value(read, i));
		if (sqlite3_step(add) != SQLITE_DONE)
			rc = store_failed(to, "writing", p);
		sqlite3_reset(add);
	}
	if (rc == 0 && got != SQLITE_DONE)
		rc = store_failed(from, "reading", p);
	sqlite3_finalize(read);
	sqlite3_finalize(add);
	return rc < 0 ? rc
		      : store_run(to,
				  "INSERT INTO log SELECT * FROM temp.more "
				  "EXCEPT SELECT * FROM log",
				  p);
}

static int tell_damage(const struct damage *d, const char *path,
		       const char *what, struct merge_result *r,
		       struct problem *p)
{
	struct problem says;
	if (!d->n)
		return 0;
	damage_say(d, path, what, &says);
	return names_add(&r->damaged, says.text) < 0 ? problem_no_memory(p) : 0;
}

/* Copies all sound rows of a store. */
static int copy(struct store *to, const char *path, struct merge_result *r,
		struct problem *p)
{
	struct copying c = {.to = to};
	struct damage bad = {0};
	struct store *from = store_open(path, STORE_READ, p);
	if (!from)
		return -1;
	int rc = begin_copying(&c, from, p);
	if (rc == 0)
		rc = copy_rows(&c, &bad, p);
	if (rc == 0)
		rc = copy_log(to, from, p);
	end_copying(&c);
	r->without_digests += !store_has_digests(from);
	if (rc == 0)
		rc = tell_damage(&bad, path, "not copied", r, p);
	store_close(from, NULL);
	return rc;
}

static int write_all(struct store *s, const struct stored_study *k,
		     const char *const *in, size_t n, struct merge_result *r,
		     struct problem *p)
{
	struct store_study whole = k->is;
	struct store_counts c;
	struct damage dropped;
	whole.shard = whole.shards = 0;
	int rc = store_begin(s, &whole, k->axes.item, k->axes.n, p);
	if (rc == 0)
		rc = damage_drop(s, &dropped, p);
	if (rc == 0)
		rc = tell_damage(&dropped, store_path(s), "dropped", r, p);
	if (rc == 0)
		rc = store_begin_transaction(s, p);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = copy(s, in[i], r, p);
	if (rc == 0)
		rc = store_commit(s, p);
	else
		store_roll_back(s);
	if (rc == 0)
		rc = store_count(s, &c, p);
	if (rc == 0) {
		r->points = c.points;
		r->planned = whole.points;
	}
	return rc;
}

static int check_output(const char *out, const char *const *in, size_t n,
			struct problem *p)
{
	struct stat to, from;
	if (stat(out, &to) < 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (stat(in[i], &from) == 0 && from.st_dev == to.st_dev &&
		    from.st_ino == to.st_ino)
			return problem_set(p, EXIT_USAGE,
					   "%s: is one of the stores to merge; "
					   "merge into another file",
					   in[i]);
	return 0;
}

int store_merge(const char *out, const char *const *in, size_t n,
		struct merge_result *r, struct problem *p)
{
	struct stored_study *k = calloc(n + 1, sizeof *k);
	*r = (struct merge_result){0};
	if (!k)
		return problem_no_memory(p);
	int rc = check_output(out, in, n, p);
	if (rc == 0)
		rc = read_all(k, in, n, p);
	int is_new = access(out, F_OK) < 0;
	struct store *s = rc == 0 ? store_open(out, STORE_WRITE, p) : NULL;
	rc = s ? write_all(s, k, in, n, r, p) : -1;
	if (s && store_close(s, rc == 0 ? p : NULL) < 0)
		rc = -1;
	if (s && rc < 0 && is_new)
		(void)unlink(out);
	for (size_t i = 0; i < n; i++)
		free_study(&k[i]);
	free(k);
	return rc;
}
