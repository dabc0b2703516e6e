/* segments.c -- Builds prompts from segments. */
#include <config.h>
#include "workload/segments.h"
#include <stdlib.h>
#include "base/hash.h"

uint64_t segment_id(enum segment_kind kind, uint64_t a, uint64_t b)
{
	uint64_t id = hash_mix(hash_mix((uint64_t)kind ^ hash_mix(a)) ^ b);
	return id ? id : 1;
}

int segments_add(struct segments *s, uint64_t id, uint32_t tokens)
{
	if (tokens == 0)
		return 0;
	if (s->n == s->cap) {
		uint32_t cap = s->cap ? 2 * s->cap : 16;
		struct segment *item = realloc(s->item, cap * sizeof *item);
		if (!item)
			return -1;
		s->item = item;
		s->cap = cap;
	}
	s->item[s->n++] = (struct segment){id, tokens};
	return 0;
}

void segments_free(struct segments *s)
{
	free(s->item);
	*s = (struct segments){0};
}
