/* Which way to serve costs least, by hand. */
#include "decide/choice.h"
#include "tap.h"

enum { WAYS = 2, ARMS = 1 };
static struct verdict_search x[WAYS * ARMS];
static const char *const name[] = {"one", "four"};
static struct verdict_of of;

/* Way 0: one GPU at 3 USD/h; way 1: four at 1 USD/h, of three times the
 * capacity, known to a tenth. */
static void fresh(void)
{
	x[0] = (struct verdict_search){.meets = 1,
				       .rate = 10,
				       .low = 9,
				       .high = 11,
				       .gpus_low = 1,
				       .gpus_high = 1,
				       .usd_per_gpu = 3,
				       .tokens_per_s = 1000};
	x[1] = (struct verdict_search){.meets = 1,
				       .rate = 30,
				       .low = 27,
				       .high = 33,
				       .gpus_low = 4,
				       .gpus_high = 4,
				       .usd_per_gpu = 1,
				       .tokens_per_s = 3000};
	of = (struct verdict_of){.candidate = name,
				 .arm = name,
				 .gpu = name,
				 .n_candidates = WAYS,
				 .n_arms = ARMS,
				 .search = x,
				 .margin = 0.03};
}

static void choices(void)
{
	fresh();
	ok(choice_is_priced(&of), "every GPU has a price");
	ok(choice_of(&of, 0, 1).candidate == 1,
	   "3000 tokens for 4 USD are cheaper than 1000 for 3");
	of.rate = 9;
	struct verdict_choice c = choice_of(&of, 0, 1);
	ok(c.candidate == 0 && c.gpus_high == 1 && c.usd_high == 3,
	   "for 9 requests/s, 3 USD are less than 4");
	of.rate = 10;
	x[0].gpus_high = 2;
	c = choice_of(&of, 0, 1);
	ok(c.candidate == 1 && c.gpus_low == 4 && c.gpus_high == 4,
	   "10 requests/s take two of the first for certain, or one");
	ok(choice_expense(&of, &x[0], CHOICE_UPPER, 1) == 3 &&
	       choice_expense(&of, &x[0], CHOICE_LOWER, 1) == 6,
	   "which costs 3 USD or 6");
	x[0].usd_per_gpu = 0;
	ok(!choice_is_priced(&of) && choice_of(&of, 0, 0).candidate == 0 &&
	       isnan(choice_of(&of, 0, 0).usd_high),
	   "where one has no price, GPUs count: 2, not 4");
	x[0].meets = 0;
	ok(choice_of(&of, 0, 0).candidate == 1,
	   "what meets no bounds is not chosen");
	x[1].why_failed = "it crashed";
	ok(choice_of(&of, 0, 0).candidate == WAYS &&
	       choice_why_no_candidate(&of, 1) && !choice_why_failed(&of, 0),
	   "a way that no arm answers is no choice, and fails no arm");
	x[0].why_failed = "it crashed, too";
	ok(choice_why_failed(&of, 0) != NULL,
	   "an arm without any answer failed");
}

static void digits(void)
{
	char buf[32];
	is(verdict_number(buf, 8.589, 0.23), "8.6", "8.589 +- 0.23");
	is(verdict_number(buf, 0.9753, 0.0105), "0.975", "0.9753 +- 0.0105");
	is(verdict_number(buf, 154.9, 4), "155", "154.9 +- 4");
	is(verdict_number(buf, 2034, 60), "2030", "2034 +- 60");
	is(verdict_number(buf, 99.951, 0), "99.95", "known exactly");
}

int main(void)
{
	choices();
	digits();
	return done();
}
