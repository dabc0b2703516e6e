/* The latencies of a study are split, for the arms that were asked for. */
#include "study/explain.h"
#include "studied.h"

static struct explain e;

int main(void)
{
	scratch_open();
	studied(CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM("a", "100")
		    CONFIG_ARM("b", "250"));
	if (explain_run(&e, &study, NULL, &why) < 0)
		bail_out(why.text);
	ok(e.split.n == 0 && !explain_is_split(&e.pair[0]),
	   "engines that are alike: nothing is split");
	const char wanted[] = {0, 1};
	struct split s;
	ok(split_run(&s, &study, wanted, e.steps, e.requests, &why) == 0 &&
	       split_code(&s) == EXIT_DONE,
	   "the second arm is");
	ok(s.n == 1 && !s.arm[0].parts && !s.arm[0].error, "only that one");
	const struct latency_parts *x = s.arm[1].parts;
	const struct outcome *o = &study.arm[1].record->outcome;
	ok(x && x->n_requests == o->completed, "all its requests");
	near((double)latency_parts_sum(x, ATTRIBUTION_TTFT) /
		 (double)x->n_requests,
	     o->ttft.mean, 1e-12, "the sum is the mean TTFT");
	near((double)latency_parts_sum(x, ATTRIBUTION_E2EL) /
		 (double)x->n_requests,
	     o->e2el.mean, 1e-12, "and the mean E2E latency");
	split_free(&s);
	explain_free(&e);
	studied(CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM("a", "100")
		    CONFIG_ARM("b", "100") "engine.max_num_seqs = 1\n");
	if (explain_run(&e, &study, NULL, &why) < 0)
		bail_out(why.text);
	ok(e.split.n == 2 && explain_is_split(&e.pair[0]) &&
	       explain_is_split(&e.pair[1]),
	   "engines that are not alike: both arms are");
	ok(!explain_prices_differ(&e.pair[0]), "at the same prices");
	explain_free(&e);
	studied_free();
	return done();
}
