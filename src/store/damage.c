/* damage.c -- Finds, names and drops damaged rows. */
#include "store/damage.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "store/scan.h"

/* ---- naming ---- */

void damage_add(struct damage *d, const char *row)
{
	size_t used = strlen(d->rows), room = sizeof d->rows - used;
	d->n++;
	if (d->named + 1 < d->n || strlen(row) + sizeof "; " > room)
		return;
	snprintf(d->rows + used, room, "%s%s", used ? "; " : "", row);
	d->named++;
}

int damage_say(const struct damage *d, const char *file, const char *what,
	       struct problem *p)
{
	char more[40] = "";
	if (d->named < d->n)
		snprintf(more, sizeof more, "; and %" PRIu64 " more",
			 d->n - d->named);
	return problem_set(
	    p, EXIT_INPUT, "%s: %" PRIu64 " row%s damaged and %s: %s%s", file,
	    d->n, d->n == 1 ? " is" : "s are", what, d->rows, more);
}

/* ---- finding ---- */

int damage_find(struct store *s, damage_row_fn *on_row, void *user,
		uint64_t *good, struct problem *p)
{
	struct scan x;
	char name[SCAN_NAME];
	enum scan_found found = SCAN_FAILED;
	*good = 0;
	if (scan_open(&x, s, NULL, p) == 0)
		while ((found = scan_next(&x, p)) > SCAN_END) {
			if (found == SCAN_DAMAGED)
				on_row(user, scan_name(&x, name));
			else
				++*good;
		}
	scan_close(&x);
	return found == SCAN_END ? 0 : -1;
}

/* ---- dropping ---- */

/* The primary keys of damaged rows, of any type. */
struct keys {
	sqlite3_value **cell; /* [3 n] */
	size_t n, cap;
};

static void free_keys(struct keys *k)
{
	for (size_t i = 0; i < 3 * k->n; i++)
		sqlite3_value_free(k->cell[i]);
	free(k->cell);
}

static int keep_key(struct keys *k, const struct scan *x)
{
	const int column[] = {0, x->arm, x->seed};
	if (k->n == k->cap) {
		size_t cap = 2 * k->cap + 8;
		sqlite3_value **cell = realloc(k->cell, 3 * cap * sizeof *cell);
		if (!cell)
			return -1;
		k->cell = cell;
		k->cap = cap;
	}
	for (int i = 0; i < 3; i++)
		k->cell[3 * k->n + (size_t)i] =
		    sqlite3_value_dup(sqlite3_column_value(x->rows, column[i]));
	k->n++;
	return 0;
}

static int find_keys(struct store *s, struct keys *k, struct damage *d,
		     struct problem *p)
{
	struct scan x;
	char name[SCAN_NAME];
	enum scan_found found = SCAN_FAILED;
	if (scan_open(&x, s, NULL, p) == 0)
		while ((found = scan_next(&x, p)) > SCAN_END) {
			if (found != SCAN_DAMAGED)
				continue;
			/* first, because naming turns cells into texts */
			int kept = keep_key(k, &x);
			damage_add(d, scan_name(&x, name));
			if (kept < 0) {
				problem_no_memory(p);
				found = SCAN_FAILED;
				break;
			}
		}
	scan_close(&x);
	return found == SCAN_END ? 0 : -1;
}

static int delete_rows(struct store *s, const struct keys *k, struct problem *p)
{
	sqlite3_stmt *st = store_prepare(
	    s, "DELETE FROM result WHERE point IS ? AND arm IS ? AND seed IS ?",
	    p);
	int rc = st ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < k->n; i++) {
		for (int j = 0; j < 3; j++)
			sqlite3_bind_value(st, 1 + j,
					   k->cell[3 * i + (size_t)j]);
		if (sqlite3_step(st) != SQLITE_DONE)
			rc = store_failed(s, "writing", p);
		sqlite3_reset(st);
	}
	sqlite3_finalize(st);
	return rc;
}

/* Rows are found by their keys, and only if all keys are in order: else a row
 * that is there would be computed and written once more. */
static int check_order(struct store *s, struct problem *p)
{
	struct problem why;
	if (store_verify(s, "PRAGMA integrity_check(1)", &why) == 0)
		return 0;
	if (why.code != EXIT_INPUT)
		return problem_set(p, why.code, "%s", why.text);
	return problem_set(
	    p, EXIT_INPUT,
	    "%s, and nothing is written to it: `stepcost sweep merge NEW.db "
	    "%s` keeps its good rows, and NEW.db can go on",
	    why.text, s->path);
}

/* A point without rows goes as well, because the damage may be in the
 * point. */
int damage_drop(struct store *s, struct damage *d, struct problem *p)
{
	struct keys k = {0};
	*d = (struct damage){0};
	int rc = find_keys(s, &k, d, p);
	if (rc == 0)
		rc = store_begin_transaction(s, p);
	if (rc == 0)
		rc = delete_rows(s, &k, p);
	if (rc == 0)
		rc = store_run(s,
			       "DELETE FROM point WHERE point NOT IN "
			       "(SELECT point FROM result)",
			       p);
	if (rc == 0)
		rc = check_order(s, p);
	if (rc == 0)
		rc = store_commit(s, p);
	if (rc < 0)
		*d = (struct damage){0};
	free_keys(&k);
	return rc;
}
