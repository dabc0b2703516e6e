/* steps/bins.h -- the rows of a set in groups: by regime, deployment, size of
 * the batch, context, skew, new tokens, or any text column.  [any thread] */
#pragma once
#include "base/problem.h"
#include "steps/figures.h"

struct step_bin {
	char *name;
	size_t *row; /* [n] in the order of the set */
	size_t n;
};
struct step_bins {
	char *by; /* "batch" … */
	struct step_bin *bin;
	size_t n;
};

/* Sorts the rows by `by`: regime, deployment, batch, context, skew, new,
 * composition, graph, or a column of the files.  Bins without rows are left
 * out.  Returns 0, or -1 with *p filled in (EXIT_USAGE).  The caller calls
 * step_bins_free() in either case. */
int step_bins_sort(struct step_bins *b, const struct step_set *set,
		   const char *by, struct problem *p);
void step_bins_free(struct step_bins *b);
/* The groups that a score has by default, up to NULL: where at least two bins
 * have 10 rows. */
extern const char *const step_bins_default[];
int step_bins_tell(const struct step_bins *b);
