/* Stores of shards put together: all rows, or nothing and why. */
#include "store/merge.h"
#include "store/reader.h"
#include "stored.h"

static struct store_study shard_of(int64_t i, int64_t n)
{
	struct store_study x = stored_study;
	x.shard = i, x.shards = n;
	return x;
}

/* Shard i of 2 with one row of its own, of that value. */
static const char *shard(const char *name, int64_t i, double value)
{
	const struct store_study x = shard_of(i, 2);
	struct store *s = stored_open_as(name, &x);
	if (stored_add(s, i ? "p1" : "p0", i ? "16" : "8", "x", "a", value) < 0)
		bail_out(why.text);
	stored_close(s);
	return scratch_path(name);
}

static int merge(const char *out, const char *a, const char *b,
		 struct merge_result *r)
{
	const char *const in[] = {a, b};
	why = (struct problem){0};
	return store_merge(out, in, b ? 2 : 1, r, &why);
}

static void refused(const char *a, const char *b, int code, const char *want)
{
	struct merge_result r;
	const char *out = scratch_path("none.db");
	int rc = merge(out, a, b, &r);
	if (!ok(rc < 0 && why.code == code && strstr(why.text, want), "%s",
		want))
		printf("# got %d %s\n", why.code, why.text);
	ok(access(out, F_OK) < 0, "and nothing was written");
}

static void together(const char *a, const char *b)
{
	struct merge_result r = {0};
	struct store_counts c = {0};
	struct store_found f;
	const char *out = scratch_path("all.db");
	ok(merge(out, b, a, &r) == 0, "in any order: %s", why.text);
	ok(r.points == 2 && r.planned == 4, "two of four points are there");
	struct store *s = store_open(out, STORE_READ, &why);
	if (!ok(s != NULL, "it is a store: %s", why.text))
		return;
	ok(store_study(s)->shards == 0 && store_study(s)->points == 4,
	   "and no shard any more");
	ok(store_count(s, &c, &why) == 0 && c.rows == 2 &&
	       store_find(s, "p0", "a", 1, &f, &why) == 1 &&
	       store_find(s, "p1", "a", 1, &f, &why) == 1,
	   "it has the rows of both");
	store_close(s, NULL);
	ok(merge(out, a, b, &r) == 0 && r.points == 2,
	   "the same again changes nothing: %s", why.text);
	s = store_open(a, STORE_READ, &why);
	ok(s && store_count(s, &c, &why) == 0 && c.rows == 1 &&
	       store_study(s)->shards == 2,
	   "a shard stays as it is");
	if (s)
		store_close(s, NULL);
}

/* Of two copies of a study the rows of the later one count. */
static void later_wins(void)
{
	struct store_study x = stored_study;
	struct merge_result r;
	struct store_found f = {.status = N_STATUS};
	stored_file("first.db", &x);
	stored_file("second.db", &x);
	struct store *s = stored_open("second.db");
	const struct store_row row = {.point = "p1",
				      .axis = (const char *const[]){"8", "x"},
				      .arm = "a",
				      .seed = 1,
				      .key = "new",
				      .status = STATUS_FAILED,
				      .host = "host"};
	if (store_add(s, &row, &why) < 0)
		bail_out(why.text);
	stored_close(s);
	ok(merge(scratch_path("copy.db"), scratch_path("first.db"),
		 scratch_path("second.db"), &r) == 0 &&
	       r.points == 2,
	   "copies of one study: %s", why.text);
	s = store_open(scratch_path("copy.db"), STORE_READ, &why);
	ok(s && store_find(s, "p1", "a", 1, &f, &why) == 1 &&
	       !strcmp(f.key, "new") && f.status == STATUS_FAILED,
	   "the later row takes the place of the earlier one");
	if (s)
		store_close(s, NULL);
}

/* If one store cannot be copied, the rows of the stores before it go, too. */
static void halfway(const char *a)
{
	struct merge_result r;
	char b[400];
	const struct store_study second = shard_of(1, 2);
	snprintf(b, sizeof b, "%s", stored_without_digests("b.db", &second));
	stored_alter(b, "DROP TABLE log");
	refused(a, b, EXIT_USAGE, "no such table: log");
	const char *out = scratch_path("had_one.db");
	ok(merge(out, a, shard("1_too.db", 1, 2), &r) == 0, "a store");
	stored_alter(out, "DELETE FROM result");
	struct store_counts c = {.rows = 9};
	ok(merge(out, a, b, &r) < 0, "which the next does not complete");
	struct store *s = store_open(out, STORE_READ, &why);
	ok(s && store_count(s, &c, &why) == 0 && c.rows == 0,
	   "and no row came of the first");
	if (s)
		store_close(s, NULL);
}

