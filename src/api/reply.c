/* reply.c -- Writes answers. */
#include "api/reply.h"
#include <inttypes.h>
#include <string.h>
#include "api/pieces.h"

static int is_chat(const struct reply *r)
{
	return r->body->kind == BODY_CHAT;
}

static uint32_t prompt_of(const struct reply *r, uint32_t choice)
{
	return choice / (uint32_t)r->body->n;
}

static void put_ids(const struct ids *l, struct buffer *to)
{
	for (size_t i = 0; i < l->n; i++)
		buffer_say(to, "%c%" PRIu32, i ? ',' : '[', l->id[i]);
	buffer_add(to, l->n ? "]" : "[]", l->n ? 1 : 2);
}

static void put_ids_or_null(int wanted, const struct ids *l, struct buffer *to)
{
	if (wanted)
		put_ids(l, to);
	else
		buffer_add(to, "null", 4);
}

/* ---- text ---- */

static int begins_character(char c)
{
	return ((unsigned char)c & 0xC0) != 0x80;
}

/* Makes the text of the next n tokens; the part behind the end is cut off. */
static void make_text(struct reply *r, struct choice *c, uint32_t n)
{
	char piece[PIECE_TEXT];
	for (uint32_t k = 0; k < n; k++) {
		uint32_t id = answer_plan_token(&c->plan, c->given++);
		if (r->body->return_token_ids)
			ids_add(&c->ids, id);
		if (c->plan.has_eos && c->given == c->plan.output_tokens)
			continue;
		size_t bytes = pieces_text(id, piece), kept = 0;
		if (c->n_text < c->plan.text_bytes)
			kept = c->plan.text_bytes - c->n_text;
		kept = bytes < kept ? bytes : kept;
		buffer_add(&c->unsent, piece, kept);
		c->n_text += bytes;
		for (size_t i = kept; i < bytes; i++)
			c->n_cut += (size_t)begins_character(piece[i]);
	}
}

/* Returns how many bytes of the unsent text may leave now; characters are held
 * back, not bytes. */
static size_t sendable(const struct choice *c, int is_last)
{
	size_t n = c->unsent.n;
	if (is_last)
		return n;
	size_t hold =
	    c->plan.held_back > c->n_cut ? c->plan.held_back - c->n_cut : 0;
	while (hold && n)
		hold -= (size_t)begins_character(c->unsent.s[--n]);
	return n;
}

/* ---- parts of both forms ---- */

static const char *finish_of(const struct choice *c, int aborted)
{
	return aborted ? "abort" : c->plan.is_stopped ? "stop" : "length";
}

static void put_finish(const struct choice *c, int aborted, struct buffer *to)
{
	buffer_say(to, "\"finish_reason\":\"%s\",\"stop_reason\":",
		   finish_of(c, aborted));
	if (aborted || (!c->plan.stop_text && c->plan.stop_id < 0))
		buffer_add(to, "null", 4);
	else if (c->plan.stop_text)
		buffer_json(to, c->plan.stop_text, strlen(c->plan.stop_text));
	else
		buffer_say(to, "%" PRId64, c->plan.stop_id);
}

/* An id is of visible ASCII. */
static void put_id(const struct body *b, const char *id, struct buffer *to)
{
	buffer_say(to, "%s-", b->kind == BODY_CHAT ? "chatcmpl" : "cmpl");
	for (; *id; id++)
		buffer_say(to, *id == '"' || *id == '\\' ? "\\%c" : "%c", *id);
}

static void put_head(const struct reply *r, const char *object,
		     struct buffer *to)
{
	buffer_add(to, "{\"id\":\"", 7);
	put_id(r->body, r->id, to);
	buffer_say(to,
		   "\",\"object\":\"%s\",\"created\":%" PRId64 ",\"model\":",
		   object, r->created);
	buffer_json(to, r->model, strlen(r->model));
}

