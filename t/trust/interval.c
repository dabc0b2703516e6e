/* Intervals by hand: order statistics of residuals, group by group. */
#include "trust/interval.h"
#include "tap.h"

static struct scored scored;
static struct trust_place at = {
    .gpu_family = "H100", .model_class = "dense", .weight_format = "bf16"};

/* measured / predicted = exp(i / 100), i = 1 ... n. */
static void add(int n, const char *family, const char *class, const char *fold)
{
	struct scored_row x = {.source_row = (char *)"r",
			       .metric = (char *)"mean_tpot_ms",
			       .fold = (char *)fold,
			       .at = at,
			       .predicted = 10};
	snprintf(x.at.gpu_family, sizeof x.at.gpu_family, "%s", family);
	snprintf(x.at.model_class, sizeof x.at.model_class, "%s", class);
	for (int i = 1; i <= n; i++) {
		x.measured = 10 * exp(i / 100.0);
		if (scored_add(&scored, &x) < 0)
			bail_out("out of memory");
	}
}

static struct trust_interval asked(double coverage, int extrapolated,
				   const char *without)
{
	return trust_interval_of(
	    &(struct interval_of){.scored = &scored,
				  .at = &at,
				  .metric = "mean_tpot_ms",
				  .coverage = coverage,
				  .extrapolated = extrapolated,
				  .without_fold = without});
}

static void ends(void)
{
	struct trust_interval x;
	add(19, "H100", "dense", "a");
	x = asked(.9, 0, NULL);
	ok(x.n == 0, "19 rows: none");
	scored_free(&scored);
	add(20, "H100", "dense", "a");
	x = asked(.9, 0, NULL);
	/* The median is 10.5; distances .5 .5 1.5 1.5 ...: the 19th is 9.5. */
	near(log(x.low), .01, 1e-12, "20 rows: symmetric around the median");
	near(log(x.high), .20, 1e-12, "the 19th smallest distance");
	is(x.group, "dense bf16 on H100", "the group is named");
	scored_free(&scored);
	add(60, "H100", "dense", "a");
	x = asked(.9, 0, NULL);
	near(log(x.low), .03, 1e-12, "60 rows: the 3rd residual");
	near(log(x.high), .58, 1e-12, "and the 58th");
	x = asked(.5, 0, NULL);
	near(log(x.low), .15, 1e-12, "half of them: from the 15th");
	near(log(x.high), .46, 1e-12, "to the 46th");
}

static void groups(void)
{
	struct trust_interval x;
	scored_free(&scored);
	add(12, "H100", "dense", "a");
	add(12, "A100", "dense", "b");
	x = asked(.9, 0, NULL);
	ok(x.n == 24 && !strcmp(x.group, "dense bf16"),
	   "a group too small: the next wider one");
	add(10, "H100", "dense", "a");
	x = asked(.9, 0, NULL);
	ok(x.n == 22 && !strcmp(x.group, "dense bf16 on H100"),
	   "the most specific that is large enough");
	x = asked(.9, 1, NULL);
	ok(x.n == 34 && !strcmp(x.group, "dense bf16"),
	   "an extrapolated place takes the next wider one");
	x = asked(.9, 0, "a");
	ok(x.n == 0, "without a fold");
	add(30, "B200", "moe", "c");
	x = asked(.9, 0, "a");
	ok(x.n == 42 && !strcmp(x.group, "all"), "all");
	x = asked(.9, 1, "a");
	ok(x.n == 42, "there is none wider");
}

int main(void)
{
	ends();
	groups();
	scored_free(&scored);
	return done();
}
