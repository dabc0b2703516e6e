/* body.c -- Bodies of requests, and the answers to those that are taken. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "api/reply.h"

/* The rule of tokens, and whether pictures are taken, follow from a byte. */
static struct body_limits limits_of(uint8_t byte)
{
	return (struct body_limits){.max_model_len = 300,
				    .max_prompts = 4,
				    .max_n = 3,
				    .json_depth = 20,
				    .image_tokens = byte & 4 ? 7 : 0,
				    .chars = byte & 8 ? 3 : 0};
}

static void check_items(const struct body *b)
{
	uint32_t end = 0;
	for (size_t i = 0; i < b->items.n; i++) {
		const struct prompt_item *x = &b->items.item[i];
		if (x->offset < end || x->offset + x->length > b->prompt[0].n)
			abort();
		end = x->offset + x->length;
	}
}

static void answer(const struct body *b)
{
	struct reply r = {.body = b,
			  .id = "x",
			  .model = "m",
			  .fingerprint = "f",
			  .n_choices = (uint32_t)(b->n_prompts * (size_t)b->n)};
	const struct answer_rules rules = {.max_model_len = 300, .drawn = 40};
	struct buffer out = {0};
	r.choice = calloc(r.n_choices, sizeof *r.choice);
	for (uint32_t i = 0; r.choice && i < r.n_choices; i++) {
		struct answer_plan *a = &r.choice[i].plan;
		answer_plan(a, b, i / (uint32_t)b->n, i % (uint32_t)b->n,
			    &rules);
		uint32_t n = a->stop_tokens ? a->stop_tokens : a->output_tokens;
		if (n == 0 || a->output_tokens > a->max_tokens)
			abort();
		reply_tokens(&r, i, n / 2, 0, 0, &out);
		reply_tokens(&r, i, n - n / 2, 1, 0, &out);
	}
	if (!b->stream)
		reply_document(&r, &out);
	reply_end(&r, &out);
	reply_free(&r);
	buffer_free(&out);
}

/* The first byte chooses the kind, and the limits. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct body b;
	struct api_error e;
	if (size == 0)
		return 0;
	enum body_kind kind = (enum body_kind)(data[0] % 4);
	const struct body_limits limits = limits_of(data[0]);
	int rc =
	    body_read(kind, (const char *)data + 1, size - 1, &limits, &b, &e);
	if (rc < 0 && e.status != 400)
		abort();
	if (rc == 0 && kind <= BODY_CHAT) {
		check_items(&b);
		answer(&b);
	}
	body_free(&b);
	return 0;
}
