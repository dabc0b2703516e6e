/* usd.c -- Computes the price of a million output tokens. */
#include "record/usd.h"
#include <math.h>

#define MILLION 1e6

struct usd_per_mtok usd_per_mtok(const struct usd_of *x)
{
	int has_hours = x->usd_per_hour > 0 && x->tokens_per_s > 0;
	struct usd_per_mtok to = {.gpus = NAN, .energy = NAN};
	if (has_hours)
		to.gpus = x->usd_per_hour / (x->tokens_per_s * 3600) * MILLION;
	to.sum = to.gpus;
	if (x->usd_per_joule > 0) {
		to.energy = x->joules_per_token * x->usd_per_joule * MILLION;
		to.sum += to.energy;
	}
	return to;
}

struct usd_per_mtok usd_per_mtok_of_run(const struct outcome *o)
{
	const struct energy_sum *e = &o->energy;
	double tokens = (double)o->total_output_tokens;
	double s = (double)(o->last_token_ns - o->first_arrival_ns) / 1e9;
	double usd_per_hour =
	    o->fleet.gpu_hours > 0 ? o->fleet.cost / o->fleet.gpu_hours : 0;
	double usd =
	    o->fleet.is_on > 0 ? usd_per_hour * o->gpu_s / 3600 : o->gpu_usd;
	int is_known = e->is_known > 0 && tokens > 0;
	const struct usd_of x = {
	    .usd_per_hour = s > 0 ? usd / s * 3600 : 0,
	    .tokens_per_s = s > 0 ? tokens / s : 0,
	    .joules_per_token = is_known ? e->joules / tokens : (double)NAN,
	    .usd_per_joule = e->usd_per_joule};
	return usd_per_mtok(&x);
}