static void count(const struct reply *r, uint64_t *in, uint64_t *out,
		  uint32_t *cached)
{
	const struct body *b = r->body;
	*in = *out = 0;
	for (size_t p = 0; p < b->n_prompts; p++)
		*in += b->prompt[p].n;
	for (uint32_t i = 0; i < r->n_choices; i++)
		*out += r->choice[i].given;
	uint32_t p = b->stream ? 0 : (uint32_t)b->n_prompts - 1;
	*cached = r->choice[p * (uint32_t)b->n].cached_tokens;
	if (b->echo && b->max_tokens == 0)
		*out = 0;
}

/* all: null members, too. */
static void put_usage(const struct reply *r, int all, struct buffer *to)
{
	uint64_t in, out;
	uint32_t cached;
	count(r, &in, &out, &cached);
	buffer_say(to,
		   "{\"prompt_tokens\":%" PRIu64 ",\"total_tokens\":%" PRIu64
		   ",\"completion_tokens\":%" PRIu64,
		   in, in + out, out);
	if (r->tells_cached)
		buffer_say(to,
			   ",\"prompt_tokens_details\":{\"cached_tokens\":"
			   "%" PRIu32 "%s}",
			   cached,
			   all ? ",\"created_cache_tokens\":null,"
				 "\"multimodal_tokens\":null"
			       : "");
	else if (all)
		buffer_say(to, ",\"prompt_tokens_details\":null");
	buffer_add(to, "}", 1);
}

static void put_running_usage(const struct reply *r, struct buffer *to)
{
	if (!r->body->continuous_usage)
		return;
	buffer_add(to, ",\"usage\":", 9);
	put_usage(r, 0, to);
}

/* ---- events ---- */

static void put_event_head(const struct reply *r, struct buffer *to)
{
	buffer_add(to, "data: ", 6);
	put_head(r, is_chat(r) ? "chat.completion.chunk" : "text_completion",
		 to);
}

static void begin_event(const struct reply *r, uint32_t choice,
			struct buffer *to)
{
	put_event_head(r, to);
	buffer_say(to, ",\"choices\":[{\"index\":%" PRIu32 ",", choice);
}

static void end_event(const struct reply *r, int is_last, struct buffer *to)
{
	buffer_add(to, "}]", 2);
	put_running_usage(r, to);
	if (is_last && !r->body->include_usage)
		buffer_say(to, ",\"system_fingerprint\":\"%s\"",
			   r->fingerprint);
	buffer_add(to, "}\n\n", 3);
}

static void first_events(struct reply *r, struct buffer *to)
{
	r->has_begun = 1;
	for (uint32_t i = 0; is_chat(r) && i < r->n_choices; i++) {
		begin_event(r, i, to);
		buffer_say(to,
			   "\"delta\":{\"role\":\"assistant\",\"content\":"
			   "\"\"},\"logprobs\":null,\"finish_reason\":null}],"
			   "\"prompt_token_ids\":");
		put_ids_or_null(r->body->return_token_ids, &r->body->prompt[0],
				to);
		buffer_say(to, ",\"prompt_text\":null");
		put_running_usage(r, to);
		buffer_add(to, "}\n\n", 3);
	}
}

/* The prompt's text goes in front of an echoed answer. */
static void put_echo(const struct reply *r, uint32_t choice, struct buffer *to)
{
	const struct ids *l = &r->body->prompt[prompt_of(r, choice)];
	char piece[PIECE_TEXT];
	for (size_t i = 0; i < l->n; i++)
		if (l->id[i] != pieces_special(SPECIAL_BEGIN))
			buffer_add(to, piece, pieces_text(l->id[i], piece));
}

/* Writes an event of a stream: the text and the tokens of one choice since its
 * last event. */
