/* Damaged rows: named, counted, dropped. */
#include "store/damage.h"
#include "stored.h"

static void named(void)
{
	struct damage d = {0};
	struct problem p = {0};
	damage_add(&d, "point p1");
	damage_say(&d, "x.db", "left out", &p);
	is(p.text, "x.db: 1 row is damaged and left out: point p1", "one");
	ok(p.code == EXIT_INPUT, "is wrong input");
	for (int i = 0; i < 1000; i++)
		damage_add(&d, "point p2");
	damage_say(&d, "x.db", "left out", &p);
	ok(strstr(p.text, "x.db: 1001 rows are damaged and left out: "
			  "point p1; point p2; ") &&
	       strstr(p.text, " more"),
	   "%s", p.text);
	unsigned long long more =
	    strtoull(strstr(p.text, "; and ") + 6, NULL, 10);
	ok(d.named + more == d.n, "%llu more are not named", more);
}

static void on_row(void *user, const char *row)
{
	struct damage *d = user;
	damage_add(d, row);
}

static void found_and_dropped(void)
{
	struct damage d = {0};
	uint64_t good;
	stored_alter(stored_file("x.db", &stored_study),
		     "UPDATE result SET mean_ttft_ms = 5 WHERE arm = 'a' "
		     "AND point = 'p1';"
		     "UPDATE point SET \"cost_model:b.knob\" = 1 "
		     "WHERE point = 'p2';"
		     "INSERT INTO point VALUES ('p9', 9, 9)");
	struct store *s = stored_open("x.db");
	ok(damage_find(s, on_row, &d, &good, &why) == 0 && good == 1 &&
	       d.n == 3,
	   "three of four rows are damaged");
	is(d.rows,
	   "point p1, arm a, seed 1; point p2, arm a, seed 1; "
	   "point p2, arm b, seed 1",
	   "which");
	ok(damage_drop(s, &d, &why) == 0 && d.n == 3, "they are dropped");
	struct store_counts c = {0};
	ok(store_count(s, &c, &why) == 0 && c.rows == 1 && c.points == 1,
	   "with their point, and a point that nobody names");
	ok(stored_add(s, "p2", "16", "x", "a", 20) == 0 &&
	       damage_find(s, on_row, &d, &good, &why) == 0 && good == 2,
	   "computed again, the row is good");
	ok(damage_drop(s, &d, &why) == 0 && d.n == 0, "and nothing is dropped");
	stored_close(s);
}

/* A row with a damaged name goes as well. */
static void odd_names(void)
{
	struct damage d = {0};
	stored_alter(stored_file("odd.db", &stored_study),
		     "UPDATE result SET point = x'00ff' WHERE point = 'p1' "
		     "AND arm = 'a';"
		     "UPDATE result SET seed = 'x' WHERE point = 'p1' "
		     "AND arm = 'b'");
	struct store *s = stored_open("odd.db");
	struct store_counts c = {0};
	ok(damage_drop(s, &d, &why) == 0 && d.n == 2 &&
	       store_count(s, &c, &why) == 0 && c.rows == 2,
	   "%s", d.rows);
	stored_close(s);
}

int main(void)
{
	scratch_open();
	named();
	found_and_dropped();
	odd_names();
	return done();
}
