/* sim/saturation.h -- decides whether the latencies of a run describe the
 * engine, or depend on how long the run lasted.  It uses queueing delays in
 * order of arrival, in constant memory.
 *
 * The requests are split into quarters q1 … q4 by order of arrival, each with
 * its mean queueing delay; S is the mean time from leaving the queue to the
 * last token.
 *   overloaded  some request is unfinished; or arrivals went on for longer than
 *               S and the delay was still growing when they ended:
 *               q4 > 1.2 q3, q3 > 1.2 q2, q4 > S / 4, with 16 requests or more
 *   backlogged  otherwise, some quarter queued for longer than S
 *   stable      otherwise
 * [one thread] */
#pragma once
#include <stdint.h>

enum saturation {
	SATURATION_STABLE,
	SATURATION_BACKLOGGED,
	SATURATION_OVERLOADED,
	SATURATION_NOTHING, /* no request completed: there is no latency */
};
extern const char *const saturation_name[];

#define DELAY_BINS 64u
/* Zeroed means empty. */
struct delays {
	uint32_t shift; /* a bin has 2^shift requests */
	uint64_t n[DELAY_BINS];
	int64_t sum_ns[DELAY_BINS];
};
/* Request number `order`, counted from 0, waited delay_ns. */
void delays_add(struct delays *d, uint64_t order, int64_t delay_ns);
/* Returns 1 if arrivals lasted for less than 30 mean E2E latencies: no queue
 * had the time to grow, so `stable` says little about a longer run.  Requests
 * that all come at once are a batch, and not too few of a stream. */
int saturation_is_too_short(int64_t arrival_span_ns, double mean_e2el_ns);
enum saturation saturation_of(const struct delays *d, uint64_t unfinished,
			      int64_t arrival_span_ns, double mean_service_ns);
