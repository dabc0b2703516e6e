/* The results of a store, row by row: in order, chosen, sorted. */
#include "store/reader.h"
#include <math.h>
#include "stored.h"

static struct store *s;

/* "p1/a p1/b ...": the rows that a reader gives, or why it gives none. */
static const char *order(const char *where, const char *sort)
{
	static char text[400];
	size_t n = 0;
	int rc = 0;
	char buf[32];
	why = (struct problem){0};
	struct reader *r = reader_open(s, where, sort, &why);
	text[0] = '\0';
	while (r && (rc = reader_next(r, &why)) == 1) {
		long arm = reader_column(r, "arm", &why);
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s/",
				      n ? " " : "", reader_text(r, 0, buf));
		n += (size_t)snprintf(text + n, sizeof text - n, "%s",
				      reader_text(r, (size_t)arm, buf));
	}
	reader_close(r);
	return !r || rc < 0 ? why.text : text;
}

static void in_order(void)
{
	is(order(NULL, NULL), "p1/b p1/a p2/b p2/a",
	   "by the axes as numbers, then by the arms of the study");
	is(order(NULL, "mean_ttft_ms"), "p1/b p2/b p1/a p2/a", "by a figure");
	is(order(NULL, "-mean_ttft_ms"), "p2/a p1/a p2/b p1/b",
	   "by it, the largest first");
	is(order(NULL, "-max_num_seqs"), "p2/b p2/a p1/b p1/a",
	   "by an axis, which needs its key alone");
	is(order("arm == \"a\" and mean_ttft_ms > 10", NULL), "p2/a",
	   "those that a condition chooses");
	is(order("0", NULL), "", "none at all");
}

static void unknown(void)
{
	struct store *former = s;
	struct store_study study = stored_study;
	study.arms = "";
	s = stored_open_as("unknown.db", &study);
	if (stored_add(s, "p1", "8", "x", "b", 1) < 0 ||
	    stored_add(s, "p1", "8", "x", "a", NAN) < 0)
		bail_out(why.text);
	is(order(NULL, NULL), "p1/a p1/b",
	   "arms that the study does not name are in order of their names");
	is(order("mean_ttft_ms", NULL), "p1/b",
	   "a figure that is not known chooses no row");
	stored_close(s);
	s = former;
}

static void chosen(void)
{
	static const unsigned char which[] = {0, 1, 1};
	struct reader *r = reader_open(
	    s, "not (point == \"p1\" and arm == \"b\")", NULL, &why);
	char buf[32];
	reader_choose(r, which);
	for (int pass = 0; pass < 2; pass++) {
		ok(reader_next(r, &why) == 1 &&
		       !strcmp(reader_text(r, 0, buf), "p2"),
		   "the first of three rows is skipped");
		ok(reader_next(r, &why) == 1 && reader_next(r, &why) == 0,
		   "and two are left");
	}
	reader_choose(r, NULL);
	ok(reader_next(r, &why) == 1 && !strcmp(reader_text(r, 0, buf), "p1"),
	   "none is skipped any more");
	reader_close(r);
}

static void refused(void)
{
	ok(strstr(order("mean_ttt_ms > 1", NULL), "did you mean"), "%s",
	   why.text);
	ok(why.code == EXIT_USAGE, "a column that is not there");
	ok(strstr(order(NULL, "-nothing"), "no column 'nothing'") &&
	       why.code == EXIT_USAGE,
	   "%s", why.text);
	ok(strstr(order("arm", NULL), "must be a comparison") &&
	       why.code == EXIT_USAGE,
	   "%s", why.text);
	ok(strstr(order("1 +", NULL), "--where") && why.code == EXIT_USAGE,
	   "%s", why.text);
}

