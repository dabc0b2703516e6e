/* report/results/seeds.h -- writes differences between arms over several seeds,
 * with confidence intervals. */
#pragma once
#include "base/json/json_writer.h"
#include "report/document.h"
#include "study/seeds.h"

void seeds_document(const struct seeds *s, struct document *d);
/* Writes "seeds" as a member of the open object. */
void seeds_json(const struct seeds *s, struct jw *j);