static void event(struct reply *r, uint32_t choice, int is_first, int is_last,
		  int aborted, const struct ids *ids, struct buffer *to)
{
	struct choice *c = &r->choice[choice];
	const struct body *b = r->body;
	size_t n = sendable(c, is_last);
	struct buffer text = {0};
	if (is_first && b->echo)
		put_echo(r, choice, &text);
	buffer_add(&text, c->unsent.s ? c->unsent.s : "", n);
	begin_event(r, choice, to);
	buffer_say(to, is_chat(r) ? "\"delta\":{\"content\":" : "\"text\":");
	buffer_json(to, text.s ? text.s : "", text.n);
	buffer_say(to, "%s,\"logprobs\":null,", is_chat(r) ? "}" : "");
	if (is_last)
		put_finish(c, aborted, to);
	else
		buffer_say(to, "\"finish_reason\":null%s",
			   is_chat(r) ? "" : ",\"stop_reason\":null");
	if (!is_chat(r)) {
		buffer_say(to, ",\"prompt_token_ids\":");
		put_ids_or_null(is_first && b->return_token_ids,
				&b->prompt[prompt_of(r, choice)], to);
	}
	buffer_say(to, ",\"token_ids\":");
	put_ids_or_null(b->return_token_ids, ids, to);
	end_event(r, is_last, to);
	if (n)
		memmove(c->unsent.s, c->unsent.s + n, c->unsent.n - n);
	c->unsent.n -= n;
	buffer_free(&text);
}

void reply_tokens(struct reply *r, uint32_t choice, uint32_t n, int is_last,
		  int aborted, struct buffer *to)
{
	struct choice *c = &r->choice[choice];
	int is_first = c->given == 0;
	size_t had = c->ids.n;
	make_text(r, c, n);
	c->is_over |= is_last;
	if (!r->body->stream)
		return;
	if (!r->has_begun)
		first_events(r, to);
	const struct ids fresh = {.id = c->ids.id ? c->ids.id + had : NULL,
				  .n = c->ids.n - had};
	event(r, choice, is_first, is_last, aborted, &fresh, to);
}

void reply_end(struct reply *r, struct buffer *to)
{
	if (r->body->include_usage) {
		put_event_head(r, to);
		buffer_say(to, ",\"choices\":[],\"usage\":");
		put_usage(r, 0, to);
		buffer_say(to, ",\"system_fingerprint\":\"%s\"}\n\n",
			   r->fingerprint);
	}
	buffer_say(to, "data: [DONE]\n\n");
}

void reply_fail(const struct api_error *e, struct buffer *to)
{
	buffer_add(to, "data: ", 6);
	api_error_write(e, to);
	buffer_say(to, "\n\ndata: [DONE]\n\n");
}

/* ---- one document ---- */

static void put_choice(const struct reply *r, uint32_t i, struct buffer *to)
{
	const struct choice *c = &r->choice[i];
	struct buffer text = {0};
	int is_prompt_alone = r->body->echo && r->body->max_tokens == 0;
	if (r->body->echo)
		put_echo(r, i, &text);
	if (!is_prompt_alone)
		buffer_add(&text, c->unsent.s ? c->unsent.s : "", c->unsent.n);
	buffer_say(to, "%s{\"index\":%" PRIu32 ",", i ? "," : "", i);
	buffer_say(to, is_chat(r)
			   ? "\"message\":{\"role\":\"assistant\",\"content\":"
			   : "\"text\":");
	buffer_json(to, text.s ? text.s : "", text.n);
	if (is_chat(r))
		buffer_say(to,
			   ",\"refusal\":null,\"annotations\":null,\"audio\":"
			   "null,\"function_call\":null,\"reasoning\":null}");
	buffer_say(to, ",\"logprobs\":null,");
	put_finish(c, 0, to);
	buffer_say(to, ",\"token_ids\":");
	put_ids_or_null(r->body->return_token_ids, &c->ids, to);
	if (!is_chat(r)) {
		buffer_say(to, ",\"prompt_logprobs\":null,"
			       "\"prompt_token_ids\":");
		put_ids_or_null(r->body->return_token_ids,
				&r->body->prompt[prompt_of(r, i)], to);
	}
	buffer_say(to, ",\"routed_experts\":null}");
	buffer_free(&text);
}

