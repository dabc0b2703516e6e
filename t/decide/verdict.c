/* Each case of the verdict, with searches made by hand. */
#include "decide/verdict.h"
#include <math.h>
#include "tap.h"

enum { WAYS = 2, ARMS = 3 };
static struct verdict_search x[WAYS][ARMS];
static const char *const candidate[] = {"tp4", "tp8"};
static const char *const gpu[] = {"h100-sxm", "h200-sxm"};
static const char *const arm[] = {"operators", "roofline_v1", "mfu_interp"};
static struct verdict_of of;

/* GPUs are those of independent deployments for 10 requests/s. */
static struct verdict_search serves(double rate, double half, double gpus)
{
	return (struct verdict_search){
	    .meets = 1,
	    .rate = rate,
	    .low = rate - half,
	    .high = rate + half,
	    .gpus_low = gpus * ceil(10 / (rate + half)),
	    .gpus_high = gpus * ceil(10 / (rate - half)),
	    .usd_per_gpu = 2,
	    .tokens_per_s = 100 * rate};
}

/* Every arm: tp4 serves 6 requests/s, tp8 serves 7; 10 are asked for. */
static void fresh(size_t candidates, size_t arms)
{
	of = (struct verdict_of){.candidate = candidate,
				 .arm = arm,
				 .gpu = gpu,
				 .n_candidates = candidates,
				 .n_arms = arms,
				 .search = &x[0][0],
				 .rate = 10,
				 .margin = 0.03};
	for (size_t i = 0; i < candidates * arms; i++)
		(&x[0][0])[i] = serves(i / arms ? 7 : 6, 0.1, i / arms ? 8 : 4);
}

static struct verdict_search *at(size_t w, size_t a)
{
	return &(&x[0][0])[w * of.n_arms + a];
}

/* All sentences in a row. */
static void says(enum verdict want, const char *text, const char *what)
{
	struct decision d;
	struct problem p;
	char all[1000] = "";
	if (decide(&d, &of, &p) < 0)
		bail_out(p.text);
	for (size_t i = 0; i < d.sentences.n; i++)
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
			 i ? " " : "", d.sentences.item[i]);
	is(all, text, "%s", what);
	is(verdict_name[d.verdict], verdict_name[want], "%s: its name", what);
	decision_free(&d);
}

static const struct verdict_search failed = {
    .why_failed = "cannot price mixtures of experts"};
static const struct verdict_search meets_nothing = {
    .bound = "p99_ttft_ms", .figure = 612, .limit = 500, .usd_per_gpu = 2};

static void alike(void)
{
	fresh(2, 3);
	says(VERDICT_ALIKE, "All 3 arms choose tp4 and need 8 GPUs.",
	     "the same way and number");
	fresh(2, 2);
	says(VERDICT_ALIKE, "Both arms choose tp4 and need 8 GPUs.",
	     "of two arms");
	fresh(1, 2);
	says(VERDICT_ALIKE, "Both arms need 8 GPUs.", "of one way");
	fresh(2, 3);
	*at(0, 1) = *at(1, 1) = failed;
	says(VERDICT_ALIKE,
	     "1 of 3 arms gave no answer: roofline_v1 (cannot price mixtures "
	     "of experts). Both others choose tp4 and need 8 GPUs.",
	     "beside one that failed");
	fresh(2, 2);
	*at(0, 0) = *at(0, 1) = failed;
	says(VERDICT_ALIKE,
	     "No arm gave an answer for tp4 (cannot price mixtures of "
	     "experts). Both arms choose tp8 and need 16 GPUs.",
	     "beside a way that all failed for");
	*at(1, 1) = failed;
	says(VERDICT_ONE_ARM,
	     "No arm gave an answer for tp4 (cannot price mixtures of "
	     "experts). 1 of 2 arms gave no answer: roofline_v1 (cannot price "
	     "mixtures of experts). Only operators gave an answer: tp8, 16 "
	     "GPUs. Nothing to compare it with.",
	     "and one failed for the other, too");
	fresh(1, 2);
	at(0, 0)->fleet = at(0, 1)->fleet = "2 replicas behind random";
	says(VERDICT_ALIKE, "Both arms need 8 GPUs (2 replicas behind random).",
	     "with the router of the fleet");
	at(0, 0)->low = at(0, 0)->high = at(0, 0)->rate = NAN;
	at(0, 0)->gpus_low = 4;
	says(VERDICT_ALIKE,
	     "Both arms need 8 GPUs (2 replicas behind random). operators "
	     "cannot tell 4 from 8 GPUs. 8 are safe.",
	     "a smaller fleet that is undecided");
	fresh(2, 3);
	*at(0, 2) = serves(11, 0.1, 4);
	says(VERDICT_COUNT,
	     "All 3 arms choose \"tp4\", but not the same number of GPUs: 4 "
	     "(mfu_interp) or 8 (operators, roofline_v1).",
	     "the same way, another number");
}

