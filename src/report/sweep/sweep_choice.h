/* report/sweep/sweep_choice.h -- the point of a sweep that each arm would
 * choose because it costs least, over all points and for each value of each
 * axis; and where arms would choose differently. */
#pragma once
#include "report/document.h"
#include "report/sweep/sweep_data.h"

/* One of the columns that were read; less of it is better. */
struct sweep_choice {
	size_t expense;
	const char *name; /* for people */
};
/* Adds the choices to a document. */
void sweep_choices(struct document *to, const struct sweep_data *d,
		   const struct sweep_choice *c);
/* Adds the answer: what the arms choose in one sentence of at most
 * SWEEP_HEADLINE bytes; then, of a few arms, the point and the cost of each. */
enum { SWEEP_HEADLINE = 100 };
void sweep_answer(struct document *to, const struct sweep_data *d,
		  const struct sweep_choice *c);
