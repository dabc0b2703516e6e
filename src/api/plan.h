/* api/plan.h -- an answer before it is made: its tokens, its length, and how it
 * ends.  All of it follows from the request, because texts are drawn from a
 * key.  [any thread] */
#pragma once
#include "api/answer_text.h"
#include "api/body.h"

enum { STOP_REASON_NONE = -1 };
struct answer_plan {
	struct answer_source source;
	/* For the engine: the tokens of the answer, its end of sequence
	 * included, and the limit that it plans with. */
	uint32_t output_tokens, max_tokens;
	uint32_t stop_tokens;  /* after these a text ends it; 0: none does */
	int has_eos;           /* 1: the last token is the end of sequence */
	int is_stopped;        /* finish_reason "stop"; 0: "length" */
	int64_t stop_id;       /* stop_reason; STOP_REASON_NONE */
	const char *stop_text; /* of the body; NULL: none */
	/* Bytes of the answer's text that the client gets in the end;
	 * SIZE_MAX: all. */
	size_t text_bytes;
	size_t held_back; /* characters kept until the end */
};
struct answer_rules {
	uint64_t max_model_len;
	uint32_t drawn;   /* length if the request sets no limit */
	int eos_is_drawn; /* 1: also if it sets one that is higher */
	int echoes;       /* 1: the prompt's last text is the answer */
	uint64_t server_seed, number; /* of the request */
};
/* For prompt p and choice c of a body; both outlive the plan. */
void answer_plan(struct answer_plan *a, const struct body *b, size_t p,
		 uint32_t c, const struct answer_rules *r);
/* Returns token i of the answer, i < output_tokens. */
uint32_t answer_plan_token(const struct answer_plan *a, uint64_t i);
