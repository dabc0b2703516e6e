/* keys/prices.h -- the price of a GPU: the median of the list prices that a
 * file names.
 *
 * The file is a CSV with the columns gpu, usd_per_hour, kind ("on demand"),
 * as_of ("2026-09": when the list was read) and list (who asks that price);
 * others are allowed.  A GPU may have several rows, all of one kind.
 * [any thread] */
#pragma once
#include "base/problem.h"

/* Plain data: it crosses process borders. */
struct price {
	double usd_per_hour; /* of one GPU; 0: the file has none              */
	unsigned lists; /* 0: usd_per_hour was configured                    */
	char kind[24];  /* "on demand"                                        */
	char from[8],
	    to[8]; /* months of the oldest and the newest list: "2026-09" */
};

/* Fills in *out for the GPU of that name.  Returns 0, also if the file does not
 * have it, or -1 with "path:line: the fault" in *p. */
int prices_find(const char *path, const char *gpu, struct price *out,
		struct problem *p);
/* Writes "on demand, median of 9 lists, 2026-05 to 2026-11".  Returns buf. */
enum { PRICE_TEXT = 80 };
const char *price_text(char buf[PRICE_TEXT], const struct price *x);
