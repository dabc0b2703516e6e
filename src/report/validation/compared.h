/* report/validation/compared.h -- a table of one measured run: for each figure
 * measured, predicted, error and interval of every arm. */
#pragma once
#include <stddef.h>
#include <stdio.h>
#include "base/json/json_writer.h"
#include "report/document.h"

struct compared_figure {
	char name[32];    /* of the metric: "mean_ttft_ms" */
	double low, high; /* measured; equal: exact; high may be infinite */
	double predicted;
	double error; /* predicted / measured - 1; NaN: not defined */
	/* Where a measurement would probably lie; NaN: not known. */
	double interval_low, interval_high;
};
struct compared {
	const char *arm;
	const struct compared_figure *figure;
	size_t n;
};

/* Returns the figure with that name; NULL: the arm has none. */
const struct compared_figure *compared_find(const struct compared *c,
					    const char *name);
/* Add to a document: which arm comes nearest to the measured mean E2E latency,
 * and how many figures lie in their intervals; a table with a line for each
 * figure and arm that has it. */
void compared_answer(const struct compared *c, size_t n_arms,
		     struct document *d);
void compared_table(const struct compared *c, size_t n_arms,
		    struct document *d);
void compared_csv(const struct compared *arm, size_t n, FILE *f);
/* Writes an object into the open array. */
void compared_json(const struct compared *c, struct jw *j);
/* Returns 1 if the measured range holds the prediction, or the interval of the
 * prediction the measured figure; 0: not; -1: there is neither. */
int compared_within(const struct compared_figure *f);
