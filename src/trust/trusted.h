/* trust/trusted.h -- how far the figures of a run can be trusted: the support
 * of its arm there, and an interval for each figure with measurements.  Plain
 * data. */
#pragma once
#include "arm/configuration.h"
#include "sim/outcome.h"
#include "trust/interval.h"
#include "trust/support.h"

struct metric; /* record/metrics.h */

enum {
	TRUSTED_WATTS = 10, /* from here on figures of energy                */
	TRUSTED_JOULES,
	N_TRUSTED
};
extern const char *const trusted_metric[N_TRUSTED]; /* "mean_ttft_ms" ... */

/* What the energy of a run rests on.  Its power law has errors of its own,
 * bench_data/accuracy/power.csv, of runs that `operators` timed. */
struct trusted_energy {
	struct support support; /* of the energy of a token                  */
	struct trust_interval joules;
	char gpu[64];  /* "h100-sxm"                                         */
	char why[120]; /* its power is not known; "": it is                  */
	int has_idle;  /* 1: time without a step counts                      */
};

struct trusted {
	struct support support;
	struct trust_interval interval[N_TRUSTED];
	struct trusted_energy energy;
};

/* Properties of a run that its errors may depend on. */
struct trusted_load {
	double computed_share; /* of prompt tokens that were not cached */
	double input_tokens, output_tokens; /* means per request */
	double running;   /* mean number of requests in a step */
	double most;      /* that run at once */
	uint64_t clients; /* of a closed loop; 0: an open one */
	int is_stable;    /* no queue piled up */
	/* The figures of trusted_metric[]; 0 or NaN: not known. */
	double value[N_TRUSTED];
	double offered; /* output tokens/s that arrive; 0: not known */
};

struct trusted_load trusted_load_of(const struct outcome *o);
/* For an arm of that version under that load.  Reads its file of errors. */
struct trusted trusted_of(const struct config *c, size_t arm,
			  const char *version, const struct trusted_load *load);
/* Returns NULL if the metric has no interval. */
const struct trust_interval *trusted_interval(const struct trusted *t,
					      const struct metric *m);
