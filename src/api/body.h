/* api/body.h -- the body of a request as plain data: what OpenAI's and vLLM's
 * clients ask for, checked as vLLM checks it.  Fields without effect here are
 * checked for type and range; fields that would change the answer in a way that
 * a simulation cannot are refused.  Pure: no file, no clock.  The owner calls
 * body_free().  [any thread] */
#pragma once
#include "api/error.h"
#include "api/ids.h"
#include "api/items.h"

enum body_kind {
	BODY_COMPLETION,
	BODY_CHAT,
	BODY_TOKENIZE,
	BODY_DETOKENIZE,
};
struct body_limits {
	uint64_t max_model_len;
	int64_t max_prompts, max_n;
	uint32_t image_tokens; /* of a picture or sound; 0: refused */
	uint32_t chars;        /* of a token; 0: tokens are pieces */
	int json_depth;
};
enum {
	BODY_STOPS = 256,
	BODY_STOP_BYTES = 65536,
	COMPLETION_TOKENS =
	    16, /* of a completion without max_tokens, as vLLM */
};

struct body {
	enum body_kind kind;
	char *model, *cache_salt, *user, *request_id; /* NULL: not given */
	int stream, include_usage, continuous_usage, ignore_eos, echo;
	int include_stop, return_token_ids, return_token_strs, has_seed;
	int64_t n, min_tokens, priority, seed;
	/* -1: not given; 0: with echo, the prompt alone */
	int64_t max_tokens;
	const char *max_field; /* the field that gave it */
	double temperature;
	size_t n_stops;
	char *stop[BODY_STOPS];
	struct ids stop_ids;
	size_t n_prompts;
	struct ids *prompt; /* [n_prompts] */
	/* The tokens of the last message or of the prompt's text, in its first
	 * prompt. */
	size_t last_at, last_n;
	struct prompt_items items; /* of a chat */
	struct ids detokenize;
};
/* Returns 0, or -1 with *e filled in. */
int body_read(enum body_kind kind, const char *text, size_t n,
	      const struct body_limits *limits, struct body *to,
	      struct api_error *e);
void body_free(struct body *b);
