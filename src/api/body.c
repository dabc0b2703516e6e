/* body.c -- Reads and checks the bodies of requests. */
#include "api/body.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "api/chat.h"
#include "api/fields.h"
#include "api/pieces.h"
#include "base/json/json_cursor.h"

static const char wrong_type[] = "Bad Request";
static const char wrong_value[] = "BadRequestError";

struct reading {
	json_t *root;
	const struct body_limits *limits;
	struct body *to;
	struct api_error *e;
};

static int bad(struct reading *r, const char *type, const char *param,
	       const char *what)
{
	return api_error_set(r->e, 400, type, param, "%s", what);
}

static int bad_type(struct reading *r, const char *name, const char *what)
{
	char param[80];
	snprintf(param, sizeof param, "body.%s", name);
	return api_error_set(r->e, 400, wrong_type, param, "%s: %s", name,
			     what);
}

/* ---- values by type ---- */

/* Returns the field, or NULL if it is not there or null. */
static json_t *field(const struct reading *r, const char *name)
{
	json_t *v = json_object_get(r->root, name);
	return json_is_null(v) ? NULL : v;
}

static int is_set(const struct reading *r, const char *name)
{
	return json_is_true(field(r, name));
}

/* Returns 1 if the field was there. */
static int get_int(const struct reading *r, const char *name, int64_t *to)
{
	const json_t *v = field(r, name);
	if (v)
		*to = json_integer_value(v);
	return v != NULL;
}

static int get_number(const struct reading *r, const char *name, double *to)
{
	const json_t *v = field(r, name);
	if (v)
		*to = json_number_value(v);
	return v != NULL;
}

static int get_text(struct reading *r, const char *name, char **to)
{
	const char *s = json_string_value(field(r, name));
	*to = s ? strdup(s) : NULL;
	return !s || *to ? 0 : bad(r, wrong_type, NULL, "not enough memory");
}

/* ---- sampling ---- */

static const struct {
	const char *name;
	double low, high;
	int is_open, names_field; /* is_open: low itself is refused */
} range[] = {
    {"temperature", 0, 2, 0, 1},
    {"top_p", 0, 1, 1, 1},
    {"presence_penalty", -2, 2, 0, 0},
    {"frequency_penalty", -2, 2, 0, 0},
    {"repetition_penalty", 0, INFINITY, 1, 0},
    {"min_p", 0, 1, 0, 0},
};

static int check_ranges(struct reading *r)
{
	for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
		double v = 0;
		int got = get_number(r, range[i].name, &v);
		if (got && (!(v >= range[i].low && v <= range[i].high) ||
			    (range[i].is_open && !(v > range[i].low))))
			return api_error_set(
			    r->e, 400, wrong_value,
			    range[i].names_field ? range[i].name : NULL,
			    "%s must be in %s%g, %g], got %g.", range[i].name,
			    range[i].is_open ? "(" : "[", range[i].low,
			    range[i].high, v);
	}
	r->to->temperature = 1;
	int64_t top_k = 0;
	get_number(r, "temperature", &r->to->temperature);
	get_int(r, "top_k", &top_k);
	return top_k < -1 ? bad(r, wrong_value, NULL,
				"top_k must be -1 (disable) or at least 0.")
			  : 0;
}

/* Values that change nothing in the answer are allowed. */
static int is_harmless(const json_t *v)
{
	return !v || json_is_null(v) || json_is_false(v) ||
	       (json_is_integer(v) && json_integer_value(v) == 0);
}

