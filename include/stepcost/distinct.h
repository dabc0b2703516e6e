/* stepcost/distinct.h -- header-only helper for plugins: counts the distinct
 * values of one step, for lookups per provenance.  The bitmap is made at
 * create(). sc_distinct_clear() empties it again, given the same values, so
 * that eval() leaves no trace. */
#ifndef SC_DISTINCT_H
#define SC_DISTINCT_H
#include <stdlib.h>
#include "stepcost/plugin.h"

#define SC_DISTINCT_BITS (1u << 20)
#define SC_DISTINCT_BIG 1024u

struct sc_distinct {
	uint64_t *word; /* values below SC_DISTINCT_BITS */
	/* other values; beyond SC_DISTINCT_BIG of them each counts as new */
	uint64_t *big;
	uint32_t n_big;
};

static inline int32_t sc_distinct_new(struct sc_distinct *s)
{
	s->n_big = 0;
	s->word = (uint64_t *)calloc(SC_DISTINCT_BITS / 64, sizeof *s->word);
	s->big = (uint64_t *)calloc(SC_DISTINCT_BIG, sizeof *s->big);
	return s->word && s->big ? SC_OK : SC_ENOMEM;
}

static inline void sc_distinct_free(struct sc_distinct *s)
{
	free(s->word);
	free(s->big);
}

static inline int sc_distinct_big(struct sc_distinct *s, uint64_t value)
{
	for (uint32_t i = 0; i < s->n_big; i++)
		if (s->big[i] == value)
			return 0;
	if (s->n_big < SC_DISTINCT_BIG)
		s->big[s->n_big++] = value;
	return 1;
}

/* Returns 1 if the value was not seen since the last clear. */
static inline int sc_distinct_first(struct sc_distinct *s, uint64_t value)
{
	if (value >= SC_DISTINCT_BITS)
		return sc_distinct_big(s, value);
	uint64_t *w = &s->word[value / 64], bit = 1ull << value % 64;
	int first = !(*w & bit);
	*w |= bit;
	return first;
}

static inline void sc_distinct_forget(struct sc_distinct *s, uint64_t value)
{
	if (value < SC_DISTINCT_BITS)
		s->word[value / 64] = 0;
	else
		s->n_big = 0;
}
#endif
