/* compared.c -- A table of one run as text, CSV and JSON. */
#include "report/validation/compared.h"
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

/* A line for each arm; a figure that the first arm lacks is last. */
static void two_arms(void)
{
	const struct compared c[] = {{"near", figure, 1},
				     {"far_away", figure, 2}};
	FILE *f = begin();
	compared_text(c, 2, f), fclose(f);
	has("\nmean_ttft_ms  near              50         45   -10.0 %");
	has("\nmean_ttft_ms  far_away          50         45   -10.0 %");
	has("\np99_ttft_ms   far_away");
	ok(!strstr(text, "p99_ttft_ms   near"), "which the other lacks");
}

int main(void)
{
	struct compared c = {"an_arm", figure, 5};
	struct jw j;
	FILE *f = begin();
	compared_text(&c, 1, f), fclose(f);
	has("an_arm");
	has("250 to 500        300  in range");
	has("above 1000        800   -20.0 %");
	has("      40 to 55     yes");
	two_arms();
	f = begin();
	compared_csv_head(f), compared_csv(&c, f), fclose(f);
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