static int check_refused(struct reading *r)
{
	static const char *const name[] = {
	    "logprobs",          "top_logprobs",      "kv_transfer_params",
	    "prompt_logprobs",   "use_beam_search",   "prompt_embeds",
	    "logprob_token_ids", "structured_outputs"};
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (!is_harmless(json_object_get(r->root, name[i])) ||
		    (i == 0 && json_is_integer(field(r, "logprobs"))))
			return api_error_set(r->e, 400, wrong_value, name[i],
					     "%s is not supported by a "
					     "simulated server.",
					     name[i]);
	const json_t *format = field(r, "response_format");
	const char *type = json_string_value(json_object_get(format, "type"));
	if (format && (!type || strcmp(type, "text") != 0))
		return bad(r, wrong_value, "response_format",
			   "response_format other than text is not supported "
			   "by a simulated server.");
	const json_t *choice = field(r, "tool_choice");
	const char *way = json_string_value(choice);
	if (choice && (!way || (strcmp(way, "auto") && strcmp(way, "none"))))
		return bad(r, wrong_value, "tool_choice",
			   "tool_choice other than auto and none is not "
			   "supported by a simulated server.");
	return 0;
}

static int add_stop(struct reading *r, const json_t *v, size_t *bytes)
{
	struct body *b = r->to;
	if (!json_is_string(v))
		return bad_type(r, "stop", "must be a string or strings");
	*bytes += json_string_length(v);
	if (json_string_length(v) == 0)
		return bad(r, wrong_value, NULL,
			   "stop cannot contain an empty string.");
	if (b->n_stops == BODY_STOPS || *bytes > BODY_STOP_BYTES)
		return bad(r, wrong_value, "stop",
			   "stop: at most 256 texts, 65536 bytes together.");
	b->stop[b->n_stops] = strdup(json_string_value(v));
	if (!b->stop[b->n_stops])
		return bad(r, wrong_type, NULL, "not enough memory");
	b->n_stops++;
	return 0;
}

static int get_stops(struct reading *r)
{
	const json_t *v = field(r, "stop");
	const json_t *ids = field(r, "stop_token_ids");
	size_t bytes = 0, i;
	json_t *one;
	if (v && !json_is_array(v) && add_stop(r, v, &bytes) < 0)
		return -1;
	json_array_foreach(v, i,
			   one) if (add_stop(r, one, &bytes) < 0) return -1;
	json_array_foreach(ids, i, one)
	{
		if (!json_is_integer(one) || json_integer_value(one) < 0 ||
		    json_integer_value(one) > INT32_MAX)
			return bad_type(r, "stop_token_ids",
					"must be token ids");
		ids_add(&r->to->stop_ids, (uint32_t)json_integer_value(one));
	}
	return 0;
}

static int get_lengths(struct reading *r)
{
	struct body *b = r->to;
	const char *most = "max_tokens";
	b->n = 1;
	b->max_tokens = -1;
	if (b->kind == BODY_CHAT && field(r, "max_completion_tokens"))
		most = "max_completion_tokens";
	b->max_field = most;
	get_int(r, "n", &b->n);
	get_int(r, "min_tokens", &b->min_tokens);
	get_int(r, "priority", &b->priority);
	int has_most = get_int(r, most, &b->max_tokens);
	if (has_most && b->max_tokens < (b->echo ? 0 : 1))
		return api_error_set(r->e, 400, wrong_value, most,
				     "%s must be at least 1, got %lld.", most,
				     (long long)b->max_tokens);
	if (b->n < 1 || b->n > r->limits->max_n)
		return api_error_set(r->e, 400, wrong_value, NULL,
				     "n must be from 1 to %lld, got %lld.",
				     (long long)r->limits->max_n,
				     (long long)b->n);
	if (b->min_tokens < 0 || (has_most && b->min_tokens > b->max_tokens))
		return api_error_set(r->e, 400, wrong_value, NULL,
				     "min_tokens must be from 0 to "
				     "max_tokens, got %lld.",
				     (long long)b->min_tokens);
	if (b->priority < INT32_MIN || b->priority > INT32_MAX)
		return bad_type(r, "priority", "out of range");
	return 0;
}

static int get_stream(struct reading *r)
{
	struct body *b = r->to;
	json_t *o = field(r, "stream_options");
	b->stream = is_set(r, "stream");
	if (json_object_size(o) > 0 && !b->stream)
		return bad(r, wrong_type, "stream_options",
			   "Stream options can only be defined when "
			   "`stream=True`.");
	b->include_usage = json_is_true(json_object_get(o, "include_usage"));
	b->continuous_usage =
	    b->include_usage &&
	    json_is_true(json_object_get(o, "continuous_usage_stats"));
	return 0;
}

