/* sim/route/arrivals.h -- how many requests each replica got lately.  Integers
 * only.  [one thread] */
#pragma once
#include <stdint.h>

struct arrivals_of {
	int64_t *at_ns; /* a ring buffer, the oldest first */
	uint64_t first, n, cap;
	int had_any;
};

struct arrivals {
	int64_t window_ns;
	uint32_t n;
	struct arrivals_of *of; /* [n] */
	int out_of_memory;      /* sticky */
};
/* Returns 0, or -1 if memory is out; the caller calls arrivals_free() in either
 * case. */
int arrivals_init(struct arrivals *a, uint32_t n, int64_t window_ns);
void arrivals_free(struct arrivals *a);
void arrivals_add(struct arrivals *a, uint32_t replica, int64_t now_ns);
/* Forgets the requests of the replica: from now on it never got one. */
void arrivals_forget(struct arrivals *a, uint32_t replica);
/* Returns of among[n] the first that never got a request; else the one with the
 * fewest in the window that ends now, both ends included, the first of
 * equals. */
uint32_t arrivals_fewest(struct arrivals *a, const uint32_t *among, uint32_t n,
			 int64_t now_ns);
