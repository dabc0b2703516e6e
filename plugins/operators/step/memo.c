/* memo.c -- Finds the slot of a question by its hash. */
#include "step/memo.h"
#include <stdlib.h>

enum { SLOTS = 2048 }; /* a power of 2 */

struct memo {
	struct memo_slot slot[SLOTS];
};

struct memo *memo_new(void)
{
	return calloc(1, sizeof(struct memo));
}

void memo_free(struct memo *m)
{
	free(m);
}

/* Returns the slot of a key.  Tokens are small whole numbers, so neighbours get
 * slots of their own. */
static uint32_t slot_of(uint32_t kind, double a, double b, double c)
{
	/* A processor has an instruction from double to int64_t, but none to
	 * uint64_t. */
	uint64_t h = (uint64_t)(int64_t)a + 1031 * (uint64_t)(int64_t)b +
		     509 * (uint64_t)kind + 263 * (uint64_t)(int64_t)c;
	return (uint32_t)((h ^ h >> 11 ^ h >> 22) % SLOTS);
}

struct memo_slot *memo_slot(struct memo *m, uint32_t kind, double a, double b,
			    double c, int *is_new)
{
	struct memo_slot *s = &m->slot[slot_of(kind, a, b, c)];
	*is_new = !memo_is(s, kind, a, b, c);
	if (*is_new) {
		*s = (struct memo_slot){
		    .used = 1, .kind = kind, .a = a, .b = b, .c = c};
		s->price = (struct price){.share = 1,
					  .lookup_us = s->lookup_us,
					  .lookups = s->lookups,
					  .parts = &s->parts};
	}
	return s;
}
