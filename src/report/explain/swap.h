/* report/explain/swap.h -- writes the effect of each part of a step's time by
 * itself, as text and JSON, next to the part's share on the frozen schedule. */
#pragma once
#include "base/json/json_writer.h"
#include "report/document.h"
#include "study/explain.h"
#include "study/swap.h"

/* Writes a swap that was run (n_rows > 0). */
void swap_document(const struct swap *s, const struct explain *e,
		   struct document *d);
/* Writes "swap", an object, as a member of the open object. */
void swap_json(const struct swap *s, const struct explain *e, struct jw *j);
