/* study/seeds.h -- a study once more under other seeds: each seed gives all
 * arms the same requests (common random numbers), so that differences are
 * paired; or each arm has seeds of its own, and differences are between
 * independent sets. [main] */
#ifndef SC_STUDY_SEEDS_H
#define SC_STUDY_SEEDS_H
#include "math/bootstrap.h"
#include "record/metrics.h"
#include "study/study.h"

struct seeds {
	const struct study *study; /* the first seed */
	size_t n_seeds;
	int unpaired;
	struct jobs arms;
	struct job
	    *job; /* arm i under seed k: job[(k − 1) · n + i], paired, the
		     first being the study's; unpaired job[k · n + i] */
	struct study_task *task;
};

/* n_seeds ≥ 2: that of the study and the numbers after it; unpaired, arm i has
 * the n_seeds that begin i · n_seeds later.  -1 with *p: nothing was run, or it
 * was interrupted.  seeds_free() in either case. */
int seeds_run(struct seeds *s, const struct study *study, size_t n_seeds,
	      int unpaired, struct problem *p);
int seeds_code(const struct seeds *s); /* the highest exit code              */
void seeds_free(struct seeds *s);
/* What an arm could not serve under the seeds that are not the study's. */
struct rejections seeds_rejections(const struct seeds *s, size_t arm);

/* A metric of an arm, seed by seed, into value[n_seeds].  0, or -1: a run of
 * the arm failed, or the metric does not apply. */
int seeds_values(const struct seeds *s, const struct metric *m, size_t arm,
		 double *value);
/* The arm against the first, paired by seed or not.  0, or -1 as above. */
int seeds_difference(const struct seeds *s, const struct metric *m, size_t arm,
		     struct interval *out);
#endif
