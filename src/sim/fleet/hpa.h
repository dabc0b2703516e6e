/* sim/fleet/hpa.h -- how many replicas there should be, by the rule of
 * Kubernetes' horizontal autoscaler for a metric with a target for each
 * replica.
 *
 * While the metric is within the tolerance of target * n, n replicas are
 * wanted, else as many as the metric needs.  The answer rises to the least that
 * was wanted in the window for more, falls to the most that was wanted in the
 * window for less, and rises by no more than a policy allows in its period.
 * Exactly at 1 + tolerance the metric is outside, as 1 - 1.1 is below -0.1 in
 * Kubernetes' arithmetic.  Sources: pkg/controller/podautoscaler,
 * replica_calculator.go; the documentation of behavior.  Integers only.
 * [one thread] */
#pragma once
#include <stdint.h>
#include "engine/fleet.h"

/* Numbers with their times, the youngest last. */
struct hpa_past {
	struct hpa_item {
		int64_t at_ns;
		uint64_t n;
	} * item;
	uint64_t first, end, cap;
};
/* Zeroed with `is` set: no decision yet. */
struct hpa {
	const struct fleet_rules *is;
	/* The numbers wanted within the windows, as monotonic queues: the first
	 * of `least` is the least number in the window for rising, the first of
	 * `most` is the most in the window for falling. */
	struct hpa_past least, most;
	struct hpa_past added;
	int out_of_memory; /* sticky */
};
void hpa_free(struct hpa *h);
/* Returns how many replicas there should be; n: asked for now; metric: in
 * thousandths.  now_ns rises from call to call. */
uint64_t hpa_desired(struct hpa *h, int64_t now_ns, uint64_t metric,
		     uint64_t n);