/* A damaged row is not copied, and named; the others are. */
static void damaged(void)
{
	struct merge_result r = {0};
	struct store_counts c = {0};
	char a[400];
	snprintf(a, sizeof a, "%s", stored_file("bad.db", &stored_study));
	stored_alter(a, "UPDATE result SET mean_ttft_ms = 3 WHERE arm = 'a' "
			"AND point = 'p2'");
	const char *out = scratch_path("mended.db");
	ok(merge(out, a, NULL, &r) == 0 && r.damaged.n == 1 &&
	       strstr(r.damaged.item[0], a) &&
	       strstr(r.damaged.item[0], "point p2, arm a, seed 1"),
	   "%s", r.damaged.n ? r.damaged.item[0] : why.text);
	names_free(&r.damaged);
	struct store *s = store_open(out, STORE_READ, &why);
	ok(s && store_count(s, &c, &why) == 0 && c.rows == 3, "three of four");
	if (s)
		store_close(s, NULL);
	stored_alter(out, "UPDATE point SET \"cost_model:b.knob\" = 'z'");
	ok(merge(out, out, NULL, &r) < 0, "not into itself");
	names_free(&r.damaged);
	ok(merge(out, stored_file("good.db", &stored_study), NULL, &r) == 0 &&
	       r.damaged.n == 1 && strstr(r.damaged.item[0], "dropped"),
	   "%s", r.damaged.n ? r.damaged.item[0] : why.text);
	names_free(&r.damaged);
	s = store_open(out, STORE_READ, &why);
	ok(s && store_count(s, &c, &why) == 0 && c.rows == 4, "all of them");
	if (s)
		store_close(s, NULL);
}

/* Rows of a store without digests get them, and cells find their columns. */
static void older(void)
{
	struct merge_result r;
	struct store_counts c = {0};
	ok(merge(scratch_path("signed.db"),
		 stored_without_digests("older.db", &stored_study), NULL,
		 &r) == 0 &&
	       r.without_digests == 1 && r.damaged.n == 0,
	   "a store without digests: %s", why.text);
	struct store *s =
	    store_open(scratch_path("signed.db"), STORE_READ, &why);
	ok(s && store_has_digests(s) && store_count(s, &c, &why) == 0 &&
	       c.rows == 4,
	   "has them now");
	if (s)
		store_close(s, NULL);
}

static void turned_axes(void)
{
	static const char *const turned[] = {"cost_model:b.knob",
					     "engine.max_num_seqs"};
	struct merge_result r;
	struct store *s =
	    store_open(scratch_path("turned.db"), STORE_WRITE, &why);
	if (!s || store_begin(s, &stored_study, turned, 2, &why) < 0)
		bail_out(why.text);
	stored_close(s);
	ok(merge(scratch_path("turned.db"),
		 stored_file("straight.db", &stored_study), NULL, &r) == 0 &&
	       r.damaged.n == 0,
	   "axes in another order: %s", why.text);
	s = store_open(scratch_path("turned.db"), STORE_READ, &why);
	struct reader *of =
	    s ? reader_open(s, "max_num_seqs == 8 and knob == \"x\"", NULL,
			    &why)
	      : NULL;
	int n = 0;
	while (of && reader_next(of, &why) == 1)
		n++;
	ok(n == 2 && reader_damage(of)->n == 0,
	   "each value is on its own axis");
	reader_close(of);
	if (s)
		store_close(s, NULL);
}

