/* study/findings.h -- all that `run` and `compare` find: the study, the same
 * under further seeds, why the arms disagree.  Each may be absent (zeroed),
 * fail, or be interrupted. */
#ifndef SC_STUDY_FINDINGS_H
#define SC_STUDY_FINDINGS_H
#include "arm/variants.h"
#include "study/explain.h"
#include "study/seeds.h"
#include "study/study.h"

/* Not to be moved: seeds and explain point to the study. */
struct findings {
	struct study study;
	struct seeds seeds;
	struct explain explain;
	struct variants variants; /* none: the arms are the INI's */
};
/* The highest exit code of their jobs. */
int findings_code(const struct findings *w);
/* The signal that ended one of them; 0: none. */
int findings_interrupted(const struct findings *w);
void findings_free(struct findings *w);
#endif
