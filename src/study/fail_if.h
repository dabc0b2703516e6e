/* study/fail_if.h -- bounds on the figures of a comparison, for tests of cost
 * models: "mean_tpot_ms>+2%" is broken by an arm that exceeds the first arm by
 * more.  [any thread] */
#pragma once
#include "record/metrics.h"
#include "study/results.h"

enum fail_if_against {
	FAIL_IF_VALUE,      /* the figure itself: ">500" */
	FAIL_IF_DIFFERENCE, /* its difference from the first arm: ">+0.5" */
	FAIL_IF_SHARE,      /* the same in parts of the first arm's: ">+2%" */
};
struct fail_if {
	const char *text; /* as it was given */
	const struct metric *metric;
	enum fail_if_against against;
	int above; /* 1: broken by more, 0: by less */
	double limit;
};
enum { FAIL_IF_LINE = 400 };

/* Parses METRIC>LIMIT or METRIC<LIMIT; a sign before the number makes it a
 * difference, and % a share.  Returns 0, or -1 with *p filled in (EXIT_USAGE).
 */
int fail_if_parse(struct fail_if *f, const char *text, struct problem *p);
/* Returns 1 if the i-th arm breaks the bound, and writes a sentence with the
 * figures.  An arm without the figure breaks every bound on it; one that failed
 * breaks none, because its error is reported.  The first arm has no difference
 * to itself. */
int fail_if_broken(const struct fail_if *f, const struct results *r, size_t i,
		   char line[FAIL_IF_LINE]);
