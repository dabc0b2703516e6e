/* study/explain.h -- the first arm of a study against each of the others: why
 * they disagree (attribution.h), each pair also with the roles exchanged, each
 * in a job of its own.  [main] */
#ifndef SC_STUDY_EXPLAIN_H
#define SC_STUDY_EXPLAIN_H
#include "record/attribution.h"
#include "study/study.h"

/* The steps of arm `of`, priced by arm `by`. */
struct explanation {
	size_t of, by; /* arms of the study                                  */
	const char *error; /* the one line; NULL: the rest holds             */
	const struct attribution *x;
	/* by's own run − open loop; ns                                      */
	double feedback_ns[ATTRIBUTION_STEPS];
	const struct steplog *steps; /* of arm `of`                          */
};
struct explain {
	const struct study *study;
	struct explanation *pair;
	size_t n;
	struct jobs arms;
	struct job *job;
	struct explain_task *task;
	struct steplog *steps, *requests; /* by arm                          */
};

/* The study was run with its logs kept (study_task.keep_logs).  -1 with *p:
 * nothing was run, or it was interrupted (arms.interrupted).  explain_free() in either
 * case. */
int explain_run(struct explain *e, const struct study *s, struct problem *p);
int explain_code(const struct explain *e); /* the highest exit code          */
void explain_free(struct explain *e);

/* What moved a metric most in the direction in which it moved.  A component;
 * or, where the models are bound by different sides of a phase, so that one
 * side's time replaces the other's, the phase as a whole. */
struct cause {
	const char *name; /* "decode attention", "decode"                    */
	enum component first, last;
	double ns;    /* of the open-loop difference                         */
	double share; /* of all of it; may exceed 1 where others oppose      */
};
struct cause explain_cause(const struct attribution *x, int metric);
/* The step of a place in the log as "step,decode,prefill,sampled". */
void explain_step(FILE *f, const struct steplog *steps, uint64_t place);

#endif