/* What vLLM's rules refuse besides. */
static int check_rules(struct reading *r)
{
	const json_t *ids = field(r, "allowed_token_ids"), *word;
	size_t i;
	if (r->to->n > 1 && r->to->temperature < 1e-5)
		return api_error_set(
		    r->e, 400, wrong_value, NULL,
		    "n must be 1 when using greedy sampling, got %lld.",
		    (long long)r->to->n);
	if (ids && json_array_size(ids) == 0)
		return bad(r, wrong_value, "allowed_token_ids",
			   "allowed_token_ids must not be empty.");
	json_array_foreach(field(r, "bad_words"), i, word) if (
	    json_string_length(word) ==
	    0) return bad(r, wrong_value, NULL,
			  "bad_words cannot contain an empty string.");
	if (is_set(r, "continue_final_message") &&
	    is_set(r, "add_generation_prompt"))
		return bad(r, wrong_type, NULL,
			   "continue_final_message and add_generation_prompt "
			   "cannot both be true.");
	if (field(r, "chat_template"))
		return bad(r, wrong_value, NULL,
			   "A chat template of the request is not trusted.");
	return 0;
}

static int get_sampling(struct reading *r)
{
	struct body *b = r->to;
	b->ignore_eos = is_set(r, "ignore_eos");
	b->echo = is_set(r, "echo");
	b->include_stop = is_set(r, "include_stop_str_in_output");
	b->return_token_ids = is_set(r, "return_token_ids");
	b->has_seed = get_int(r, "seed", &b->seed);
	if (get_stream(r) < 0 ||
	    get_text(r, "cache_salt", &b->cache_salt) < 0 ||
	    get_text(r, "user", &b->user) < 0 ||
	    get_text(r, "request_id", &b->request_id) < 0)
		return -1;
	if (b->kind == BODY_CHAT)
		b->echo = 0;
	if (field(r, "cache_salt") && (!b->cache_salt || !*b->cache_salt))
		return bad(r, wrong_type, "cache_salt",
			   "cache_salt must be a non-empty string.");
	return check_ranges(r) < 0 || get_lengths(r) < 0 || get_stops(r) < 0 ||
		       check_rules(r) < 0
		   ? -1
		   : check_refused(r);
}

/* ---- prompts ---- */

static struct ids *add_prompt(struct reading *r)
{
	struct body *b = r->to;
	return &b->prompt[b->n_prompts++];
}

static int add_id(struct reading *r, struct ids *to, const json_t *v,
		  const char *name)
{
	if (!json_is_integer(v) || json_integer_value(v) < 0 ||
	    json_integer_value(v) > INT32_MAX)
		return bad_type(r, name, "must be text or token ids");
	ids_add(to, (uint32_t)json_integer_value(v));
	return 0;
}

static int add_ids(struct reading *r, const json_t *list)
{
	struct ids *to = add_prompt(r);
	size_t i;
	json_t *v;
	json_array_foreach(list, i,
			   v) if (add_id(r, to, v, "prompt") < 0) return -1;
	r->to->last_n = to->n;
	return to->n ? 0
		     : bad(r, wrong_type, "prompt",
			   "The prompt must have at least one token.");
}

static int add_text(struct reading *r, const json_t *v, int begins)
{
	struct ids *to = add_prompt(r);
	if (!json_is_string(v))
		return bad_type(r, "prompt", "must be text or token ids");
	if (begins)
		ids_add(to, pieces_special(SPECIAL_BEGIN));
	r->to->last_at = to->n;
	pieces_encode_by(r->limits->chars, json_string_value(v),
			 json_string_length(v), r->limits->max_model_len, to);
	r->to->last_n = to->n - r->to->last_at;
	return 0;
}

