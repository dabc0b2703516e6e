/* assignment.h -- Assigns the work of a step to those that compute it side by
 * side: ranks of attention data parallelism, and micro-batches of a pipeline.
 */
#ifndef OPERATORS_ASSIGNMENT_H
#define OPERATORS_ASSIGNMENT_H
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
	uint32_t rank_of_pass;     /* that has its prompts; EVERY_RANK: all */
};
#define EVERY_RANK UINT32_MAX

/* Returns the most tokens that are padded to `tokens`: with prompts they are
 * rounded to the nearest step. */
double assignment_most_tokens(const struct numbers *n, double tokens,
			      int has_prompts);
/* Allocates room for prompts and ranks; -1: out of memory. */
int assignment_create(struct inst *s);
void assignment_free(struct inst *s);
/* How many passes a step is; < 0: sc_fail(). */
int32_t assignment_begin(struct inst *s, const sc_step *st, sc_error *err);
/* *b: pass number i of them. */
void assignment_batch(const struct inst *s, const sc_step *st, uint32_t i,
		      struct batch *b);
/* The batch of a step of decodes alone, where one rank has one pass. */
void assignment_decodes(struct inst *s, const sc_step *st, struct batch *b);
/* What a decode of the step holds on average, 1 at least. */
double assignment_context(const sc_step *st);
/* Prompt i is the batch's. */
int assignment_has(const struct inst *s, const struct batch *b, uint32_t i);
#endif
