/* Rows of measured runs: columns, numbers, flags, means and percentiles. */
#include "validate/measured/measured.h"
#include "tap.h"

static void columns(void)
{
	size_t wrong = 0;
	for (size_t i = 0; i < measured_n_columns; i++)
		for (size_t k = 0; k < i; k++)
			wrong += !strcmp(measured_column[i].name,
					 measured_column[k].name) ||
				 measured_column[i].offset ==
				     measured_column[k].offset;
	ok(wrong == 0, "%zu columns have names and fields of their own",
	   measured_n_columns);
	is(latency_name[RUN_E2EL], "e2el", "a latency has a name");
	is(statistic_name[STATISTIC_P90], "p90", "and so has a statistic");
}

static void number_is(const char *cell, double want)
{
	double v = 0;
	ok(measured_number(cell, &v) == 0 &&
	       (isnan(want) ? isnan(v) : v == want),
	   "'%s' is %g", cell, want);
}

static void numbers(void)
{
	double v;
	number_is("", (double)NAN);
	number_is("12", 12);
	number_is("-1e3", -1000);
	number_is("0.9 (default)", .9);
	number_is("1 2", 1);
	ok(measured_number("x", &v) < 0 && measured_number("1x", &v) < 0 &&
	       measured_number("1,5", &v) < 0,
	   "a text is no number");
	ok(measured_number("nan", &v) < 0 && measured_number("inf", &v) < 0 &&
	       measured_number("1e999", &v) < 0,
	   "no number is infinite");
}

static void flags(void)
{
	struct measured_row r = {0};
	char text[] = "SATURATED|GUIDELLM_TPOT_INCLUDES_TTFT|X";
	ok(!measured_has_flag(&r, "X"), "a row without flags has none");
	r.flags = text;
	ok(measured_has_flag(&r, "SATUR") && measured_has_flag(&r, "X"),
	   "a flag is found by its beginning");
	ok(!measured_has_flag(&r, "ATUR") && !measured_has_flag(&r, "XY"),
	   "not by its middle, and not by more than it is");
	ok(measured_tpot_has_first_token(&r),
	   "a flag says that TPOT counts the first token");
	text[0] = '\0';
	ok(!measured_has_flag(&r, "S") && !measured_tpot_has_first_token(&r),
	   "an empty text has no flags");
}

static void summaries(void)
{
	double v[] = {30, NAN, 10, 20, 40, NAN};
	struct measured_times t = measured_summary(v, 6);
	ok(t.of[STATISTIC_MEAN] == 25 && t.of[STATISTIC_P50] == 25,
	   "a value that was not measured does not count");
	near(t.of[STATISTIC_P90], 37, 1e-12, "percentiles are numpy's");
	near(t.of[STATISTIC_P95], 38.5, 1e-12, "the 95th too");
	near(t.of[STATISTIC_P99], 39.7, 1e-12, "the 99th too");
	double none[] = {NAN, NAN};
	t = measured_summary(none, 2);
	ok(isnan(t.of[STATISTIC_MEAN]) && isnan(t.of[STATISTIC_P99]),
	   "nothing measured has no mean");
	t = measured_summary(none, 0);
	ok(!memcmp(&t, &measured_no_times, sizeof t), "nor have no values");
}

static int is_unknown(const struct measured_row *r,
		      const struct measured_column *c)
{
	const char *at = (const char *)r + c->offset;
	double number;
	const char *text;
	memcpy(&number, at, sizeof number);
	memcpy(&text, at, sizeof text);
	return c->type == MEASURED_NUMBER ? isnan(number) != 0 : !text;
}

static void rows(void)
{
	struct measured m = {0};
	struct problem p;
	size_t unknown = 0;
	ok(measured_add_file(&m, "one.csv", &p) == 0 && measured_add(&m, &p) &&
	       measured_add_file(&m, "two.csv", &p) == 0 &&
	       measured_add(&m, &p),
	   "a row of each of two files");
	is(measured_path(&m), "two.csv", "the later file is being read");
	ok(m.n == 2 && !strcmp(m.row[0].file, "one.csv") &&
	       m.row[1].file == m.path[1],
	   "each row knows its file");
	for (size_t c = 0; c < measured_n_columns; c++)
		unknown += (size_t)is_unknown(&m.row[0], &measured_column[c]);
	ok(unknown == measured_n_columns && !m.row[0].n_requests,
	   "nothing is known of a new row");
	m.row[0].id = strdup("a");
	measured_free(&m);
	ok(m.n == 0 && !m.row && !m.path, "all is freed");
	measured_free(&m);
}

/* Percentiles of a summary that was not made of requests cannot be compared. */
static void means(void)
{
	struct measured_row row[3] = {{.is_summary = 1},
				      {.is_summary = 1, .n_lengths = 2},
				      {.is_summary = 0}};
	struct measured m = {.row = row, .n = 3};
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < N_RUN_LATENCIES; k++)
			row[i].time[k] =
			    (struct measured_times){{1, 2, 3, 4, 5}};
	ok(measured_keep_means(&m) == 1 &&
	       row[0].time[RUN_TPOT].of[STATISTIC_MEAN] == 1 &&
	       isnan(row[0].time[RUN_TPOT].of[STATISTIC_P50]) &&
	       isnan(row[0].time[RUN_E2EL].of[STATISTIC_P99]),
	   "of a summary the means are kept");
	ok(row[1].time[RUN_TTFT].of[STATISTIC_P99] == 5 &&
	       row[2].time[RUN_TTFT].of[STATISTIC_P50] == 2,
	   "of requests and of known lengths all figures");
}

int main(void)
{
	means();
	columns();
	numbers();
	flags();
	summaries();
	rows();
	return done();
}
