/* Rows of a store: added, replaced, found, counted. */
#include "store/rows.h"
#include <math.h>
#include "store/cell_digest.h"
#include "store/reader.h"
#include "stored.h"

/* The first column of the first row of a statement; the text of a NULL is
 * "NULL". */
static const char *ask(const char *path, const char *sql)
{
	static char text[300];
	sqlite3 *db;
	sqlite3_stmt *st;
	snprintf(text, sizeof text, "(no row)");
	if (sqlite3_open(path, &db) != SQLITE_OK ||
	    sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
		bail_out(sqlite3_errmsg(db));
	if (sqlite3_step(st) == SQLITE_ROW) {
		const unsigned char *cell = sqlite3_column_text(st, 0);
		snprintf(text, sizeof text, "%s",
			 cell ? (const char *)cell : "NULL");
	}
	sqlite3_finalize(st);
	sqlite3_close(db);
	return text;
}

static const struct store_row refused_row = {
    .point = "p3",
    .axis = (const char *const[]){"32", "y"},
    .arm = "b",
    .seed = 7,
    .key = "another",
    .status = STATUS_REFUSED,
    .error = "no room for one request",
    .warning = "a warning",
    .at_s = 86400,
    .seconds = 1.5,
    .cpu_seconds = 0.25,
    .host = "elsewhere",
    .process = 4711,
};

static void odd_status(void)
{
	struct store_found f;
	stored_alter(stored_file("odd.db", &stored_study),
		     "UPDATE result SET status = 'odd'");
	struct store *s = stored_open("odd.db");
	ok(store_find(s, "p1", "a", 1, &f, &why) == 1 &&
	       f.status == STATUS_FAILED,
	   "a status that nobody knows is no success");
	stored_close(s);
}

static void looked_for(void)
{
	struct store_found f = {.status = N_STATUS};
	struct store *s = stored_open("rows.db");
	ok(store_find(s, "p1", "a", 1, &f, &why) == 0 && f.status == N_STATUS,
	   "an empty store has no row");
	ok(stored_add(s, "p1", "8", "x", "a", 3.5) == 0, "a row is added");
	ok(store_find(s, "p1", "a", 1, &f, &why) == 1 &&
	       f.status == STATUS_OK && !strcmp(f.key, "key"),
	   "and found before it is committed");
	ok(store_find(s, "p1", "a", 2, &f, &why) == 0 &&
	       store_find(s, "p1", "b", 1, &f, &why) == 0 &&
	       store_find(s, "p2", "a", 1, &f, &why) == 0,
	   "another seed, arm or point is another row");
	ok(store_add(s, &refused_row, &why) == 0 &&
	       store_find(s, "p3", "b", 7, &f, &why) == 1 &&
	       f.status == STATUS_REFUSED && !strcmp(f.key, "another"),
	   "a row that is refused is found as such");
	stored_close(s);
}

static void replaced(void)
{
	struct store_counts c;
	struct store_row x = refused_row;
	struct store *s = stored_open("rows.db");
	ok(store_count(s, &c, &why) == 0 && c.points == 2 && c.rows == 2 &&
	       c.refused == 1 && c.failed == 0,
	   "counted");
	x.status = STATUS_FAILED, x.error = "it crashed", x.warning = NULL;
	ok(store_add(s, &x, &why) == 0 && store_count(s, &c, &why) == 0 &&
	       c.points == 2 && c.rows == 2 && c.refused == 0 && c.failed == 1,
	   "a later row takes the place of an earlier one");
	stored_close(s);
	const char *path = scratch_path("rows.db");
	is(ask(path, "SELECT error FROM result WHERE point = 'p3'"),
	   "it crashed", "with its own error");
	is(ask(path, "SELECT warning FROM result WHERE point = 'p3'"), "NULL",
	   "and without the warning of the earlier one");
	is(ask(path, "SELECT count(*) FROM log WHERE point = 'p3'"), "2",
	   "the log has both");
}

static void cells(void)
{
	const char *path = scratch_path("rows.db");
	is(ask(path, "SELECT output_throughput FROM result WHERE point='p1'"),
	   "3.5", "a number");
	is(ask(path, "SELECT saturation FROM result WHERE point = 'p1'"),
	   "stable", "a text");
	is(ask(path, "SELECT output_throughput FROM result WHERE point='p3'"),
	   "NULL", "a row without numbers has none");
	is(ask(path, "SELECT saturation FROM result WHERE point = 'p3'"),
	   "NULL", "nor texts");
	is(ask(path, "SELECT typeof(\"engine.max_num_seqs\") FROM point"),
	   "integer", "an axis of numbers is one of numbers");
	is(ask(path, "SELECT typeof(\"cost_model:b.knob\") FROM point"), "text",
	   "and one of texts is one of texts");
	is(ask(path, "SELECT at || host || process || seconds || cpu_seconds "
		     "FROM log WHERE point = 'p3'"),
	   "1970-01-02T00:00:00Zelsewhere47111.50.25", "the log");
}

static void no_numbers(void)
{
	struct store *s = stored_open("nan.db");
	ok(stored_add(s, "p1", "8", "x", "a", (double)NAN) == 0 &&
	       stored_add(s, "p1", "8", "x", "b", (double)INFINITY) == 0,
	   "no number and infinity are added");
	stored_close(s);
	is(ask(scratch_path("nan.db"),
	       "SELECT count(*) FROM result WHERE mean_ttft_ms IS NULL"),
	   "2", "as nothing");
}

/* Quotes in texts are texts. */
static void quoted(void)
{
	struct store *s = stored_open("quote.db");
	struct store_found f;
	const char *odd = "a'); DROP TABLE result; --";
	ok(stored_add(s, odd, "8", "it's \"x\"", "a", 1) == 0 &&
	       store_find(s, odd, "a", 1, &f, &why) == 1,
	   "a point of any name");
	stored_close(s);
	is(ask(scratch_path("quote.db"),
	       "SELECT \"cost_model:b.knob\" FROM point"),
	   "it's \"x\"", "an axis of any value");
}

/* Signs the study again, as the stepcost that had other columns did. */
static void sign(const char *path)
{
	static const char all[] =
	    "SELECT schema, stepcost, mode, configuration, axes, options, arms,"
	    "points, shard, shards FROM study UNION ALL SELECT * FROM (SELECT "
	    "name, type, sql, 0, 0, 0, 0, 0, 0, 0 FROM sqlite_master WHERE "
	    "name "
	    "IN ('log', 'point', 'result', 'results', 'study') ORDER BY name)";
	char hex[CELL_DIGEST], sql[100];
	struct cell_digest d;
	sqlite3 *db;
	sqlite3_stmt *st;
	if (sqlite3_open(path, &db) != SQLITE_OK ||
	    sqlite3_prepare_v2(db, all, -1, &st, NULL) != SQLITE_OK)
		bail_out(sqlite3_errmsg(db));
	cell_digest_begin(&d);
	while (sqlite3_step(st) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(st); i++)
			cell_digest_cell(&d, st, i);
	cell_digest_end(&d, hex);
	sqlite3_finalize(st);
	sqlite3_close(db);
	snprintf(sql, sizeof sql, "UPDATE study SET digest = '%s'", hex);
	stored_alter(path, sql);
}

/* A stepcost that had other figures made it. */
static void of_other_figures(void)
{
	stored_close(stored_open("older.db"));
	const char *path = scratch_path("older.db");
	stored_alter(path, "ALTER TABLE result ADD COLUMN x REAL");
	sign(path);
	struct store *s = stored_open("older.db");
	ok(stored_add(s, "p1", "8", "x", "a", 1) < 0 &&
	       why.code == EXIT_USAGE && strstr(why.text, "other figures"),
	   "%s", why.text);
	stored_close(s);
}

/* Keys of earlier builds are hex digits alone. */
static void of_earlier_builds(void)
{
	struct store_counts c = {0};
	struct store_row row = refused_row;
	struct store *s = stored_open("former.db");
	row.key = "r00ff";
	ok(store_add(s, &row, &why) == 0, "a key with its inputs");
	row.key = "000ff";
	row.seed++;
	ok(store_add(s, &row, &why) == 0, "a key without");
	ok(store_count(s, &c, &why) == 0 && c.rows == 2 && c.former == 1,
	   "one row is from before");
	stored_close(s);
}

int main(void)
{
	scratch_open();
	of_earlier_builds();
	looked_for();
	odd_status();
	replaced();
	cells();
	no_numbers();
	quoted();
	of_other_figures();
	return done();
}
