/* recommend/verify.h -- holds the race to its guarantee: some configurations
 * that are out are searched in full, and must not serve more than the guarantee
 * allows.  [main] */
#ifndef SC_RECOMMEND_VERIFY_H
#define SC_RECOMMEND_VERIFY_H
#include "recommend/state.h"

/* Draws up to `most` entries that are out, by the seed, into a->checked.
 * Returns 0, or -1 with *p. */
int verify_draw(struct recommend_arm *a, int64_t seed, int64_t most,
		struct problem *p);
/* Takes the rate (a scale) that the search of an entry found; 0: none. */
void verify_take(struct recommend_arm *a, size_t entry, double scale);
#endif
