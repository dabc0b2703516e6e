/* What a deployment takes, in figures. */
#include "capacity/deployment.h"
#include "tap.h"

static struct deployment fresh(void)
{
	return (struct deployment){.capacity = {.verdict = CAPACITY_FOUND,
						.request_rate = 30,
						.low = 29,
						.high = 31,
						.output_throughput = 3000},
				   .gpus = 4,
				   .usd_per_hour = 1};
}

int main(void)
{
	double v[N_CAPACITY_FIGURES];
	struct deployment x = fresh();
	deployment_figures(&x, 0, v);
	ok(v[FIGURE_DEPLOYMENTS] == 1, "no rate asked for: one deployment");
	near(v[FIGURE_USD_PER_MTOK], 4.0 / (3000 * 3600) * 1e6, 1e-12,
	     "a million tokens take the time that all of its GPUs cost");
	near(v[FIGURE_HALF_WIDTH], 1.0 / 30, 1e-12, "half the interval");
	deployment_figures(&x, 61, v);
	ok(v[FIGURE_DEPLOYMENTS] == 3 && v[FIGURE_DEPLOYMENTS_LOW] == 2 &&
	       v[FIGURE_DEPLOYMENTS_HIGH] == 3,
	   "61 requests/s take three of 30, or two of 31");
	ok(v[FIGURE_GPUS] == 12 && v[FIGURE_GPUS_LOW] == 8, "that is GPUs");
	ok(v[FIGURE_USD_PER_HOUR] == 12 && v[FIGURE_USD_PER_HOUR_LOW] == 8,
	   "and USD an hour");
	x.usd_per_hour = 0;
	deployment_figures(&x, 61, v);
	ok(isnan(v[FIGURE_USD_PER_HOUR]) && isnan(v[FIGURE_USD_PER_MTOK]),
	   "a GPU without a price has no costs");
	x.capacity.verdict = CAPACITY_NONE;
	deployment_figures(&x, 61, v);
	ok(isinf(v[FIGURE_GPUS]), "no number of GPUs is enough");
	return done();
}