static void unlike(void)
{
	fresh(2, 2);
	*at(0, 0) = serves(3, 0.1, 4);
	*at(1, 0) = serves(12, 0.1, 8);
	says(VERDICT_SHAPE,
	     "The choice depends on the cost model: tp4 (roofline_v1) or tp8 "
	     "(operators).",
	     "another way");
	*at(0, 1) = serves(6, 0.1, 4);
	*at(1, 1) = serves(10, 0.3, 8);
	*at(0, 1) = serves(9.9, 0.3, 8);
	*at(0, 1) = serves(10.4, 0.2, 8);
	says(VERDICT_UNDECIDED,
	     "tp4 and tp8 cannot be told apart: 16.00 and 16.00 to 32.00 USD/h "
	     "under roofline_v1.",
	     "another way, at prices that overlap");
	fresh(2, 2);
	*at(0, 0) = serves(5, 0.3, 4);
	*at(0, 1) = serves(5, 0.3, 4);
	*at(1, 0) = *at(1, 1) = serves(4, 0.1, 8);
	says(VERDICT_ALIKE,
	     "Both arms choose tp4 and need 12 GPUs. operators cannot tell 8 "
	     "from 12 GPUs: one deployment serves 4.7 to 5.3 requests/s. 12 "
	     "are safe. roofline_v1 cannot tell 8 from 12 GPUs: one deployment "
	     "serves 4.7 to 5.3 requests/s. 12 are safe.",
	     "an interval that straddles a whole number");
	fresh(2, 2);
	*at(1, 0) = serves(12, 0.1, 4);
	*at(1, 1) = serves(12, 0.1, 4);
	at(1, 0)->usd_per_gpu = at(1, 1)->usd_per_gpu = 0;
	says(VERDICT_ALIKE,
	     "h200-sxm has no price: judged by GPUs. Both arms choose tp8 and "
	     "need 4 GPUs.",
	     "a GPU without a price");
}

static void alone(void)
{
	fresh(2, 1);
	says(VERDICT_ONE_ARM, "operators chooses tp4: 8 GPUs.",
	     "one asked for");
	fresh(1, 1);
	says(VERDICT_ONE_ARM, "operators needs 8 GPUs.", "of one way");
	of.rate = 0;
	says(VERDICT_ONE_ARM,
	     "operators serves 6.00 (5.90 to 6.10) requests/s.", "and no rate");
	fresh(2, 1);
	*at(0, 0) = failed;
	says(VERDICT_ONE_ARM,
	     "tp4 has no answer (cannot price mixtures of experts). operators "
	     "chooses tp8: 16 GPUs.",
	     "beside a way that it cannot answer");
	fresh(2, 3);
	*at(0, 1) = *at(0, 2) = failed;
	says(VERDICT_ONE_ARM,
	     "2 of 3 arms gave no answer: roofline_v1 (cannot price mixtures "
	     "of experts), mfu_interp (cannot price mixtures of experts). Only "
	     "operators gave an answer: tp4, 8 GPUs. Nothing to compare it "
	     "with.",
	     "one left");
}

static void none(void)
{
	fresh(2, 3);
	*at(0, 1) = *at(1, 1) = meets_nothing;
	says(VERDICT_SHAPE,
	     "roofline_v1 finds no rate that meets the bounds; operators and "
	     "mfu_interp choose tp4 and need 8 GPUs.",
	     "some can, one cannot");
	fresh(2, 2);
	for (size_t i = 0; i < 4; i++)
		(&x[0][0])[i] = meets_nothing;
	at(1, 0)->figure = 550;
	says(VERDICT_NONE,
	     "No arm finds a fleet that carries 10 requests/s. Nearest: tp8 "
	     "under operators, p99_ttft_ms 550 unloaded, 500 allowed.",
	     "nobody can");
	of.rate = 0;
	at(1, 0)->at_rate = 1;
	says(VERDICT_NONE,
	     "No arm finds a rate that meets the bounds. Nearest: tp8 under "
	     "operators, p99_ttft_ms 550 at that rate, 500 allowed.",
	     "nobody can at any rate");
	for (size_t i = 0; i < 4; i++)
		(&x[0][0])[i] = failed;
	says(VERDICT_FAILED, "No arm gave an answer.", "all failed");
}

static void pairs(void)
{
	fresh(1, 2);
	of.rate = 0;
	struct verdict_pair p = {.a = 1,
				 .b = 0,
				 .is_alike = 1,
				 .is_distinguishable = 1,
				 .ratio = 1.002,
				 .low = 0.993,
				 .high = 1.011};
	of.pair = &p;
	of.n_pairs = 1;
	says(VERDICT_ALIKE, "The arms agree within 3 %.", "one way, no rate");
	p = (struct verdict_pair){.a = 1,
				  .b = 0,
				  .is_distinguishable = 1,
				  .ratio = 0.8512,
				  .low = 0.831,
				  .high = 0.872};
	says(VERDICT_COUNT,
	     "roofline_v1 serves 0.85 (0.83 to 0.87) times the rate of "
	     "operators.",
	     "that differ");
	p.is_distinguishable = 0;
	says(VERDICT_UNDECIDED,
	     "roofline_v1 and operators cannot be told apart: 0.83 to 0.87 "
	     "times the rate.",
	     "that nobody can tell apart");
}

int main(void)
{
	alike();
	unlike();
	alone();
	none();
	pairs();
	return done();
}
