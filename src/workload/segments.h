/* workload/segments.h -- a prompt as a list of segments, and the ids of
 * segments. */
#pragma once
#include "workload/request.h"

struct segments {
	struct segment *item;
	uint32_t n, cap;
};

/* The origin of an id; ids of different kinds are different. */
enum segment_kind {
	SEGMENT_BLOCK = 1, /* a hash id of a trace */
	SEGMENT_GROUP,     /* the common prefix of a group */
	SEGMENT_PROMPT,    /* a prompt of the pool */
	SEGMENT_TURN,      /* tokens that a turn of a session adds */
	SEGMENT_ANSWER,    /* tokens that a turn of a session generates */
	SEGMENT_ITEM,      /* the name of a picture or sound */
	SEGMENT_AGAIN,     /* an id of a trace that comes again */
};
/* Returns an id that is never 0. */
uint64_t segment_id(enum segment_kind kind, uint64_t a, uint64_t b);
/* Adds a segment; adds nothing for 0 tokens.  Returns 0, or -1 if memory is
 * out. */
int segments_add(struct segments *s, uint64_t id, uint32_t tokens);
/* Adds the segments of n blocks of `size` tokens: those of its prompt, and if
 * there are more blocks than the prompt has, those of its answer; then it
 * has_answer.  Returns 0, or -1 if memory is out. */
int segments_add_blocks(struct segments *s, const uint64_t *block, uint32_t n,
			uint32_t size, struct request *r);
void segments_free(struct segments *s);
