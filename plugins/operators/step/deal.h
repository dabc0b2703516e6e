/* deal.h -- Deals a step out to those that compute it side by side: ranks of
 * attention data parallelism, and micro-batches of a pipeline. */
#ifndef OPERATORS_DEAL_H
#define OPERATORS_DEAL_H
#include "stepcost/plugin.h"

struct inst;
struct numbers;

/* What one rank computes in one pass.  Tokens are padded. */
struct batch {
	double decodes, context; /* sequences, and what they hold on average */
	double decode_tokens, prompt_tokens; /* as they are */
	double tokens, group_tokens;         /* of the rank; of all of them */
	double sampled, sequences; /* that emit a token; all of them */
	int has_prompts;           /* of the group: not decodes alone */
	uint32_t seat; /* its prompts are dealt to this; SEAT_ALL: all */
};
#define SEAT_ALL UINT32_MAX

/* Returns the most tokens that are padded to `tokens`: with prompts they are
 * rounded to the nearest step. */
double deal_most_tokens(const struct numbers *n, double tokens,
			int has_prompts);
/* Allocates room for prompts and seats; -1: out of memory. */
int deal_room(struct inst *s);
void deal_free(struct inst *s);
/* How many passes a step is; < 0: sc_fail(). */
int32_t deal_begin(struct inst *s, const sc_step *st, sc_error *err);
/* *b: pass number i of them. */
void deal_batch(const struct inst *s, const sc_step *st, uint32_t i,
		struct batch *b);
/* The batch of a step of decodes alone, where one rank has one pass. */
void deal_decodes(struct inst *s, const sc_step *st, struct batch *b);
/* What a decode of the step holds on average, 1 at least. */
double deal_context(const sc_step *st);
/* Prompt i is the batch's. */
int deal_has(const struct inst *s, const struct batch *b, uint32_t i);
#endif