static void different(const char *a)
{
	struct store_study x = shard_of(1, 2);
	x.configuration = "[engine]\nmax_num_seqs = 9\n";
	refused(a, stored_file("other.db", &x), EXIT_USAGE,
		"configuration: 'max_num_seqs = 8' and 'max_num_seqs = 9'");
	x = shard_of(1, 2);
	x.stepcost = "2.0";
	refused(a, stored_file("newer.db", &x), EXIT_USAGE,
		"version of stepcost: '1.0' and '2.0'");
	x = shard_of(1, 3);
	refused(a, stored_file("third.db", &x), EXIT_USAGE,
		"number of shards: '2' and '3'");
	x = shard_of(1, 2);
	x.options = "{}{}";
	refused(a, stored_file("options.db", &x), EXIT_USAGE,
		"options: '{}' and '{}{}'");
	char all[400], long_line[200], want[400];
	memset(long_line, 'x', sizeof long_line);
	long_line[199] = '\0';
	snprintf(all, sizeof all, "%s%s", stored_study.configuration,
		 long_line);
	x = shard_of(1, 2);
	x.configuration = all;
	const char *y = stored_file("long.db", &x);
	snprintf(want, sizeof want, "configuration: '%.150s' and ''",
		 long_line);
	refused(y, a, EXIT_USAGE, want);
	snprintf(want, sizeof want, "configuration: '' and '%.150s'",
		 long_line);
	refused(a, y, EXIT_USAGE, want);
	x = shard_of(1, 2);
	x.arms = "a,b";
	refused(a, stored_file("arms.db", &x), EXIT_USAGE,
		"arms: 'b,a' and 'a,b'");
}

/* Stores of earlier builds may lack a figure; a log has its columns. */
static void other_columns(void)
{
	struct merge_result r;
	struct store_counts c = {0};
	char path[400];
	snprintf(path, sizeof path, "%s",
		 stored_without_digests("fewer.db", &stored_study));
	stored_alter(path, "DROP VIEW results;"
			   "ALTER TABLE result DROP COLUMN mean_ttft_ms;"
			   "ALTER TABLE log ADD COLUMN more");
	const char *out = scratch_path("filled.db");
	ok(merge(out, path, NULL, &r) == 0, "a figure less: %s", why.text);
	struct store *s = store_open(out, STORE_READ, &why);
	struct reader *of = s ? reader_open(s, NULL, NULL, &why) : NULL;
	long at = of ? reader_column(of, "mean_ttft_ms", &why) : -1;
	ok(at >= 0 && reader_next(of, &why) == 1 &&
	       isnan(reader_cell(of, (size_t)at)->number) &&
	       store_count(s, &c, &why) == 0 && c.rows == 4,
	   "is an empty cell: %s", why.text);
	reader_close(of);
	if (s)
		store_close(s, NULL);
	stored_alter(path, "ALTER TABLE log DROP COLUMN host");
	ok(merge(out, path, NULL, &r) < 0 && why.code == EXIT_USAGE &&
	       strstr(why.text, "no such column: host"),
	   "%s", why.text);
	ok(merge(out, scratch_path("absent.db"), NULL, &r) < 0 &&
	       strstr(why.text, "No such file"),
	   "%s", why.text);
}

/* Missing shards are listed as far as there is room. */
static void missing(void)
{
	struct store_study x = shard_of(1, 3);
	refused(stored_file("1of3.db", &x), NULL, EXIT_USAGE,
		"of 3 shards there are some missing: 0, 2");
	x = shard_of(0, 200);
	refused(stored_file("0of200.db", &x), NULL, EXIT_USAGE,
		"are some missing: 1, 2, 3");
	ok(strlen(why.text) < 500 && !strstr(why.text, "199"),
	   "not all of them: %zu characters", strlen(why.text));
}

int main(void)
{
	scratch_open();
	char a[400], b[400];
	snprintf(a, sizeof a, "%s", shard("0.db", 0, 1));
	snprintf(b, sizeof b, "%s", shard("1.db", 1, 2));
	together(a, b);
	later_wins();
	damaged();
	older();
	turned_axes();
	different(a);
	other_columns();
	missing();
	halfway(a);
	refused(a, NULL, EXIT_USAGE, "of 2 shards there is one missing: 1");
	refused(a, scratch_path("absent.db"), EXIT_USAGE, "No such file");
	refused(a, scratch_file("text.db", "no database"), EXIT_INPUT,
		"not a store");
	struct merge_result r;
	ok(merge(a, a, b, &r) < 0 && why.code == EXIT_USAGE &&
	       strstr(why.text, "is one of the stores to merge"),
	   "%s", why.text);
	ok(merge(a, b, "/proc/version", &r) < 0 &&
	       strstr(why.text, "/proc/version: "),
	   "a file of another file system is no store: %s", why.text);
	return done();
}
