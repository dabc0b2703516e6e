/* study/explain.h -- the first arm of a study against each of the others: why
 * they disagree (attribution.h), each pair also with the roles exchanged, each
 * in a job of its own.
 *
 * A's steps at B's prices and B's steps at A's prices differ in second order:
 * the mean of both is the share of the cost model, half their difference its
 * uncertainty, and what is left of the real difference is feedback.  [main] */
#ifndef SC_STUDY_EXPLAIN_H
#define SC_STUDY_EXPLAIN_H
#include "record/attribution.h"
#include "study/study.h"

/* What a job leaves; plain data. */
struct explained {
	struct attribution x;
	uint32_t engines_differ; /* the arms' engines decide differently     */
	uint32_t reserved;
};

/* From both directions, as `by` minus `of`; ns. */
struct shares {
	double real_ns;        /* own run minus own run                      */
	double cost_model_ns;  /* on a frozen schedule                       */
	double uncertainty_ns; /* of that; NaN: one direction alone holds    */
	double feedback_ns;    /* the rest                                   */
	double component_ns[N_COMPONENTS]; /* of cost_model_ns               */
};

/* The steps of arm `of`, priced by arm `by`. */
struct explanation {
	size_t of, by; /* arms of the study                                  */
	const char *error; /* the one line; NULL: the rest holds             */
	const struct attribution *x;
	int engines_differ;
	/* of this direction: by's own run − frozen; ns                      */
	double feedback_ns[ATTRIBUTION_STEPS];
	struct shares shares[ATTRIBUTION_STEPS];
	const struct steplog *steps; /* of arm `of`                          */
};
struct explain {
	const struct study *study;
	/* each followed by the one with roles exchanged */
	struct explanation *pair;
	size_t n;
	struct jobs arms;
	struct job *job;
	struct explain_task *task;
	struct steplog *steps, *requests; /* by arm                          */
};

/* The study was run with its logs kept (study_task.keep_logs).  pair: two more
 * arms to be compared, or NULL.  -1 with *p:
 * nothing was run, or it was interrupted (arms.interrupted).  explain_free() in
 * either case. */
int explain_run(struct explain *e, const struct study *s, const size_t *pair,
		struct problem *p);
int explain_code(const struct explain *e); /* the highest exit code          */
void explain_free(struct explain *e);

/* A component that moved a metric; or, where the components of a phase oppose
 * each other (models bound by different sides of it), the phase as a whole. */
struct cause {
	const char *name; /* "decode attention", "decode"                    */
	enum component first, last;
	double ns;
	double share; /* of all that moved the metric the same way: ≤ 1      */
};
enum { CAUSES = N_COMPONENTS, PHASES = 6 };
/* Prefill, decode, and what belongs to none; ns and share are 0. */
extern const struct cause explain_phase[PHASES];
/* The sum over its components. */
double explain_sum(const struct cause *phase, const double ns[N_COMPONENTS]);
/* 1: what goes against the whole is more than a tenth of it. */
int explain_is_opposed(const struct cause *phase,
		       const double ns[N_COMPONENTS]);
/* Those that are not zero, the largest first; returns how many. */
size_t explain_causes(const double ns[N_COMPONENTS], struct cause to[CAUSES]);
/* The largest in the direction in which the metric moved; its ns is 0 if none
 * did. */
struct cause explain_cause(const struct attribution *x, int metric);
/* The step of a place in the log as "step,decode,prefill,sampled". */
void explain_step(FILE *f, const struct steplog *steps, uint64_t place);

#endif
