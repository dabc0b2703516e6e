/* study/explain.h -- explains why the first arm of a study differs from each of
 * the others (attribution.h).  Each pair is computed in both directions, each
 * in a job of its own.
 *
 * Where the arms' engines schedule differently, the latencies of both are split
 * into parts as well (split.h); then the difference of two arms is the
 * difference of their parts.
 *
 * A's steps with B's prices and B's steps with A's prices differ in second
 * order.  The mean of both is the share of the cost model, half their
 * difference is its uncertainty, and the rest of the real difference is
 * feedback.  [main] */
#pragma once
#include "base/arrays.h"
#include "record/attribution.h"
#include "study/arm_keys.h"
#include "study/split.h"
#include "study/study.h"

/* The result of a job; plain data. */
struct explained {
	struct attribution x;
	/* The engine key by which the arms' schedules differ, the first of
	 * them; "": the engines schedule alike. */
	char schedule_key[56];
	/* The keys that the arms set and that differ; "": none does. */
	char set_keys[ARM_KEYS_TEXT];
	uint32_t routes_differ; /* see struct explanation */
};

/* From both directions, as `by` minus `of`; ns. */
struct shares {
	double real_ns;       /* difference of the two own runs */
	double cost_model_ns; /* difference on the frozen schedule */
	/* of cost_model_ns; NaN: only one direction is available */
	double uncertainty_ns;
	double feedback_ns;                /* the rest */
	double component_ns[N_COMPONENTS]; /* parts of cost_model_ns */
};

/* The steps of arm `of`, priced by arm `by`. */
struct explanation {
	size_t of, by;     /* indices of arms of the study */
	const char *error; /* the error, one line; NULL: the rest is valid */
	const struct attribution *x;
	/* The engine key by which the arms' schedules differ, the first of
	 * them; NULL: the engines schedule alike. */
	const char *schedule_key;
	/* "max_num_seqs is 64, not 256": keys that the arms set; "": none */
	const char *set_keys;
	/* 1: routers with a choice differ: in their names, or in their keys */
	int routes_differ;
	/* Where the time of the requests of both arms went; all zero unless the
	 * engines schedule differently. */
	struct split_arm split_of, split_by;
	/* In this direction: `by`'s own run − frozen schedule; ns. */
	double feedback_ns[ATTRIBUTION_STEPS];
	/* after an error real_ns alone is valid */
	struct shares shares[ATTRIBUTION_STEPS];
	const struct steplog *steps; /* of arm `of` */
};
struct explain {
	const struct study *study;
	/* Each pair is followed by the pair with exchanged roles. */
	struct explanation *pair;
	size_t n;
	struct jobs arms;
	struct job *job;
	struct explain_task *task;
	struct steplog *steps, *requests; /* by arm */
	struct split split;
	struct arrays arrays;
};

/* The prices of both arms of pair i on all steps that either ran. */
struct equal_steps explain_equal(const struct explain *e, size_t i);
/* Returns 1 if the arms of a pair are one: they schedule alike, and only
 * rounding is left between their prices. */
int explain_are_one(const struct explain *e, const struct explanation *x);
/* Returns 1 if some step costs more or less under the other arm. */
int explain_prices_differ(const struct explanation *x);
/* Returns 1 if the parts of both arms' latencies are known. */
static inline int explain_is_split(const struct explanation *x)
{
	return x->split_of.parts && x->split_by.parts;
}

/* The study must have kept its logs (study_task.keep_logs).  pair: two more
 * arms to compare, or NULL.  Returns -1 with *p filled in if nothing was run,
 * or if the user interrupted (arms.interrupted).  The caller calls
 * explain_free() in either case. */
int explain_run(struct explain *e, const struct study *s, const size_t *pair,
		struct problem *p);
int explain_code(const struct explain *e); /* the highest exit code */
void explain_free(struct explain *e);

/* A component that moved a metric.  If the components of a phase oppose each
 * other, because the models are bound by different sides of it: the whole
 * phase. */
struct cause {
	const char *name; /* "decode attention", "decode" */
	enum component first, last;
	double ns;
	/* of everything that moved the metric in the same direction; ≤ 1 */
	double share;
};
enum { CAUSES = N_COMPONENTS, PHASES = 6 };
/* Prefill, decode, and components without a phase; ns and share are 0. */
extern const struct cause explain_phase[PHASES];
/* Returns the sum over its components. */
double explain_sum(const struct cause *phase, const double ns[N_COMPONENTS]);
/* Returns 1 if components of the opposite sign are more than a tenth of the
 * sum. */
int explain_is_opposed(const struct cause *phase,
		       const double ns[N_COMPONENTS]);
/* Lists the causes that are not zero, the largest first.  Returns how many. */
size_t explain_causes(const double ns[N_COMPONENTS], struct cause to[CAUSES]);
/* Returns the largest cause in the direction in which the metric moved; its ns
 * is 0 if there is none. */
struct cause explain_cause(const struct attribution *x, int metric);
/* Writes the step at an entry of the log as "step,decode,prefill,sampled". */
void explain_step(FILE *f, const struct steplog *steps, uint64_t place);