static void columns(void)
{
	struct reader *r = reader_open(s, NULL, NULL, &why);
	if (!r)
		bail_out(why.text);
	size_t n = reader_n_columns(r);
	ok(n == 1 + 2 + 5 + store_n_texts(STORE_RUN) +
		    store_n_numbers(STORE_RUN),
	   "point, axes, arm to warning, texts and numbers");
	is(reader_head(r, 0)->name, "point", "the first");
	ok(reader_head(r, 0)->role == READER_POINT &&
	       reader_head(r, 1)->role == READER_AXIS &&
	       reader_head(r, 3)->role == READER_ARM &&
	       reader_head(r, 4)->role == READER_SEED &&
	       reader_head(r, 5)->role == READER_STATUS &&
	       reader_head(r, 6)->role == READER_ERROR &&
	       reader_head(r, 7)->role == READER_TEXT &&
	       reader_head(r, n - 1)->role == READER_NUMBER,
	   "each has its role");
	long ttft = reader_column(r, "p99_ttft_ms", &why);
	ok(ttft > 0 && reader_head(r, (size_t)ttft)->is.is_tail &&
	       reader_head(r, (size_t)ttft)->is.better == -1,
	   "of a number it is known what it is");
	ok(reader_column(r, "engine.max_num_seqs", &why) == 1 &&
	       reader_column(r, "max_num_seqs", &why) == 1,
	   "an axis by its name, and by its key");
	ok(reader_column(r, "b.knob", &why) == 2 &&
	       reader_column(r, "knob", &why) == 2,
	   "that of an arm too");
	reader_close(r);
}

static void cells(void)
{
	char buf[32];
	struct reader *r = reader_open(s, "point == \"p1\"", NULL, &why);
	if (!r)
		bail_out(why.text);
	ok(reader_next(r, &why) == 1, "a row");
	size_t figure = (size_t)reader_column(r, "mean_e2el_ms", &why);
	ok(reader_cell(r, 1)->number == 8 && !reader_cell(r, 1)->text,
	   "an axis that is a number");
	is(reader_text(r, 1, buf), "8", "as a text");
	is(reader_cell(r, 2)->text, "x", "an axis that is a text");
	ok(reader_cell(r, 6)->text == NULL && isnan(reader_cell(r, 6)->number),
	   "no error is there");
	is(reader_text(r, 6, buf), "", "as a text it is empty");
	ok(reader_cell(r, figure)->number == 1, "a figure");
	ok(reader_next(r, &why) == 1 && reader_cell(r, figure)->number == 10,
	   "that of the next row");
	ok(reader_next(r, &why) == 0, "there are no more");
	ok(reader_next(r, &why) == 1 && reader_cell(r, figure)->number == 1,
	   "and it begins again");
	reader_close(r);
}

/* Rows without the figure come last, whichever way it is sorted. */
static void nothing_last(void)
{
	s = stored_open("nothing.db");
	stored_add(s, "p1", "8", "x", "a", (double)NAN);
	stored_add(s, "p2", "9", "x", "a", 1);
	stored_add(s, "p3", "10", "x", "a", 2);
	stored_close(s);
	s = store_open(scratch_path("nothing.db"), STORE_READ, &why);
	is(order(NULL, "mean_ttft_ms"), "p2/a p3/a p1/a", "ascending");
	is(order(NULL, "-mean_ttft_ms"), "p3/a p2/a p1/a", "descending");
	is(order("mean_ttft_ms < 5", NULL), "p2/a p3/a",
	   "nothing is not less than anything");
	store_close(s, NULL);
}

/* "key" is of two axes, "a.key" of one. */
static void of_two_axes(void)
{
	static const char *const axis[] = {"cost_model:a.key",
					   "cost_model:b.key"};
	struct store *two =
	    store_open(scratch_path("two.db"), STORE_WRITE, &why);
	if (!two || store_begin(two, &stored_study, axis, 2, &why) < 0)
		bail_out(why.text);
	struct reader *r = reader_open(two, NULL, NULL, &why);
	ok(r && reader_column(r, "key", &why) < 0 && why.code == EXIT_USAGE &&
	       strstr(why.text, "more than one column 'key'"),
	   "%s", why.text);
	ok(r && reader_column(r, "b.key", &why) == 2, "an arm's own");
	reader_close(r);
	stored_close(two);
}

