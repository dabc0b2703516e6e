/* acceptance.c -- Decides which drafts are accepted, and counts them. */
#include "sim/drafts/acceptance.h"
#include "base/hash.h"

double acceptance_try(uint64_t seed, uint64_t row, uint32_t place)
{
	uint64_t z =
	    hash_mix(seed + ((row << 32) + place + 1) * 0x9E3779B97F4A7C15u);
	return (double)(z >> 11) * 0x1p-53;
}

uint32_t acceptance_count(const struct speculation *s, uint64_t row,
			  uint32_t place, uint32_t n)
{
	uint32_t i = 0;
	while (i < n && acceptance_try(s->seed, row, place + i) < s->accept[i])
		i++;
	return i;
}

void acceptance_add(struct acceptance_sum *to, uint32_t drafted,
		    uint32_t accepted)
{
	to->drafts++;
	to->draft_tokens += drafted;
	to->accepted_tokens += accepted;
	for (uint32_t i = 0; i < accepted; i++)
		to->accepted_at[i]++;
}

void acceptance_merge(struct acceptance_sum *to,
		      const struct acceptance_sum *from)
{
	to->drafts += from->drafts;
	to->draft_tokens += from->draft_tokens;
	to->accepted_tokens += from->accepted_tokens;
	for (uint32_t i = 0; i < ENGINE_DRAFTS; i++)
		to->accepted_at[i] += from->accepted_at[i];
}
