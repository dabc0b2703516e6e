/* sim/policy/members.h -- the members of a step in an engine that works one
 * batch ahead and does not know the length of requests: SGLang and
 * TensorRT-LLM.
 *
 * For a request (struct progress), `known` tokens are its prompt and the output
 * that has been processed; `computed` of these and of the tokens in flight were
 * given to the GPU; `placeholders` count output in flight.  A request that
 * ended in a step is also in the next step if that was formed before: it costs
 * a token there, and the token is lost.  Members without names (batch.h) are
 * in the scheduler's columns; then no member with a name decodes.
 * [one thread] */
#pragma once
#include "sim/scheduler.h"

/* The batches in flight, and the batch being formed. */
struct batches_ahead {
	struct batch *batch, *newest, *older;
	int64_t processed_ns; /* for the batch before this one */
};

/* Starts with an empty step. */
void members_begin(struct batches_ahead *m, struct batch *b);
/* Sequence i computes n tokens; a prompt makes a token if it becomes
 * complete. */
void members_add(struct batches_ahead *m, const struct scheduler *s, uint32_t i,
		 uint32_t n, int is_prefill);
/* Shows the step to the cost model; only a step without prompts is replayed
 * from a graph.  Returns 0 if the step is empty. */
int members_show(const struct batches_ahead *m, struct scheduler *s,
		 sc_step *step);
void members_commit(struct batches_ahead *m, struct scheduler *s);
/* Removes the request from the batches in flight; their results for it are
 * lost.  Returns 1 if it was in the newest batch. */
int members_forget(struct batches_ahead *m, struct scheduler *s, uint32_t i);
/* Begins to process the batch; after this its members may be counted. */
void members_process(struct batches_ahead *m, struct batch *b, int64_t now);
/* Counts the token of a member.  Returns 1 if that was its last one. */
int members_count(struct batch *b, struct scheduler *s, const struct member *x,
		  int64_t now);
/* The request gives up its computed tokens and is about to wait again.  Its
 * tokens in flight stay, unless members_forget() was called before. */
void members_put_back(struct scheduler *s, uint32_t i);
/* Orders requests by their arrival. */
int members_by_order(const struct sequence *a, const struct sequence *b);
/* Counts the tokens of all members; b->last has those that got their last one,
 * in the order of arrival. */
void members_count_all(struct batch *b, struct scheduler *s, int64_t now);
