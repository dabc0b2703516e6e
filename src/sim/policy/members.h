/* sim/policy/members.h -- what policies do with the members of a step whose
 * engine is one batch ahead and does not know how long requests are: SGLang's
 * and TensorRT-LLM's.
 *
 * Of a request (struct progress): `known` tokens are its prompt and the output
 * that has been processed, `computed` of them and of those in flight were given
 * to the GPU, `placeholders` stand for output in flight.  Who ended in a step
 * is in the next one, too, if that was formed before: it costs a token there,
 * and nothing comes of it.  Members without names (batch.h) stand in the
 * scheduler's columns, and then no named member decodes.  [one thread] */
#ifndef SC_SIM_POLICY_MEMBERS_H
#define SC_SIM_POLICY_MEMBERS_H
#include "sim/scheduler.h"

/* The batches in flight, and the one being formed. */
struct members {
	struct batch *batch, *newest, *older;
	int64_t processed_ns; /* the batch before this one                   */
};

/* Nothing is in the step yet. */
void members_begin(struct members *m, struct batch *b);
/* Sequence i computes n tokens; a prompt makes a token if it is complete. */
void members_add(struct members *m, const struct scheduler *s, uint32_t i,
		 uint32_t n, int is_prefill);
/* Shows the step; only one without prompts is replayed from a graph.  0: there
 * is none. */
int members_show(const struct members *m, struct scheduler *s, sc_step *step);
void members_commit(struct members *m, struct scheduler *s);
/* The request is not in the batches in flight any more: what they make of it is
 * lost.  1: it was in the newest one. */
int members_forget(struct members *m, struct scheduler *s, uint32_t i);
/* The batch is processed: its members may be counted. */
void members_process(struct members *m, struct batch *b, int64_t now);
/* The member has been computed; 1: that was its last token. */
int members_count(struct batch *b, struct scheduler *s, const struct member *x,
		  int64_t now);
/* It gives up what it has computed and is about to wait again.  What is in
 * flight is kept, unless it is forgotten first. */
void members_put_back(struct scheduler *s, uint32_t i);
/* Requests in the order in which they came. */
int members_by_order(const struct sequence *a, const struct sequence *b);
#endif
