/* trust/scored.h -- scored errors of a cost model on measured runs, kept as
 * data: bench_data/accuracy/PLUGIN.csv has one row per measured figure;
 * `stepcost validate --write-errors` makes it.  For fitted coefficients, the
 * prediction comes from a fit that did not see the row's fold.  A file may have
 * errors with a run left out and errors with a model left out, because a model
 * is known better if the fit has seen other runs of it.
 *
 * The caller owns the rows until scored_free().  No printing. */
#pragma once
#include <stddef.h>
#include <stdio.h>
#include "base/names.h"
#include "trust/place.h"

struct scored_row {
	char *source_row, *metric, *fold; /* metric: "mean_ttft_ms" */
	char left_out[12]; /* kind of the fold: "model", "run"; "": not given */
	/* of its engine, as far as they are known: "max_num_seqs=128;..." */
	char engine_keys[64];
	/* who measured it: its errors are alike; "": not given */
	char publisher[24];
	struct trust_place at;
	int saturated;
	int is_derived; /* E2E latency, from TTFT and TPOT of the same run */
	double measured, predicted;
};
/* The kinds of latency that have errors of their own. */
enum scored_latency { SCORED_TTFT, SCORED_TPOT, SCORED_E2EL, SCORED_LATENCIES };
struct scored {
	struct scored_row *row; /* [n] */
	size_t n, cap;
	char why[160];    /* if there are no rows: the reason, if known */
	int model_is_new; /* set by scored_choose() */
	/* By how much both ends of an interval, as logarithms, lie beyond the
	 * errors of a group, by latency.  trust_prepare() (interval.h) sets it.
	 */
	double widening[SCORED_LATENCIES];
};

/* The arm that errors are needed for; "": none. */
struct scored_of {
	const char *plugin, *version, *preset, *tables;
	/* Other values of `tables` that mean the same tables, the best first;
	 * NULL: none. */
	const struct names *same_tables;
	/* of the plugin's own data, with an accuracy.csv; NULL: none */
	const char *folder;
	const char *changed; /* a knob that differs from the preset */
};

/* Reads the shipped or installed file of that plugin; keeps rows with that
 * preset and these tables, or the same tables under another name.  If there is
 * no file, or it has another version or cannot be read, there are no rows. */
void scored_find(struct scored *s, const struct scored_of *of);
/* The same for a given file. */
void scored_read(struct scored *s, const char *path,
		 const struct scored_of *of);
/* If there are rows with a run left out and rows with a model left out: keeps
 * the first kind if that model has runs among them, else the second. */
void scored_choose(struct scored *s, uint64_t n_params);
/* Returns another figure of the run of row i; NULL: it has none. */
const struct scored_row *scored_of_run(const struct scored *s, size_t i,
				       const char *metric);
/* Adds the E2E latency of each run without one, TTFT + TPOT (output - 1), so
 * that all three are known of the same runs.  Returns 0, or -1 if memory is
 * out. */
int scored_derive(struct scored *s);
/* Adds a copy of the row.  Returns 0, or -1 if memory is out. */
int scored_add(struct scored *s, const struct scored_row *row);
void scored_free(struct scored *s);

void scored_write_head(FILE *f);
void scored_write_row(FILE *f, const struct scored_of *of,
		      const struct scored_row *row);