static int get_prompts(struct reading *r)
{
	json_t *v = field(r, "prompt"), *one;
	size_t n = json_is_array(v) ? json_array_size(v) : 1, i;
	int is_ids = json_is_integer(json_array_get(v, 0));
	int begins = !json_is_false(field(r, "add_special_tokens"));
	if (!v || n == 0 ||
	    (r->to->kind == BODY_COMPLETION && json_is_string(v) &&
	     json_string_length(v) == 0))
		return bad(r, wrong_type, "prompt",
			   "Either prompt or prompt_embeds must be provided "
			   "and non-empty.");
	if (!is_ids && n > (size_t)r->limits->max_prompts)
		return api_error_set(r->e, 400, wrong_type, "prompt",
				     "At most %lld prompts, got %zu.",
				     (long long)r->limits->max_prompts, n);
	r->to->prompt = calloc(is_ids ? 1 : n, sizeof *r->to->prompt);
	if (!r->to->prompt)
		return bad(r, wrong_type, NULL, "not enough memory");
	if (is_ids)
		return add_ids(r, v);
	if (!json_is_array(v))
		return add_text(r, v, begins);
	json_array_foreach(v, i, one) if (json_is_array(one)
					      ? add_ids(r, one) < 0
					      : add_text(r, one, begins) <
						    0) return -1;
	return 0;
}

static int get_chat(struct reading *r, const char *text, size_t n)
{
	struct chat c = {.root = r->root,
			 .text = text,
			 .n = n,
			 .most = r->limits->max_model_len,
			 .chars = r->limits->chars,
			 .image_tokens = r->limits->image_tokens,
			 .items = &r->to->items};
	r->to->prompt = calloc(1, sizeof *r->to->prompt);
	if (!r->to->prompt)
		return bad(r, wrong_type, NULL, "not enough memory");
	c.to = add_prompt(r);
	int rc = chat_encode(&c, r->e);
	r->to->last_at = c.last_at;
	r->to->last_n = c.last_n;
	return rc;
}

/* Keeps the items that are whole in the tokens that are kept. */
static void cut_items(struct prompt_items *l, int at_end, uint32_t cut,
		      uint32_t keep)
{
	uint32_t from = at_end ? 0 : cut;
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++) {
		struct prompt_item x = l->item[i];
		if (x.offset < from || x.offset + x.length > from + keep)
			continue;
		x.offset -= from;
		l->item[n++] = x;
	}
	l->n = n;
}

static int truncate_prompts(struct reading *r)
{
	const struct body *b = r->to;
	int64_t most = 0, room = (int64_t)r->limits->max_model_len;
	int is_given = get_int(r, "truncate_prompt_tokens", &most);
	int at_end =
	    json_is_string(field(r, "truncation_side")) &&
	    !strcmp(json_string_value(field(r, "truncation_side")), "right");
	room -= b->max_tokens >= 0           ? b->max_tokens
		: b->kind == BODY_COMPLETION ? COMPLETION_TOKENS
					     : 0;
	if (!is_given)
		return 0;
	if (most == -1)
		most = room;
	if (most < 1 || most > room)
		return api_error_set(r->e, 400, wrong_value,
				     "truncate_prompt_tokens",
				     "truncate_prompt_tokens must be -1, or "
				     "from 1 to max_model_len - %s = %lld.",
				     b->max_field, (long long)room);
	for (size_t i = 0; i < r->to->n_prompts; i++) {
		struct ids *l = &r->to->prompt[i];
		size_t keep = (size_t)most;
		if (l->n <= keep)
			continue;
		if (!at_end)
			memmove(l->id, l->id + l->n - keep,
				keep * sizeof *l->id);
		cut_items(&r->to->items, at_end, (uint32_t)(l->n - keep),
			  (uint32_t)keep);
		l->n = keep;
		r->to->last_at = 0;
		r->to->last_n = keep;
	}
	return 0;
}

