/* study/seeds.h -- repeats a study with other seeds.  Paired: each seed gives
 * all arms the same requests (common random numbers), so differences are
 * paired.  Unpaired: each arm has its own seeds, and differences are between
 * independent sets.
 *
 * With a goal the number of seeds follows from the results: seeds are added
 * until the half-width of the 95 % t interval, as a share of the first arm's
 * mean, is within the goal at two consecutive numbers of seeds.  One look alone
 * would stop too early too often (coverage 91.5 %; two: 93 to 95 %).  [main] */
#pragma once
#include "math/bootstrap.h"
#include "math/student.h"
#include "record/metrics.h"
#include "study/study.h"

struct seeds_plan {
	size_t low, high;            /* low 0: no seeds; equal: no goal */
	const struct metric *metric; /* of the goal; NULL: none */
	double within;               /* fraction */
	int unpaired, all_pairs;
};
/* Reads "N" or "LOW..HIGH", and "METRIC=2%"; NULL: not given.  Returns 0, or -1
 * with *p filled in (EXIT_USAGE). */
int seeds_plan(struct seeds_plan *plan, const char *seeds, const char *until,
	       struct problem *p);

struct seeds {
	const struct study *study; /* run with the first seed */
	struct seeds_plan plan;
	size_t n_seeds;
	int reached;       /* 1: the goal is met */
	double half_width; /* the widest at the end, fraction; NaN: no goal */
	struct jobs *arms; /* [n_batches] */
	size_t n_batches;
	/* Arm i with seed k.  Paired: job[(k − 1) · n + i], and seed 0 is the
	 * study's; unpaired: job[k · n + i]. */
	struct job *job;
	struct study_task *task;
};

/* plan->low ≥ 2.  Paired: the seed of the study and the numbers after it;
 * unpaired: those of arm i begin i · plan->high later.  Returns -1 with *p
 * filled in if nothing was run, or if the user interrupted.  The caller calls
 * seeds_free() in either case. */
int seeds_run(struct seeds *s, const struct study *study,
	      const struct seeds_plan *plan, struct problem *p);
/* Returns 1 if an arm has another figure with another seed, or no request
 * completed. */
int seeds_vary(const struct seeds *s);
/* Says that these seeds changed nothing, and how requests of that configuration
 * become random.  Returns -1 with *p filled in. */
int seeds_refuse_equal(const struct config *c, size_t n_seeds,
		       struct problem *p);
int seeds_code(const struct seeds *s); /* the highest exit code */
int seeds_interrupted(const struct seeds *s);
void seeds_free(struct seeds *s);
/* Returns the requests that an arm could not serve with the seeds other than
 * the study's. */
struct rejections seeds_rejections(const struct seeds *s, size_t arm);

/* Writes a metric of an arm for each seed to value[n_seeds].  Returns 0, or -1
 * if a run of the arm failed or the metric does not apply. */
int seeds_values(const struct seeds *s, const struct metric *m, size_t arm,
		 double *value);

/* A metric of arm b minus that of arm a, paired by seed or not.  p is of
 * Student's t (unpaired: Welch's), p_adjusted is corrected for all pairs of the
 * metric (Holm).  With more than one pair is.distinguishable needs p_adjusted
 * below 0.05, too. */
struct seeds_pair {
	size_t a, b;
	int is_known; /* 0: no figure, and all others are 0 */
	struct interval is;
	double p, p_adjusted;
};
/* Returns how many pairs there are: of the first arm with each other one, or,
 * with plan.all_pairs, of all. */
size_t seeds_n_pairs(const struct seeds *s);
/* Fills in pair[seeds_n_pairs()].  Returns 0, or -1 if memory is out. */
int seeds_compare(const struct seeds *s, const struct metric *m,
		  struct seeds_pair *pair);
/* Returns the mean of an arm with its t interval; NaN: it has no figure. */
struct student_mean seeds_mean(const struct seeds *s, const struct metric *m,
			       size_t arm);
