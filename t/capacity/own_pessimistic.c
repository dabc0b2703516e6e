/* A cost model at the worse end of its own uncertainty. */
#include "capacity/own_pessimistic.h"
#include "tap.h"

static int32_t price(void *inst, const sc_step *step, sc_result *out,
		     sc_error *err)
{
	(void)inst;
	(void)step;
	(void)err;
	out->total_us = out->exact_us = 100;
	out->noise_us = 50; /* drawn anew for each step: no source */
	if (out->sigma_us) {
		out->sigma_us[0] = 3;
		out->sigma_us[1] = 4;
	}
	return SC_OK;
}

static int32_t price_only(void *inst, const sc_step *step, sc_result *out,
			  sc_error *err)
{
	(void)inst;
	(void)step;
	(void)err;
	out->total_us = 100;
	return SC_OK;
}

int main(void)
{
	static const sc_sigma source = {.size = sizeof source, .name = "a"};
	static const sc_sigma *const sources[] = {&source, &source};
	const sc_plugin p = {.size = sizeof p,
			     .abi_minor = SC_ABI_MINOR,
			     .name = "own",
			     .n_sigma = 2,
			     .sigma = sources,
			     .eval = price};
	sc_result r = cost_blank;
	r.total_us = 100;
	near(own_pessimistic_factor(&r, 0, 1.5), 1, 0,
	     "a model that says nothing");
	r.low_us = 90;
	r.high_us = 110;
	near(own_pessimistic_factor(&r, 0, 1.6448536269514722),
	     sqrt(110.0 / 90), 1e-12,
	     "quantiles of 5 and 95 %%: half of their ratio above");
	struct cost of = {.p = &p}, *const pools[2] = {&of, &of};
	struct own_pessimistic far;
	struct problem why;
	const sc_step step = {.size = sizeof step, .n_decode = 1};
	ok(own_pessimistic_begin(&far, pools, &why) == 1 && !far.is_known,
	   "two pools of one cost");
	const sc_result *is = cost_eval(far.of[1], &step, &why);
	ok(is && far.is_known, "a step says how sure the model is");
	near(is ? is->exact_us : 0, 100 * exp(1.6448536269514722 * 0.05), 1e-10,
	     "root of the sum of squares of sources, without noise");
	near(is ? is->total_us : 0, is ? is->exact_us : 1, 1e-12,
	     "the clock's time, too");
	free(of.sigma_us);
	const sc_plugin silent = {.size = sizeof silent,
				  .abi_minor = SC_ABI_MINOR,
				  .name = "silent",
				  .eval = price_only};
	struct cost no = {.p = &silent}, *const both[2] = {&no, &no};
	ok(own_pessimistic_begin(&far, both, &why) == 0,
	   "a model that says nothing is not asked");
	return done();
}
