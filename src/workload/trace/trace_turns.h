/* workload/trace/trace_turns.h -- for formats with one document per file, with
 * requests that are turns of agents: they wait for others, and their prompts
 * may begin with the prompts and answers of earlier ones.
 *
 * The trace owns the turns (trace_state()); a turn may point into their text.
 */
#pragma once
#include "workload/trace/trace_document.h"

struct turn {
	/* Tokens, time, line, delay and id of the turn; input_tokens: of the
	 * whole prompt. */
	struct trace_row row;
	size_t after; /* its first in turns.after[] */
	/* 1 + the earlier turn that it continues: its prompt begins with the
	 * prompt, which is not longer, and the answer of that one.  0: none. */
	uint64_t continues;
	int is_continued;
	/* The list of hash_ids in the text, one for row.own_block_tokens of the
	 * tokens that it adds; NULL: none. */
	const char *ids;
	uint64_t scope; /* of these ids; 0: all sessions share them */
};
struct turns {
	struct trace_values file;
	struct turn *turn;
	uint64_t n, cap;
	uint64_t *after;
	size_t n_after, after_cap;
	/* Belong to the row that was read last: */
	uint32_t *tokens, tokens_cap;
	uint64_t *path;
	size_t path_cap;
};

/* Reads the file.  Returns the turns, or NULL with *p filled in. */
struct turns *turns_begin(struct trace *t, FILE *f, struct problem *p);
/* Adds a turn with the id 1 + its index.  NULL: memory is out. */
struct turn *turns_add(struct turns *s);
/* The turn that was added last waits for n ids more.  Returns NULL, or the
 * error. */
const char *turns_wait(struct turns *s, const uint64_t *id, size_t n);
/* The turn that was added last continues the turn with that index, which is not
 * longer. */
void turns_continue(struct turns *s, uint64_t index);

/* Functions for struct trace_format. */
int turns_item(struct trace *t, uint64_t index, struct trace_row *row,
	       const char **why);
void turns_unload(struct trace *t);
