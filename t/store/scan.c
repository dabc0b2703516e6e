/* All rows of a store, each with the word whether it is as it was written. */
#include "store/scan.h"
#include "stored.h"

/* Opens a copy of the store that was altered by those statements. */
static struct store *altered(const char *sql)
{
	unlink(scratch_path("x.db"));
	stored_alter(stored_file("x.db", &stored_study), sql);
	struct store *s = store_open(scratch_path("x.db"), STORE_READ, &why);
	if (!s)
		bail_out(why.text);
	return s;
}

static void counted(const char *sql, int good, int damaged)
{
	struct store *s = altered(sql);
	struct scan x;
	int n[2] = {0}, rc = scan_open(&x, s, NULL, &why);
	enum scan_found found = SCAN_FAILED;
	while (rc == 0 && (found = scan_next(&x, &why)) > SCAN_END)
		n[found == SCAN_DAMAGED]++;
	if (!ok(found == SCAN_END && n[0] == good && n[1] == damaged, "%s",
		sql))
		printf("# %d good, %d damaged\n", n[0], n[1]);
	scan_close(&x);
	store_close(s, NULL);
}

static void each_cell(void)
{
	counted("SELECT 1", 4, 0);
	counted("UPDATE result SET mean_ttft_ms = mean_ttft_ms * 1.0000001 "
		"WHERE point = 'p1'",
		2, 2);
	counted("UPDATE result SET mean_ttft_ms = NULL WHERE point = 'p1'", 2,
		2);
	counted("UPDATE result SET status = 'failed'", 0, 4);
	counted("UPDATE result SET error = 'e' WHERE arm = 'a'", 2, 2);
	counted("UPDATE result SET warning = '' WHERE arm = 'a'", 2, 2);
	counted("UPDATE result SET saturation = 'Stable' WHERE arm = 'a'", 2,
		2);
	counted("UPDATE result SET key = 'kez' WHERE arm = 'a'", 2, 2);
	counted("UPDATE result SET seed = 2 WHERE arm = 'a'", 2, 2);
	counted("UPDATE result SET arm = 'c' WHERE arm = 'a'", 2, 2);
	counted("UPDATE result SET digest = 'x' WHERE arm = 'a'", 2, 2);
	counted("UPDATE result SET digest = x'00' WHERE arm = 'a'", 2, 2);
	counted("UPDATE point SET \"engine.max_num_seqs\" = 9 "
		"WHERE point = 'p1'",
		2, 2);
	counted("UPDATE point SET \"engine.max_num_seqs\" = 8.5 "
		"WHERE point = 'p1'",
		2, 2);
	counted("UPDATE point SET point = 'p3' WHERE point = 'p1'", 2, 2);
	counted("DELETE FROM point", 0, 4);
}

static void columns(void)
{
	struct store *s = altered("DELETE FROM result WHERE point = 'p1'");
	struct scan x;
	char name[SCAN_NAME];
	if (scan_open(&x, s, "arm", &why) < 0)
		bail_out(why.text);
	is(sqlite3_column_name(x.rows, 0), "point", "the first column");
	is(sqlite3_column_name(x.rows, 2), stored_axis[1], "an axis");
	is(sqlite3_column_name(x.rows, x.n), "key", "behind the columns");
	ok(scan_next(&x, &why) == SCAN_GOOD, "a row, in that order");
	is(scan_name(&x, name), "point p2, arm a, seed 1", "its name");
	ok(scan_next(&x, &why) == SCAN_GOOD &&
	       scan_next(&x, &why) == SCAN_END &&
	       scan_next(&x, &why) == SCAN_GOOD,
	   "after the last one it begins again");
	scan_close(&x);
	ok(scan_open(&x, s, "nonsense", &why) < 0, "no column: %s", why.text);
	scan_close(&x);
	store_close(s, NULL);
}

int main(void)
{
	scratch_open();
	each_cell();
	columns();
	return done();
}
