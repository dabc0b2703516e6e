/* report/results/ranking.h -- ranks arms that differ in one knob by its effect
 * on the result. */
#pragma once
#include "arm/variants.h"
#include "base/json/json_writer.h"
#include "report/document.h"
#include "study/study.h"

/* The arms of the study are those of the variants, in the same order.  Each is
 * compared with the first.  The largest change of the mean E2E latency comes
 * first. */
void ranking_document(const struct study *s, const struct variants *v,
		      struct document *d);
/* Writes "ranking", an array, as a member of the open object. */
void ranking_json(const struct study *s, const struct variants *v,
		  struct jw *j);
