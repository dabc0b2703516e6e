/* Explains why arms disagree: the shares add up, and causes have names. */
#include <string.h>
#include "study/explain.h"
#include "studied.h"

static struct explain e;

/* ---- causes of hand-made components ---- */

static void sums(void)
{
	const double ns[N_COMPONENTS] = {
	    [COMPONENT_DECODE_GEMM] = 30,
	    [COMPONENT_DECODE_ATTENTION] = 12,
	    [COMPONENT_DECODE_MEMORY] = -4,
	    [COMPONENT_OVERHEAD] = 7,
	};
	const struct cause *decode = &explain_phase[1];
	is(decode->name, "decode", "a phase");
	ok(explain_sum(decode, ns) == 38, "the sum over its components");
	ok(explain_is_opposed(decode, ns), "4 against 38 is more than a tenth");
	ok(!explain_is_opposed(&explain_phase[3], ns),
	   "a phase of one component is never opposed");
	const double small[N_COMPONENTS] = {
	    [COMPONENT_DECODE_GEMM] = 30, [COMPONENT_DECODE_MEMORY] = -2};
	ok(!explain_is_opposed(decode, small), "2 against 28 is not");
	int covered = 0;
	for (int i = 0; i < PHASES; i++)
		covered += (int)(explain_phase[i].last) -
			   (int)(explain_phase[i].first) + 1;
	ok(covered == N_COMPONENTS, "each component is of one phase");
}

static void causes(void)
{
	struct cause c[CAUSES];
	const double ns[N_COMPONENTS] = {
	    [COMPONENT_PREFILL_GEMM] = 10,   [COMPONENT_PREFILL_MEMORY] = -9,
	    [COMPONENT_DECODE_GEMM] = 60,    [COMPONENT_DECODE_ATTENTION] = 29,
	    [COMPONENT_COMMUNICATION] = -20, [COMPONENT_OVERHEAD] = -60,
	};
	size_t n = explain_causes(ns, c);
	ok(n == 5, "five causes: prefill as a whole, for its parts oppose each "
		   "other");
	is(c[0].name, component_name[COMPONENT_DECODE_GEMM],
	   "the largest first; of two alike the earlier one");
	is(c[1].name, component_name[COMPONENT_OVERHEAD], "whatever its sign");
	is(c[4].name, "prefill", "the smallest last");
	ok(c[4].ns == 1 && c[4].first == COMPONENT_PREFILL_GEMM &&
	       c[4].last == COMPONENT_PREFILL_MEMORY,
	   "which is the sum of its components");
	near(c[0].share, 60. / 90, 1e-12, "a share of what went the same way");
	near(c[1].share, 60. / 80, 1e-12, "or of what went the other way");
	const double none[N_COMPONENTS] = {0};
	ok(explain_causes(none, c) == 0, "none");
	const double cancel[N_COMPONENTS] = {
	    [COMPONENT_PREFILL_GEMM] = 5, [COMPONENT_PREFILL_MEMORY] = -5};
	ok(explain_causes(cancel, c) == 0, "a phase that comes to nothing");
}

static void the_cause(void)
{
	static struct attribution x;
	x.component_ns[ATTRIBUTION_TTFT][COMPONENT_DECODE_GEMM] = -60;
	x.component_ns[ATTRIBUTION_TTFT][COMPONENT_OVERHEAD] = 40;
	x.component_ns[ATTRIBUTION_TTFT][COMPONENT_OTHER] = 35;
	x.difference_ns[ATTRIBUTION_TTFT] = 15;
	is(explain_cause(&x, ATTRIBUTION_TTFT).name, "overhead",
	   "the largest in the direction in which the metric moved");
	x.difference_ns[ATTRIBUTION_TTFT] = -1;
	is(explain_cause(&x, ATTRIBUTION_TTFT).name,
	   component_name[COMPONENT_DECODE_GEMM], "or in the other one");
	ok(explain_cause(&x, ATTRIBUTION_TPOT).ns == 0, "nothing moved");
}

/* ---- two arms: steps of 100 us and of 250 us ---- */

