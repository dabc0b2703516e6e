/* What a fleet takes, in figures. */
#include "capacity/answer.h"
#include "tap.h"

static struct capacity_answer fresh(void)
{
	return (struct capacity_answer){.capacity = {.verdict = CAPACITY_FOUND,
						     .units = 3,
						     .request_rate = 30,
						     .low = 29,
						     .high = 31,
						     .turns = 4,
						     .seen.replicas_mean = NAN,
						     .seen.replicas_peak = NAN,
						     .output_throughput = 3000},
					.gpus_per_unit = 4,
					.replicas_per_unit = 2,
					.usd_per_hour = 1};
}

int main(void)
{
	double v[N_CAPACITY_FIGURES];
	struct capacity_answer x = fresh();
	answer_figures(&x, v);
	ok(v[FIGURE_GPUS] == 12 && v[FIGURE_REPLICAS] == 6,
	   "the highest rate: of all units of the fleet");
	near(v[FIGURE_USD_PER_MTOK], 12.0 / (3000 * 3600) * 1e6, 1e-12,
	     "a million tokens take the time that all of its GPUs cost");
	near(v[FIGURE_HALF_WIDTH], 1.0 / 30, 1e-12, "half the interval");
	near(v[FIGURE_SESSION_RATE], 7.5, 1e-12, "conversations of 4 turns");
	x.capacity.question = QUESTION_FLEET;
	x.capacity.units_low = 4;
	x.capacity.units_high = 5;
	answer_figures(&x, v);
	ok(v[FIGURE_GPUS_LOW] == 16 && v[FIGURE_GPUS_HIGH] == 20,
	   "a fleet that was looked for: the least that may do, that does");
	ok(v[FIGURE_USD_PER_HOUR] == 20, "the larger is bought");
	ok(isnan(v[FIGURE_DEPLOYMENTS]), "nothing is multiplied");
	x = fresh();
	x.is_independent = 1;
	x.capacity.asked = 61;
	answer_figures(&x, v);
	ok(v[FIGURE_DEPLOYMENTS] == 3 && v[FIGURE_DEPLOYMENTS_LOW] == 2 &&
	       v[FIGURE_DEPLOYMENTS_HIGH] == 3,
	   "61 requests/s take three independent ones of 30, or two of 31");
	x = fresh();
	x.capacity.seen.replicas_mean = 2.5;
	x.capacity.seen.replicas_peak = 3;
	answer_figures(&x, v);
	ok(v[FIGURE_GPUS_PEAK] == 12 && v[FIGURE_USD_PER_HOUR] == 10,
	   "an autoscaler costs what it has in the mean");
	x = fresh();
	x.usd_per_hour = 0;
	answer_figures(&x, v);
	ok(isnan(v[FIGURE_USD_PER_HOUR]) && isnan(v[FIGURE_USD_PER_MTOK]),
	   "a GPU without a price has no costs");
	x.capacity.verdict = CAPACITY_NONE;
	answer_figures(&x, v);
	ok(isinf(v[FIGURE_GPUS]), "no number of GPUs is enough");
	return done();
}