void reply_document(struct reply *r, struct buffer *to)
{
	put_head(r, is_chat(r) ? "chat.completion" : "text_completion", to);
	buffer_say(to, ",\"choices\":[");
	for (uint32_t i = 0; i < r->n_choices; i++)
		put_choice(r, i, to);
	buffer_say(to,
		   "],\"service_tier\":null,\"system_fingerprint\":\"%s\","
		   "\"usage\":",
		   r->fingerprint);
	put_usage(r, 1, to);
	if (is_chat(r)) {
		buffer_say(to, ",\"prompt_logprobs\":null,"
			       "\"prompt_token_ids\":");
		put_ids_or_null(r->body->return_token_ids, &r->body->prompt[0],
				to);
		buffer_say(to, ",\"prompt_text\":null");
	}
	buffer_say(to, ",\"kv_transfer_params\":null,\"ec_transfer_params\":"
		       "null,\"metrics\":null}");
}

/* ---- tokens alone ---- */

void reply_tokenize(const struct body *b, uint64_t max_model_len,
		    struct buffer *to)
{
	const struct ids *l = &b->prompt[0];
	char piece[PIECE_TEXT];
	buffer_say(to,
		   "{\"count\":%zu,\"max_model_len\":%" PRIu64 ",\"tokens\":",
		   l->n, max_model_len);
	put_ids(l, to);
	buffer_say(to, ",\"token_strs\":");
	if (!b->return_token_strs) {
		buffer_say(to, "null}");
		return;
	}
	buffer_add(to, "[", 1);
	for (size_t i = 0; i < l->n; i++) {
		if (i)
			buffer_add(to, ",", 1);
		buffer_json(to, piece, pieces_text(l->id[i], piece));
	}
	buffer_say(to, "]}");
}

void reply_detokenize(const struct body *b, struct buffer *to)
{
	struct buffer text = {0};
	char piece[PIECE_TEXT];
	for (size_t i = 0; i < b->detokenize.n; i++)
		buffer_add(&text, piece,
			   pieces_text(b->detokenize.id[i], piece));
	buffer_say(to, "{\"prompt\":");
	buffer_json(to, text.s ? text.s : "", text.n);
	buffer_add(to, "}", 1);
	to->out_of_memory |= text.out_of_memory;
	buffer_free(&text);
}

/* Writes what vLLM's render endpoint answers for prompt p: the request as the
 * engine would get it.  Nothing is generated, so no length is drawn. */
static void render_one(const struct body *b, size_t p, const char *id,
		       const char *model, uint64_t max_model_len,
		       struct buffer *to)
{
	const struct answer_rules rules = {.max_model_len = max_model_len,
					   .drawn = UINT32_MAX};
	struct answer_plan a;
	answer_plan(&a, b, p, 0, &rules);
	buffer_add(to, "{\"request_id\":\"", 15);
	put_id(b, id, to);
	if (b->kind == BODY_COMPLETION)
		buffer_say(to, "-%zu", p);
	buffer_say(to, "\",\"model\":");
	buffer_json(to, model, strlen(model));
	buffer_say(to, ",\"token_ids\":");
	put_ids(&b->prompt[p], to);
	buffer_say(to,
		   ",\"sampling_params\":{\"n\":%" PRId64
		   ",\"temperature\":%.17g,\"max_tokens\":%" PRIu32
		   ",\"min_tokens\":%" PRId64 ",\"ignore_eos\":%s}}",
		   b->n, b->temperature, a.max_tokens, b->min_tokens,
		   b->ignore_eos ? "true" : "false");
}

void reply_render(const struct body *b, const char *id, const char *model,
		  uint64_t max_model_len, struct buffer *to)
{
	if (b->kind == BODY_CHAT) {
		render_one(b, 0, id, model, max_model_len, to);
		return;
	}
	for (size_t p = 0; p < b->n_prompts; p++) {
		buffer_add(to, p ? "," : "[", 1);
		render_one(b, p, id, model, max_model_len, to);
	}
	buffer_add(to, "]", 1);
}

void reply_free(struct reply *r)
{
	for (uint32_t i = 0; r->choice && i < r->n_choices; i++) {
		buffer_free(&r->choice[i].unsent);
		ids_free(&r->choice[i].ids);
	}
	free(r->choice);
	r->choice = NULL;
}
