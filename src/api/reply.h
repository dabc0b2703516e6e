/* api/reply.h -- the answer to a request, as one JSON document or as events, in
 * the shape of OpenAI and vLLM.  Pure: the caller says which tokens there are
 * and when they are sent.  A reply does not own its body.  [any thread] */
#pragma once
#include "api/plan.h"

/* One choice of one prompt. */
struct choice {
	struct answer_plan plan;
	uint32_t given; /* tokens that the client was sent, or will be */
	int is_over;
	size_t n_text;        /* bytes of text made so far */
	size_t n_cut;         /* characters of it behind the end */
	struct buffer unsent; /* text that is held back, or not streamed */
	struct ids ids;       /* of all its tokens, if they are returned */
	uint32_t cached_tokens;
};
struct reply {
	const struct body *body;
	const char *id, *model, *fingerprint; /* id: without "cmpl-" */
	int64_t created;
	int tells_cached; /* 1: prompt_tokens_details */
	uint32_t n_choices;
	struct choice *choice; /* [n_choices] prompt p, choice i: i + p n */
	int has_begun;         /* 1: the first events of a chat were written */
};
/* Adds n tokens to a choice; is_last: it is over; abort: by the server.  If the
 * answer is streamed, appends the events. */
void reply_tokens(struct reply *r, uint32_t choice, uint32_t n, int is_last,
		  int aborted, struct buffer *to);
/* Appends the last events of a stream: usage, [DONE]. */
void reply_end(struct reply *r, struct buffer *to);
/* Appends an error to a stream, and [DONE]. */
void reply_fail(const struct api_error *e, struct buffer *to);
/* Writes the whole answer. */
void reply_document(struct reply *r, struct buffer *to);
/* Writes the answers of /tokenize, /detokenize and of render. */
void reply_tokenize(const struct body *b, uint64_t max_model_len,
		    struct buffer *to);
void reply_detokenize(const struct body *b, struct buffer *to);
void reply_render(const struct body *b, const char *id, const char *model,
		  uint64_t max_model_len, struct buffer *to);
void reply_free(struct reply *r);
