/* segments.c -- Builds prompts from segments. */
#include "workload/segments.h"
#include <stdlib.h>
#include "base/grow.h"
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
	if (!MAKE_ROOM(s->item, s->n, s->cap))
		return -1;
	s->item[s->n++] = (struct segment){id, tokens};
	return 0;
}

int segments_add_blocks(struct segments *s, const uint64_t *block, uint32_t n,
			uint32_t size, struct request *r)
{
	int64_t left = r->input_tokens;
	r->has_answer = (int64_t)n * size >= left + size;
	if (r->has_answer)
		left += r->output_tokens;
	for (uint32_t i = 0; i < n && left > 0; i++) {
		int64_t tokens = size < left ? size : left;
		if (segments_add(s, segment_id(SEGMENT_BLOCK, block[i], 0),
				 (uint32_t)tokens) < 0)
			return -1;
		left -= tokens;
	}
	return 0;
}

void segments_free(struct segments *s)
{
	free(s->item);
	*s = (struct segments){0};
}
