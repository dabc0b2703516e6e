/* The tables of a store, as SQLite sees them: their columns in order, and names
 * that contain any character. */
#include "store/schema.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include "note.h"
#include "tap.h"

static sqlite3 *open_with(enum store_mode mode, const char *const *axis,
			  size_t n_axes)
{
	sqlite3 *db;
	char *sql = schema_statements(mode, axis, n_axes);
	if (!sql || sqlite3_open(":memory:", &db) != SQLITE_OK ||
	    sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		bail_out("no tables");
	free(sql);
	return db;
}

/* The cells that a statement finds, each followed by a blank. */
static const char *cells(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st;
	log_length = 0;
	log_text[0] = '\0';
	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
		bail_out(sqlite3_errmsg(db));
	while (sqlite3_step(st) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(st); i++)
			note("%s ", (const char *)sqlite3_column_text(st, i));
	sqlite3_finalize(st);
	return log_text;
}

static void of_a_mode(enum store_mode mode)
{
	static const char *const axis[] = {"rate", "a \"b\"; DROP"};
	sqlite3 *db = open_with(mode, axis, 2);
	char want[20];
	is(cells(db, "PRAGMA application_id"), "1937007472 ",
	   "%s: the file says whose it is", store_mode_name[mode]);
	is(cells(db, "SELECT name FROM sqlite_master WHERE name NOT LIKE "
		     "'sqlite%' ORDER BY name"),
	   "log point result results study ", "its tables");
	is(cells(db, "SELECT name, type FROM pragma_table_info('point')"),
	   "point TEXT rate NUMERIC a \"b\"; DROP NUMERIC ",
	   "a point has its axes, whatever their names");
	is(cells(db, "SELECT name FROM pragma_table_info('result') LIMIT 7"),
	   "point arm seed key status error warning ", "a result begins so");
	snprintf(want, sizeof want, "%zu %zu ", store_n_texts(mode),
		 store_n_numbers(mode));
	is(cells(db, "SELECT sum(type = 'TEXT') - 7, sum(type = 'REAL') FROM "
		     "pragma_table_info('result')"),
	   want, "and has every text and number of the mode");
	cells(db, "INSERT INTO point VALUES ('p', 2.5, 'x')");
	cells(db, "INSERT INTO result (point, arm, seed, key, status, digest) "
		  "VALUES ('p', 'a', 7, 'k', 'ok', 'd')");
	is(cells(db, "SELECT point, rate, \"a \"\"b\"\"; DROP\", arm, seed, "
		     "status FROM results"),
	   "p 2.5 x a 7 ok ", "the view has both");
	sqlite3_close(db);
}

static void quoted(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		bail_out("no memory");
	schema_quote(f, "a\"b'c");
	fclose(f);
	is(text, "\"a\"\"b'c\"", "a quote within a name is doubled");
	free(text);
}

int main(void)
{
	for (int mode = 0; mode < STORE_MODES; mode++)
		of_a_mode((enum store_mode)mode);
	quoted();
	return done();
}
