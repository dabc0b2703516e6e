/* saturation.c -- Decides from queueing delays whether a run was overloaded. */
#include "sim/saturation.h"
#include <string.h>

const char *const saturation_name[] = {"stable", "backlogged", "overloaded",
				       "nothing completed"};

static void halve(struct delays *d)
{
	for (uint32_t i = 0; i < DELAY_BINS; i += 2) {
		d->n[i / 2] = d->n[i] + d->n[i + 1];
		d->sum_ns[i / 2] = d->sum_ns[i] + d->sum_ns[i + 1];
	}
	uint32_t half = DELAY_BINS / 2;
	memset(d->n + half, 0, half * sizeof *d->n);
	memset(d->sum_ns + half, 0, half * sizeof *d->sum_ns);
	d->shift++;
}

void delays_add(struct delays *d, uint64_t order, int64_t delay_ns)
{
	while (order >> d->shift >= DELAY_BINS)
		halve(d);
	d->n[order >> d->shift]++;
	d->sum_ns[order >> d->shift] += delay_ns;
}

/* Returns the mean delay of bins from … to − 1. */
static double mean(const struct delays *d, uint32_t from, uint32_t to)
{
	double n = 0, sum = 0;
	for (uint32_t i = from; i < to; i++) {
		n += (double)d->n[i];
		sum += (double)d->sum_ns[i];
	}
	return n > 0 ? sum / n : 0;
}

int saturation_is_too_short(int64_t arrival_span_ns, double mean_e2el_ns)
{
	return arrival_span_ns > 0 &&
	       (double)arrival_span_ns < 30 * mean_e2el_ns;
}

enum saturation saturation_of(const struct delays *d, uint64_t unfinished,
			      int64_t arrival_span_ns, double mean_service_ns)
{
	uint32_t bins = 0;
	double q[4], most = 0;
	for (uint32_t i = 0; i < DELAY_BINS; i++)
		if (d->n[i])
			bins = i + 1;
	for (uint32_t i = 0; i < 4; i++) {
		q[i] = mean(d, bins * i / 4, bins * (i + 1) / 4);
		most = q[i] > most ? q[i] : most;
	}
	int growing = bins >= 16 && (double)arrival_span_ns > mean_service_ns &&
		      q[3] > 1.2 * q[2] && q[2] > 1.2 * q[1] &&
		      q[3] > mean_service_ns / 4;
	if (unfinished || growing)
		return SATURATION_OVERLOADED;
	return most > mean_service_ns ? SATURATION_BACKLOGGED
				      : SATURATION_STABLE;
}
