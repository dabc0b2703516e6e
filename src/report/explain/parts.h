/* report/explain/parts.h -- writes where the time of the requests of two arms
 * went (record/latency_parts.h), and how the arms differ in it.  For
 * explanations with explain_is_split(). */
#pragma once
#include <stdio.h>
#include "base/json/json_writer.h"
#include "report/columns.h"
#include "study/explain.h"

/* A part of a difference; ns, the mean over the requests. */
struct part_change {
	int part; /* LATENCY_* */
	double of_ns, by_ns;
	double ns; /* by − of */
};
/* Lists the parts that at least one arm has, the largest change first.  Returns
 * how many. */
size_t parts_changes(const struct explanation *x, int metric,
		     struct part_change to[N_LATENCY_PARTS]);
/* Returns the share of a change in the difference of a metric; NaN: the parts
 * cancel so much that a share tells nothing. */
double parts_share(const struct explanation *x, int metric, double ns);

/* Writes the largest changes as the end of a sentence: "2.1 ms less queueing
 * for admission (95 %), 0.3 ms more own prompt". */
void parts_say(FILE *f, const struct explanation *x, int metric, int decimals);
/* Fills in the table of a metric, in the order of latency_parts.h; the caller
 * calls columns_free(). */
void parts_table(struct columns *c, const struct explain *e,
		 const struct explanation *x, int metric);
/* Writes "latency_parts", an object, as a member of the open object. */
void parts_json(struct jw *j, const struct explanation *x);
/* Says in sentences how the parts are measured. */
extern const char parts_legend[];
