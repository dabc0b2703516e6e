/* study/findings.h -- everything that `run` and `compare` find: the study, the
 * same with more seeds, why the arms differ, and the effect of each part of a
 * step.  Each may be absent (zeroed), fail, or be interrupted. */
#pragma once
#include "arm/variants.h"
#include "study/effects.h"
#include "study/explain.h"
#include "study/seeds.h"
#include "study/study.h"
#include "study/swap.h"

/* Must not be moved: seeds, explain and swap point to the study. */
struct findings {
	struct study study;
	struct seeds seeds;
	struct explain explain;
	struct swap swap;
	struct effects effects;   /* of --factorial */
	struct variants variants; /* empty: the arms are the INI's */
};
/* Returns the highest exit code of their jobs. */
int findings_code(const struct findings *w);
/* Returns the signal that ended one of them; 0: none. */
int findings_interrupted(const struct findings *w);
void findings_free(struct findings *w);
