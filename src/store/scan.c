/* scan.c -- Reads all rows of a store, and checks their digests. */
#include "store/scan.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "store/schema.h"

/* ---- the SQL statement ---- */

/* Returns 1 for a column that prepare() names itself. */
static int is_named_apart(const char *column)
{
	return !strcmp(column, "point") || !strcmp(column, "key") ||
	       !strcmp(column, "digest");
}

static void write_column(FILE *f, const char *table, const char *name)
{
	fprintf(f, ", %s.", table);
	schema_quote(f, name);
	fputs(" AS ", f);
	schema_quote(f, name);
}

/* Writes the names of the other columns of a table. */
static int write_columns(FILE *f, struct store *s, const char *table,
			 struct problem *p)
{
	struct names all = {0};
	int rc = store_columns(s, table, &all, p);
	for (size_t i = 0; rc == 0 && i < all.n; i++)
		if (!is_named_apart(all.item[i]))
			write_column(f, table, all.item[i]);
	names_free(&all);
	return rc;
}

/* Prepares the statement that reads each row with its axes, its key and its
 * digest. */
static int prepare(struct scan *x, const char *order, struct problem *p)
{
	struct store *s = x->store;
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return problem_no_memory(p);
	fputs("SELECT result.point AS point", f);
	int rc = write_columns(f, s, "point", p);
	if (rc == 0)
		rc = write_columns(f, s, "result", p);
	fprintf(f,
		", result.key, %s FROM result LEFT JOIN point "
		"ON point.point = result.point",
		s->has_digests ? "result.digest" : "NULL");
	if (order)
		fprintf(f, " ORDER BY %s", order);
	fclose(f);
	if (rc == 0 && !(x->rows = store_prepare(s, t.s, p)))
		rc = -1;
	free(t.s);
	return rc;
}

/* ---- rows ---- */

/* Hashes the names of the columns, with which the digest of every row begins.
 * Finds the columns that scan_name() writes. */
static void read_column_names(struct scan *x)
{
	cell_digest_begin(&x->names);
	for (int i = 0; i < x->n; i++) {
		const char *name = sqlite3_column_name(x->rows, i);
		cell_digest_text(&x->names, name);
		if (name && !strcmp(name, "arm"))
			x->arm = i;
		if (name && !strcmp(name, "seed"))
			x->seed = i;
	}
}

int scan_open(struct scan *x, struct store *s, const char *order,
	      struct problem *p)
{
	*x = (struct scan){.store = s};
	if (prepare(x, order, p) < 0)
		return -1;
	x->n = sqlite3_column_count(x->rows) - 2;
	read_column_names(x);
	return 0;
}

/* Returns 1 if the row has the digest of its cells, or if the store has no
 * digests. */
static int is_good(const struct scan *x)
{
	char digest[CELL_DIGEST];
	struct cell_digest d = x->names;
	if (!x->store->has_digests)
		return 1;
	for (int i = 0; i <= x->n; i++)
		cell_digest_cell(&d, x->rows, i);
	cell_digest_end(&d, digest);
	const unsigned char *is = sqlite3_column_text(x->rows, x->n + 1);
	return is && !strcmp((const char *)is, digest);
}

enum scan_found scan_next(struct scan *x, struct problem *p)
{
	int rc = sqlite3_step(x->rows);
	if (rc == SQLITE_ROW)
		return is_good(x) ? SCAN_GOOD : SCAN_DAMAGED;
	int failed =
	    rc == SQLITE_DONE ? 0 : store_failed(x->store, "reading", p);
	sqlite3_reset(x->rows);
	return failed ? SCAN_FAILED : SCAN_END;
}

const char *scan_name(const struct scan *x, char buf[SCAN_NAME])
{
	static const char nothing[] = "?";
	const unsigned char *cell[] = {
	    sqlite3_column_text(x->rows, 0),
	    sqlite3_column_text(x->rows, x->arm),
	    sqlite3_column_text(x->rows, x->seed),
	};
	const char *text[3];
	for (int i = 0; i < 3; i++)
		text[i] = cell[i] ? (const char *)cell[i] : nothing;
	snprintf(buf, SCAN_NAME, "point %.100s, arm %.200s, seed %.60s",
		 text[0], text[1], text[2]);
	return buf;
}

void scan_close(struct scan *x)
{
	sqlite3_finalize(x->rows);
	*x = (struct scan){0};
}
