/* stored.h -- a store of a small study in the folder of a test: two axes, arms
 * "b" and "a" in this order.  The test calls scratch_open() first. */
#ifndef T_STORED_H
#define T_STORED_H
#include <sqlite3.h>
#include <string.h>
#include "scratch.h"
#include "store/rows.h"

static struct problem why;
static const char *const stored_axis[] = {"engine.max_num_seqs",
					  "cost_model:b.knob"};
enum { N_STORED_AXES = 2 };

static const struct store_study stored_study = {
    .mode = STORE_RUN,
    .stepcost = "1.0",
    .configuration = "[engine]\nmax_num_seqs = 8\n",
    .axes = "[]",
    .options = "{}",
    .arms = "b,a",
    .points = 4,
};

/* A new file, or one that goes on with that study. */
static struct store *stored_open_as(const char *name,
				    const struct store_study *study)
{
	struct store *s = store_open(scratch_path(name), STORE_WRITE, &why);
	if (!s || store_begin(s, study, stored_axis, N_STORED_AXES, &why) < 0)
		bail_out(why.text);
	return s;
}

__attribute__((unused)) static struct store *stored_open(const char *name)
{
	return stored_open_as(name, &stored_study);
}

/* A good row; every number of it is `value`. */
static int stored_add(struct store *s, const char *point, const char *seqs,
		      const char *knob, const char *arm, double value)
{
	double number[STORE_NUMBERS];
	const char *text[STORE_TEXTS] = {"stable", NULL};
	for (size_t i = 0; i < STORE_NUMBERS; i++)
		number[i] = value;
	const struct store_row row = {
	    .point = point,
	    .axis = (const char *const[]){seqs, knob},
	    .arm = arm,
	    .seed = 1,
	    .key = "key",
	    .number = number,
	    .text = text,
	    .host = "host",
	};
	return store_add(s, &row, &why);
}

static void stored_close(struct store *s)
{
	if (store_close(s, &why) < 0)
		bail_out(why.text);
}

/* Two points under both arms: b has 1 and 2, a has 10 and 20. */
__attribute__((unused)) static const char *
stored_file(const char *name, const struct store_study *study)
{
	struct store *s = stored_open_as(name, study);
	if (stored_add(s, "p1", "8", "x", "a", 10) < 0 ||
	    stored_add(s, "p1", "8", "x", "b", 1) < 0 ||
	    stored_add(s, "p2", "16", "x", "a", 20) < 0 ||
	    stored_add(s, "p2", "16", "x", "b", 2) < 0)
		bail_out(why.text);
	stored_close(s);
	return scratch_path(name);
}

/* Statements that a store would not make. */
__attribute__((unused)) static void stored_alter(const char *path,
						 const char *sql)
{
	sqlite3 *db;
	if (sqlite3_open(path, &db) != SQLITE_OK ||
	    sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		bail_out(sqlite3_errmsg(db));
	sqlite3_close(db);
}

/* The same store as an earlier stepcost wrote it: no row has a digest. */
__attribute__((unused)) static const char *
stored_without_digests(const char *name, const struct store_study *study)
{
	const char *path = stored_file(name, study);
	stored_alter(path, "ALTER TABLE study DROP COLUMN digest;"
			   "ALTER TABLE result DROP COLUMN digest");
	return path;
}
#endif
