/* merge.c -- Copies the rows of several stores of one study into another
 * store. */
#include <config.h>
#include "store/merge.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/names.h"
#include "store/rows.h"
#include "store/store_private.h"

/* A study with copies of its texts. */
struct kept_study {
	struct store_study is;
	struct names texts, axes;
	const char *path;
};

static void free_study(struct kept_study *k)
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
		  const struct kept_study *of_a, const struct kept_study *of_b,
		  struct problem *p)
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

static int check_same(const struct kept_study *x, const struct kept_study *y,
		      struct problem *p)
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

static const char *keep(struct kept_study *k, const char *text)
{
	return names_add(&k->texts, text) < 0 ? NULL
					      : k->texts.item[k->texts.n - 1];
}

static int keep_study(struct kept_study *k, struct store *s, const char *path,
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

static int read_study(struct kept_study *k, const char *path, struct problem *p)
{
	struct store *s = store_open(path, STORE_READ, p);
	if (!s)
		return -1;
	int rc = keep_study(k, s, path, p);
	store_close(s, NULL);
	return rc;
}

/* Lists the missing shards, "1, 3", as many as fit. */
static int check_shards(const struct kept_study *k, size_t n, struct problem *p)
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

static int read_all(struct kept_study *k, const char *const *in, size_t n,
		    struct problem *p)
{
	for (size_t i = 0; i < n; i++)
		if (read_study(&k[i], in[i], p) < 0 ||
		    check_same(&k[0], &k[i], p) < 0)
			return -1;
	return check_shards(k, n, p);
}

/* ---- copying ---- */

static int attach(struct store *s, const char *path, struct problem *p)
{
	sqlite3_stmt *st = store_prepare(s, "ATTACH ? AS other", p);
	if (!st)
		return -1;
	sqlite3_bind_text(st, 1, path, -1, SQLITE_STATIC);
	int rc = sqlite3_step(st) == SQLITE_DONE
		     ? 0
		     : store_failed(s, "attaching", p);
	sqlite3_finalize(st);
	return rc;
}

static int copy(struct store *s, const char *path, struct problem *p)
{
	if (attach(s, path, p) < 0)
		return -1;
	int rc = store_run(
	    s,
	    "BEGIN IMMEDIATE;"
	    "REPLACE INTO point SELECT * FROM other.point;"
	    "REPLACE INTO result SELECT * FROM other.result;"
	    "INSERT INTO log SELECT * FROM other.log EXCEPT SELECT * FROM log;"
	    "COMMIT",
	    p);
	if (rc < 0)
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_exec(s->db, "DETACH other", NULL, NULL, NULL);
	return rc;
}

static int write_all(struct store *s, const struct kept_study *k,
		     const char *const *in, size_t n, struct merge_result *r,
		     struct problem *p)
{
	struct store_study whole = k->is;
	struct store_counts c;
	whole.shard = whole.shards = 0;
	int rc = store_begin(s, &whole, k->axes.item, k->axes.n, p);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = copy(s, in[i], p);
	if (rc == 0)
		rc = store_count(s, &c, p);
	if (rc == 0)
		*r = (struct merge_result){c.points, whole.points};
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
	struct kept_study *k = calloc(n + 1, sizeof *k);
	if (!k)
		return problem_no_memory(p);
	int rc = check_output(out, in, n, p);
	if (rc == 0)
		rc = read_all(k, in, n, p);
	struct store *s = rc == 0 ? store_open(out, STORE_WRITE, p) : NULL;
	rc = s ? write_all(s, k, in, n, r, p) : -1;
	if (s && store_close(s, rc == 0 ? p : NULL) < 0)
		rc = -1;
	for (size_t i = 0; i < n; i++)
		free_study(&k[i]);
	free(k);
	return rc;
}
