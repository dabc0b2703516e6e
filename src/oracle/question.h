/* oracle/question.h -- a batch that a line of JSON asks about: our
 * own form, SGLang's (reqs) or vLLM's (scheduled); and the answer as a line.
 * Pure.  [any thread] */
#pragma once
#include <jansson.h>
#include "api/buffer.h"
#include "base/problem.h"
#include "cost/floor.h"
#include "stepcost/plugin.h"

enum { QUESTION_MOST = 65536 }; /* requests of a batch */
/* Columns of a batch, in memory of the caller: [QUESTION_MOST] each. */
struct question_columns {
	uint32_t prefill_new[QUESTION_MOST], prefill_ctx[QUESTION_MOST];
	uint32_t prefill_last[QUESTION_MOST], prefill_prompt[QUESTION_MOST];
	uint32_t decode_ctx[QUESTION_MOST], decode_new[QUESTION_MOST];
};
struct question {
	sc_step step; /* points to the columns */
	const json_t *id;
	const char *arm; /* NULL: all */
};
/* Reads an object; what it points to lives as long as the object.  Returns 0,
 * or -1 with *p filled in (EXIT_INPUT). */
int question_read(json_t *object, struct question_columns *c,
		  struct question *q, struct problem *p);

struct oracle_price {
	sc_result result;
	struct floor_mark floor;
};
/* Appends the members of an answer of one arm, without braces. */
void question_answer(const struct oracle_price *a, struct buffer *to);
/* Appends the id, if the question has one, and a comma. */
void question_put_id(const json_t *id, struct buffer *to);
