/* compared.c -- A table of one run as document, CSV and JSON. */
#include "report/validation/compared.h"
#include "document_asked.h"
#include "tap.h"

static const struct compared_figure figure[] = {
    {"mean_ttft_ms", 50, 50, 45, -0.1, 40, 55},
    {"p99_ttft_ms", 250, 500, 300, 0, NAN, NAN},
    {"p99_e2el_ms", 1000, INFINITY, 800, -0.2, NAN, NAN},
    {"mean_itl_ms", 5, 5, 9, 0.8, 8, 10},
    {"mean_queueing_ms", 0, 0, 1, NAN, NAN, NAN},
};

static char *text;
static size_t size;

static FILE *begin(void)
{
	free(text);
	return open_memstream(&text, &size);
}

static void has(const char *part)
{
	if (!ok(strstr(text, part), "%s", part))
		printf("# in: %s\n", text);
}

static struct document d;

static void table(const struct compared *c, size_t n)
{
	document_free(&d);
	d.in = IN_DETAILS;
	compared_answer(c, n, &d);
	compared_table(c, n, &d);
}

static void cell(size_t row, size_t at, const char *want)
{
	const struct columns *c = document_find(&d, "metric");
	const char *got = columns_at(c, row)[at].text;
	is(got ? got : "(none)", want, "row %zu, cell %zu", row, at);
}

/* A line for each arm; a figure that the first arm lacks is last. */
static void two_arms(void)
{
	const struct compared c[] = {{"near", figure, 1},
				     {"far_away", figure, 2}};
	table(c, 2);
	ok(document_find(&d, "metric")->n_rows == 4, "three rows");
	cell(1, 1, "near"), cell(1, 2, "50"), cell(1, 4, "-10.0 %");
	cell(2, 0, "mean_ttft_ms"), cell(2, 1, "far_away");
	cell(3, 0, "p99_ttft_ms"), cell(3, 1, "far_away");
}

int main(void)
{
	struct compared c = {"an_arm", figure, 5};
	struct jw j;
	table(&c, 1);
	cell(1, 5, "40 to 55"), cell(1, 6, "yes");
	cell(2, 2, "250 to 500"), cell(2, 4, "in range");
	cell(3, 2, "above 1000"), cell(3, 4, "-20.0 %"), cell(3, 6, "no");
	cell(5, 4, "-"), cell(5, 6, "-");
	ok(document_says(&d, IN_SHORT, "2 of 4 measured figures lie within"),
	   "how many lie within");
	two_arms();
	d.in = IN_SHORT;
	compared_table(&c, 1, &d);
	ok(!document_says(&d, IN_SHORT, "p99_ttft_ms") &&
	       document_says(&d, IN_SHORT, "mean_itl_ms"),
	   "a short text has means alone");
	document_free(&d);
	FILE *f = begin();
	compared_csv(&c, 1, f), fclose(f);
	has("an_arm,mean_ttft_ms,50,50,45,-0.1,40,55,1\n");
	has("an_arm,p99_e2el_ms,1000,,800,-0.2,,,0\n");
	has("an_arm,mean_queueing_ms,0,0,1,,,,\n");
	f = begin();
	jw_start(&j, f), compared_json(&c, &j), jw_finish(&j), fclose(f);
	has("\"p99_ttft_ms\": {\"measured_low\": 250, \"measured_high\": 500");
	has("\"within\": null");
	ok(compared_within(&figure[0]) == 1 &&
	       compared_within(&figure[1]) == 1 &&
	       compared_within(&figure[2]) == 0 &&
	       compared_within(&figure[3]) == 0 &&
	       compared_within(&figure[4]) == -1,
	   "within");
	free(text);
	return done();
}