/* An earlier stepcost, without digests, had other columns. */
static int alter(const char *name, const char *sql)
{
	stored_alter(stored_without_digests(name, &stored_study), sql);
	s = store_open(scratch_path(name), STORE_READ, &why);
	return s != NULL;
}

static void of_other_figures(void)
{
	struct reader *r;
	ok(alter("more.db", "ALTER TABLE result ADD COLUMN novel REAL"),
	   "a store of a later stepcost opens");
	r = reader_open(s, NULL, NULL, &why);
	ok(!r && why.code == EXIT_INPUT, "and is not read: %s", why.text);
	store_close(s, NULL);
	ok(alter("less.db", "DROP VIEW results;"
			    "ALTER TABLE result DROP COLUMN mean_tpot_ms"),
	   "one from before a figure was there opens");
	r = reader_open(s, NULL, NULL, &why);
	ok(r &&
	       reader_n_columns(r) == 1 + 2 + 5 + store_n_texts(STORE_RUN) +
					  store_n_numbers(STORE_RUN) - 1 &&
	       reader_column(r, "mean_ttft_ms", &why) > 0 &&
	       reader_column(r, "mean_tpot_ms", &why) < 0,
	   "and is read without it");
	reader_close(r);
	store_close(s, NULL);
}

static void of_former_name(void)
{
	struct store_study study = stored_study;
	study.mode = STORE_CAPACITY;
	stored_alter(
	    stored_without_digests("former.db", &study),
	    "ALTER TABLE result RENAME COLUMN limited_by TO broken_by");
	s = store_open(scratch_path("former.db"), STORE_READ, &why);
	struct reader *r = s ? reader_open(s, NULL, NULL, &why) : NULL;
	ok(r && reader_column(r, "limited_by", &why) > 0,
	   "a column that was renamed has its new name: %s", why.text);
	reader_close(r);
	store_close(s, NULL);
}

/* A damaged row is left out of every pass, and named. */
static void damaged(void)
{
	int n[2] = {0};
	stored_alter(stored_file("bad.db", &stored_study),
		     "UPDATE result SET mean_ttft_ms = 11 "
		     "WHERE point = 'p1' AND arm = 'a'");
	s = store_open(scratch_path("bad.db"), STORE_READ, &why);
	struct reader *r =
	    s ? reader_open(s, "mean_ttft_ms > 1", NULL, &why) : NULL;
	if (!r)
		bail_out(why.text);
	for (int pass = 0; pass < 2; pass++) {
		while (reader_next(r, &why) == 1)
			n[pass]++;
		ok(reader_damage(r)->n == 1, "one row is damaged");
		is(reader_damage(r)->rows, "point p1, arm a, seed 1", "which");
	}
	ok(n[0] == 2 && n[1] == 2, "the others are there");
	reader_close(r);
	store_close(s, NULL);
}

/* The name of an arm is a text of SQL, whatever it is. */
static void odd_arm(void)
{
	struct store_study x = stored_study;
	x.arms = "it's,a";
	s = stored_open_as("arm.db", &x);
	stored_add(s, "p1", "8", "x", "a", 1);
	stored_add(s, "p1", "8", "x", "it's", 1);
	stored_close(s);
	s = store_open(scratch_path("arm.db"), STORE_READ, &why);
	is(order(NULL, NULL), "p1/it's p1/a", "in the order of the study");
	store_close(s, NULL);
}

int main(void)
{
	scratch_open();
	reader_close(NULL);
	s = store_open(stored_file("r.db", &stored_study), STORE_READ, &why);
	if (!s)
		bail_out(why.text);
	in_order();
	unknown();
	chosen();
	refused();
	columns();
	cells();
	store_close(s, NULL);
	nothing_last();
	of_two_axes();
	of_other_figures();
	of_former_name();
	damaged();
	odd_arm();
	return done();
}
