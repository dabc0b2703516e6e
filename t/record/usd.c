/* The price of a million output tokens: GPU hours, energy, and both. */
#include "record/usd.h"
#include <math.h>
#include "tap.h"

static void parts(void)
{
	struct usd_of x = {.usd_per_hour = 3.6,
			   .tokens_per_s = 1000,
			   .joules_per_token = .5,
			   .usd_per_joule = 2e-7};
	struct usd_per_mtok u = usd_per_mtok(&x);
	near(u.gpus, 1, 1e-12, "3.6 USD for 3.6 million tokens");
	near(u.energy, .1, 1e-12, "half a million joules");
	near(u.sum, 1.1, 1e-12, "both");
	x.usd_per_joule = 0;
	u = usd_per_mtok(&x);
	ok(isnan(u.energy) && u.sum == u.gpus,
	   "energy without a price is no part of the sum");
	x.usd_per_joule = 2e-7;
	x.joules_per_token = NAN;
	u = usd_per_mtok(&x);
	ok(u.gpus > 0 && isnan(u.energy) && isnan(u.sum),
	   "a sum lacks no part that has a price");
	x.joules_per_token = .5;
	x.usd_per_hour = NAN;
	u = usd_per_mtok(&x);
	ok(isnan(u.gpus) && u.energy > 0 && isnan(u.sum),
	   "nor does it lack the GPUs");
	x.usd_per_hour = 3.6;
	x.tokens_per_s = 0;
	ok(isnan(usd_per_mtok(&x).gpus), "no tokens have no price");
}

static void of_run(void)
{
	static struct outcome o = {.last_token_ns = 10000000000,
				   .total_output_tokens = 10000,
				   .gpu_usd = .01};
	struct usd_per_mtok u = usd_per_mtok_of_run(&o);
	near(u.sum, 1, 1e-12, "a run without a price of energy");
	o.energy.usd_per_joule = 2e-7;
	ok(isnan(usd_per_mtok_of_run(&o).sum), "energy is not known");
	o.energy.is_known = 1;
	o.energy.joules = 5000;
	near(usd_per_mtok_of_run(&o).sum, 1.1, 1e-12, "it is");
	o.fleet.is_on = 1;
	o.fleet.gpu_hours = .02;
	o.fleet.cost = .04;
	o.gpu_s = 36;
	near(usd_per_mtok_of_run(&o).gpus, 2, 1e-12,
	     "GPU hours of a fleet that changes its size");
}

int main(void)
{
	parts();
	of_run();
	return done();
}