static void run(const char *ini)
{
	explain_free(&e);
	studied(ini);
	if (explain_run(&e, &study, NULL, &why) < 0)
		bail_out(why.text);
}

static void one_by_one(void)
{
	run(CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM("a", "100")
		CONFIG_ARM("b", "250"));
	ok(explain_code(&e) == EXIT_DONE && e.n == 2, "a pair, both ways");
	const struct explanation *x = &e.pair[0], *back = &e.pair[1];
	ok(x->of == 0 && x->by == 1 && back->of == 1 && back->by == 0,
	   "with the roles exchanged");
	ok(!x->error && !x->schedule_key && x->x->n_steps == 40,
	   "all steps were priced again");
	const struct shares *s = &x->shares[ATTRIBUTION_TTFT];
	near(s->real_ns, 150e3, 1e-9, "a first token comes 150 us later");
	near(s->cost_model_ns, 150e3, 1e-9, "all by the cost model");
	ok(s->uncertainty_ns == 0 && s->feedback_ns == 0 &&
	       x->feedback_ns[ATTRIBUTION_TTFT] == 0,
	   "one by one there is no feedback");
	near(s->component_ns[COMPONENT_OVERHEAD] +
		 s->component_ns[COMPONENT_OTHER],
	     150e3, 1e-9, "and all of it is time that no kernel takes");
	near(x->shares[ATTRIBUTION_E2EL].real_ns, 5 * 150e3, 1e-9,
	     "a request of five steps comes to five times that");
}

static void steps(void)
{
	char text[200] = "";
	FILE *f = fmemopen(text, sizeof text, "w");
	explain_step(f, e.pair[0].steps, 1);
	fclose(f);
	is(text, "1,10,,1",
	   "a step of the log: one decode with ten tokens in the cache");
}

/* With random arrivals the shares still add up to the real difference. */
static void in_batches(void)
{
	run(CONFIG_SETUP "[workload]\nnum_requests=60\nrequest_rate=1500\n"
			 "input_tokens=uniform:10,90\noutput_tokens=uniform:1,"
			 "30\n" CONFIG_ARM("a", "100") CONFIG_ARM("b", "130"));
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		const struct shares *s = &e.pair[0].shares[m];
		double sum = 0;
		for (int k = 0; k < N_COMPONENTS; k++)
			sum += s->component_ns[k];
		near(sum, s->cost_model_ns, 1e-9,
		     "components sum to the cost "
		     "model's share (%d)",
		     m);
		near(s->cost_model_ns + s->feedback_ns, s->real_ns, 1e-9,
		     "which with feedback is the whole (%d)", m);
		near(e.pair[1].shares[m].cost_model_ns, -s->cost_model_ns, 1e-9,
		     "the other way round it is the same (%d)", m);
	}
	ok(e.pair[0].shares[ATTRIBUTION_TTFT].feedback_ns != 0,
	   "slower steps change the batches");
}

static void of_other_engines(void)
{
	run(CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM("a", "100") CONFIG_ARM(
	    "b", "100") "engine.max_num_seqs=1\n" CONFIG_BAD_ARM("x"));
	ok(e.n == 2, "an arm that failed is not compared");
	ok(e.pair[0].schedule_key &&
	       !strcmp(e.pair[0].schedule_key, "max_num_seqs"),
	   "engines that decide differently, by a key that is named");
	explain_free(&e);
	ok(!e.pair && e.n == 0, "freed");
}

static void further_pair(void)
{
	const size_t pair[2] = {1, 2};
	studied(CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM("a", "100")
		    CONFIG_ARM("b", "100") CONFIG_ARM("c", "200"));
	ok(explain_run(&e, &study, pair, &why) == 0 && e.n == 6,
	   "two arms more to be compared");
	ok(e.pair[4].of == 1 && e.pair[4].by == 2 &&
	       fabs(e.pair[4].shares[ATTRIBUTION_TPOT].real_ns - 100e3) < 1,
	   "with their own difference");
	explain_free(&e);
}

int main(void)
{
	scratch_open();
	sums();
	causes();
	the_cause();
	one_by_one();
	steps();
	in_batches();
	of_other_engines();
	further_pair();
	studied_free();
	return done();
}