static int check_length(struct reading *r, const struct ids *l)
{
	const struct body *b = r->to;
	uint64_t most = r->limits->max_model_len;
	uint64_t out = b->max_tokens > 0 ? (uint64_t)b->max_tokens : 0;
	int is_cut = l->n > most;
	const char *least = is_cut ? "at least " : "";
	uint64_t in = is_cut ? most + 1 : l->n;
	if (out > most)
		return api_error_set(
		    r->e, 400, wrong_value, b->max_field,
		    "%s is too large: %llu. This model's maximum context "
		    "length is %llu tokens.",
		    b->max_field, (unsigned long long)out,
		    (unsigned long long)most);
	if (in + (out ? out : 1) <= most)
		return 0;
	return api_error_set(
	    r->e, 400, wrong_value, "input_tokens",
	    "This model's maximum context length is %llu tokens. However, you "
	    "requested %llu output tokens and your prompt contains %s%llu "
	    "input tokens, for a total of %s%llu tokens. Please reduce the "
	    "length of the input prompt or the number of requested output "
	    "tokens.",
	    (unsigned long long)most, (unsigned long long)out, least,
	    (unsigned long long)in, least, (unsigned long long)(in + out));
}

static int get_detokenize(struct reading *r)
{
	json_t *v = field(r, "tokens"), *one;
	size_t i;
	if (!json_is_array(v))
		return bad_type(r, "tokens", "must be a list of token ids");
	json_array_foreach(v, i, one) if (add_id(r, &r->to->detokenize, one,
						 "tokens") < 0) return -1;
	return 0;
}

/* ---- all of it ---- */

static int read_all(struct reading *r, const char *text, size_t n)
{
	struct body *b = r->to;
	int is_chat = b->kind == BODY_CHAT ||
		      (b->kind == BODY_TOKENIZE && field(r, "messages"));
	enum fields_of of = b->kind == BODY_DETOKENIZE   ? OF_DETOKENIZE
			    : b->kind == BODY_COMPLETION ? OF_COMPLETION
			    : b->kind == BODY_CHAT       ? OF_CHAT
			    : is_chat                    ? OF_TOKENIZE_CHAT
							 : OF_TOKENIZE_TEXT;
	if (fields_check(r->root, of, r->e) < 0 ||
	    get_text(r, "model", &b->model) < 0)
		return -1;
	if (b->kind == BODY_DETOKENIZE)
		return get_detokenize(r);
	b->return_token_strs = is_set(r, "return_token_strs");
	if (b->kind != BODY_TOKENIZE && get_sampling(r) < 0)
		return -1;
	if ((is_chat ? get_chat(r, text, n) : get_prompts(r)) < 0)
		return -1;
	if (b->kind == BODY_TOKENIZE)
		return 0;
	if (truncate_prompts(r) < 0)
		return -1;
	for (size_t i = 0; i < b->n_prompts; i++) {
		if (b->prompt[i].out_of_memory)
			return bad(r, wrong_type, NULL, "not enough memory");
		if (check_length(r, &b->prompt[i]) < 0)
			return -1;
	}
	return 0;
}

int body_read(enum body_kind kind, const char *text, size_t n,
	      const struct body_limits *limits, struct body *to,
	      struct api_error *e)
{
	json_error_t why;
	struct reading r = {.limits = limits, .to = to, .e = e};
	*to = (struct body){.kind = kind};
	*e = (struct api_error){0};
	if (json_depth(text, n) > limits->json_depth)
		return api_error_set(e, 400, wrong_type, "body",
				     "JSON is nested deeper than %d.",
				     limits->json_depth);
	r.root = json_loadb(text, n, JSON_ALLOW_NUL, &why);
	if (!r.root)
		return api_error_set(e, 400, wrong_type, "body",
				     "JSON decode error at byte %d: %s",
				     why.position, why.text);
	int rc = json_is_object(r.root)
		     ? read_all(&r, text, n)
		     : api_error_set(e, 400, wrong_type, "body",
				     "The body must be an object.");
	json_decref(r.root);
	return rc;
}

void body_free(struct body *b)
{
	free(b->model), free(b->cache_salt), free(b->user);
	free(b->request_id), free(b->items.item);
	for (size_t i = 0; i < b->n_stops; i++)
		free(b->stop[i]);
	for (size_t i = 0; i < b->n_prompts; i++)
		ids_free(&b->prompt[i]);
	free(b->prompt);
	ids_free(&b->stop_ids);
	ids_free(&b->detokenize);
	*b = (struct body){0};
}
