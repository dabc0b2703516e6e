/* report/results/ranking.h -- arms that differ in one knob, by how much it
 * moves the result. */
#ifndef SC_REPORT_RESULTS_RANKING_H
#define SC_REPORT_RESULTS_RANKING_H
#include <stdio.h>
#include "arm/variants.h"
#include "base/json_writer.h"
#include "study/study.h"

/* The arms of the study are those of the variants, in order; each is compared
 * to the first.  Largest change of mean E2E latency first. */
void ranking_text(const struct study *s, const struct variants *v, FILE *f);
/* "ranking": an array, a member of the open object. */
void ranking_json(const struct study *s, const struct variants *v,
		  struct jw *j);
#endif
