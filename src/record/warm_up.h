/* record/warm_up.h -- which requests at the beginning of a run are simulated
 * and left out of its statistics: a number of them, some seconds, or, by rule,
 * those before TTFT is steady (math/mser.h).  [one thread] */
#pragma once
#include "base/problem.h"
#include "sim/observer.h"

struct warm_up_rule {
	const char *text;   /* as given; NULL: none */
	struct warm_up cut; /* zero with by_rule */
	int by_rule;        /* 1: mser */
};
/* Reads "200", "60s", "mser" or "0"; NULL: none.  Returns 0, or -1 with *p
 * filled in (EXIT_USAGE). */
int warm_up_parse(struct warm_up_rule *r, const char *text, struct problem *p);

/* TTFT of the requests that had a token. */
struct warm_up_series {
	struct warm_up_sample {
		int64_t arrival_ns;
		uint64_t row;
		double ttft_ns;
	} * item;
	size_t n, cap;
};
/* An observer that fills in the series, which must outlive it. */
struct observer warm_up_observe(struct warm_up_series *s);
/* Finds the requests to cut, in the order of arrival.  *steady: 0 if the run is
 * too short to tell.  Returns 0, or -1 if memory is out. */
int warm_up_find(struct warm_up_series *s, uint64_t *requests, int *steady);
void warm_up_free(struct warm_up_series *s);
