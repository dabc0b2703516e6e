/* study/findings.h -- all that `run` and `compare` find: the study, the same
 * under further seeds, why the arms disagree, and what each part of a step does
 * by itself.  Each may be absent (zeroed), fail, or be interrupted. */
#ifndef SC_STUDY_FINDINGS_H
#define SC_STUDY_FINDINGS_H
#include "arm/variants.h"
#include "study/explain.h"
#include "study/seeds.h"
#include "study/study.h"
#include "study/swap.h"

/* Not to be moved: seeds, explain and swap point to the study. */
struct findings {
	struct study study;
	struct seeds seeds;
	struct explain explain;
	struct swap swap;
	struct variants variants; /* none: the arms are the INI's */
};
/* The highest exit code of their jobs. */
int findings_code(const struct findings *w);
/* The signal that ended one of them; 0: none. */
int findings_interrupted(const struct findings *w);
void findings_free(struct findings *w);
#endif
