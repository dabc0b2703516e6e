/* trust/scored.h -- errors of a cost model on measured runs, kept as data:
 * bench_data/accuracy/PLUGIN.csv, one row for each measured figure, made by
 * `stepcost validate --write-errors`.  Where coefficients were fitted, what was
 * predicted is a fit's that did not see the row's fold.  A file may have the
 * errors of a run left out and those of a model left out: a model that others
 * of whose runs were seen is known better than one of which none was.
 *
 * The rows are the caller's until scored_free().  No printing. */
#ifndef SC_TRUST_SCORED_H
#define SC_TRUST_SCORED_H
#include <stddef.h>
#include <stdio.h>
#include "trust/place.h"

struct scored_row {
	char *source_row, *metric, *fold; /* metric: "mean_ttft_ms"          */
	char left_out[8]; /* what the fold is: model, gpu, run; "": not told */
	struct trust_place at;
	int saturated;
	double measured, predicted;
};
struct scored {
	struct scored_row *row; /* [n]                                       */
	size_t n, cap;
	char why[160]; /* there are no rows: why, as far as that is known    */
	int model_is_new; /* by scored_choose()                              */
};

/* Whose errors are asked for; "": none. */
struct scored_of {
	const char *plugin, *version, *preset, *tables;
	const char *changed; /* a knob that is not as the preset has it      */
};

/* The shipped or installed file of that plugin; rows of that preset and those
 * tables.  No file, one of another version or one that cannot be read leaves no
 * rows. */
void scored_find(struct scored *s, const struct scored_of *of);
/* The same of a file. */
void scored_read(struct scored *s, const char *path,
		 const struct scored_of *of);
/* Of rows with a run left out and rows with a model left out: keeps the first
 * if that model's runs are among them, else the second. */
void scored_choose(struct scored *s, uint64_t n_params);
/* A copy of it is added.  0, or -1: out of memory. */
int scored_add(struct scored *s, const struct scored_row *row);
void scored_free(struct scored *s);

void scored_write_head(FILE *f);
void scored_write_row(FILE *f, const struct scored_of *of,
		      const struct scored_row *row);
#endif
