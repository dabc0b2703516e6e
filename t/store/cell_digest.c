/* The digest of a row: by the type and value of each cell, the same whether the
 * row is written or read. */
#include "store/cell_digest.h"
#include "tap.h"

static const char *end(struct cell_digest *d)
{
	static char hex[8][CELL_DIGEST];
	static int at;
	at = (at + 1) % 8;
	cell_digest_end(d, hex[at]);
	return hex[at];
}

/* The digest of the row that a statement finds. */
static const char *of_row(const char *sql)
{
	struct cell_digest d;
	sqlite3 *db;
	sqlite3_stmt *st;
	if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
	    sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK ||
	    sqlite3_step(st) != SQLITE_ROW)
		bail_out(sqlite3_errmsg(db));
	cell_digest_begin(&d);
	for (int i = 0; i < sqlite3_column_count(st); i++)
		cell_digest_cell(&d, st, i);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return end(&d);
}

static void of_nothing(void)
{
	struct cell_digest d;
	cell_digest_begin(&d);
	/* sha256sum </dev/null */
	is(end(&d), "e3b0c44298fc1c149afbf4c8996fb924",
	   "no cell: the SHA-256 of nothing");
	cell_digest_begin(&d);
	cell_digest_text(&d, "ab");
	/* printf 't\2\0\0\0\0\0\0\0ab' | sha256sum */
	is(end(&d), "0e58af96800a85a563b346e0ffce5c19", "a text");
}

static void written_and_read(void)
{
	struct cell_digest d;
	cell_digest_begin(&d);
	cell_digest_text(&d, "it's");
	cell_digest_text(&d, NULL);
	cell_digest_whole(&d, -7);
	cell_digest_number(&d, 1.5);
	cell_digest_number(&d, -0.0);
	cell_digest_number(&d, NAN);
	cell_digest_number(&d, INFINITY);
	is(end(&d), of_row("SELECT 'it''s', NULL, -7, 1.5, 0.0, NULL, NULL"),
	   "a row that is written has the digest of the row that is read");
}

static void all_different(void)
{
	static const char *const sql[] = {
	    "SELECT 1, 2",           "SELECT 1.0, 2",   "SELECT '1', 2",
	    "SELECT x'31', 2",       "SELECT 2, 1",     "SELECT 12",
	    "SELECT NULL, 1, 2",     "SELECT 'a', 'b'", "SELECT 'ab', ''",
	    "SELECT 'a', NULL, 'b'", "SELECT x'', 1",   "SELECT '', 1",
	};
	enum { N = sizeof sql / sizeof *sql };
	char hex[N][CELL_DIGEST];
	int alike = 0;
	for (int i = 0; i < N; i++) {
		snprintf(hex[i], CELL_DIGEST, "%s", of_row(sql[i]));
		for (int k = 0; k < i; k++)
			alike += !strcmp(hex[i], hex[k]);
	}
	ok(alike == 0, "type, value, place and number of cells all count");
}

/* The names are hashed once, and a copy goes on with the cells of a row. */
static void copied(void)
{
	struct cell_digest names, a, b;
	cell_digest_begin(&names);
	cell_digest_text(&names, "name");
	a = b = names;
	cell_digest_whole(&a, 1);
	const char *of_a = end(&a);
	cell_digest_whole(&b, 1);
	is(end(&b), of_a, "two copies with the same cells");
	cell_digest_whole(&names, 2);
	ok(strcmp(end(&names), of_a) != 0, "another cell");
}

int main(void)
{
	of_nothing();
	written_and_read();
	all_different();
	copied();
	return done();
}
