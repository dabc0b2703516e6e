/* study/seeds.h -- repeats a study with other seeds.  Paired: each seed gives
 * all arms the same requests (common random numbers), so differences are
 * paired.  Unpaired: each arm has its own seeds, and differences are between
 * independent sets.  [main] */
#ifndef SC_STUDY_SEEDS_H
#define SC_STUDY_SEEDS_H
#include "math/bootstrap.h"
#include "record/metrics.h"
#include "study/study.h"

struct seeds {
	const struct study *study; /* run with the first seed */
	size_t n_seeds;
	int unpaired;
	struct jobs arms;
	/* Arm i with seed k.  Paired: job[(k − 1) · n + i], and seed 0 is the
	 * study's; unpaired: job[k · n + i]. */
	struct job *job;
	struct study_task *task;
};

/* n_seeds ≥ 2.  Paired: the seed of the study and the numbers after it;
 * unpaired: the n_seeds of arm i begin i · n_seeds later.  Returns -1 with *p
 * filled in if nothing was run, or if the user interrupted.  The caller calls
 * seeds_free() in either case. */
int seeds_run(struct seeds *s, const struct study *study, size_t n_seeds,
	      int unpaired, struct problem *p);
int seeds_code(const struct seeds *s); /* the highest exit code */
void seeds_free(struct seeds *s);
/* Returns the requests that an arm could not serve with the seeds other than
 * the study's. */
struct rejections seeds_rejections(const struct seeds *s, size_t arm);

/* Writes a metric of an arm for each seed to value[n_seeds].  Returns 0, or -1
 * if a run of the arm failed or the metric does not apply. */
int seeds_values(const struct seeds *s, const struct metric *m, size_t arm,
		 double *value);
/* Compares the arm with the first one, paired by seed or not.  Returns 0 or -1
 * in the same way. */
int seeds_difference(const struct seeds *s, const struct metric *m, size_t arm,
		     struct interval *out);
#endif
