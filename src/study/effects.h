/* study/effects.h -- effects of the switches of --factorial on the figures of a
 * study, over all its seeds (math/factorial.h).  Plain data, owned by the
 * caller.  [main] */
#pragma once
#include "math/factorial.h"
#include "record/metrics.h"
#include "study/seeds.h"

/* The figures that have effects. */
enum { N_EFFECT_METRICS = 4 };
extern const char *const effect_metric[N_EFFECT_METRICS];

struct effects {
	size_t n; /* of each metric */
	/* [n] the largest first; NULL: an arm has no such figure */
	struct effect *of[N_EFFECT_METRICS];
};
/* Computes the effects of k switches from the results of a study, with arms in
 * the order of the switches' combinations, and of its other seeds (n_seeds 0:
 * none).  Returns 0, or -1 if memory is out.  The caller calls
 * effects_free() in either case. */
int effects_compute(struct effects *e, const struct study *study,
		    const struct seeds *seeds, unsigned k, unsigned order);
void effects_free(struct effects *e);
