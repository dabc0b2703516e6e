/* fields.c -- The types of the fields of a body. */
#include "api/fields.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum type {
	BOOL,
	INT,
	STRICT_INT, /* no text, no boolean */
	NUMBER,
	TEXT,
	SIDE,
	EFFORT,
	OBJECT,
	BIAS, /* numbers by token ids */
	INTS,
	TEXTS,
	OBJECTS,
};
static const char *const must_be[] = {
    [BOOL] = "true or false",
    [INT] = "a whole number",
    [STRICT_INT] = "a whole number",
    [NUMBER] = "a number",
    [TEXT] = "a string",
    [SIDE] = "'left' or 'right'",
    [EFFORT] = "none, minimal, low, medium, high, xhigh or max",
    [OBJECT] = "an object",
    [BIAS] = "an object of numbers by token ids",
    [INTS] = "a list of whole numbers",
    [TEXTS] = "a list of strings",
    [OBJECTS] = "a list of objects",
};

enum {
	C = OF_COMPLETION,
	H = OF_CHAT,
	T = OF_TOKENIZE_TEXT,
	S = OF_TOKENIZE_CHAT,
	D = OF_DETOKENIZE,
	NULLS = 32, /* null is taken: as if it were not there */
};
static const struct {
	const char *name;
	enum type type;
	int of;
} table[] = {
    {"add_generation_prompt", BOOL, H | S},
    {"add_special_tokens", BOOL, C | H | T | S},
    {"allowed_token_ids", INTS, C | H | NULLS},
    {"bad_words", TEXTS, H},
    {"chat_template", TEXT, H | S | NULLS},
    {"chat_template_kwargs", OBJECT, H | S | NULLS},
    {"continue_final_message", BOOL, H | S},
    {"documents", OBJECTS, H | NULLS},
    {"echo", BOOL, C | NULLS},
    {"echo", BOOL, H},
    {"frequency_penalty", NUMBER, C | H | NULLS},
    {"ignore_eos", BOOL, C | H},
    {"include_reasoning", BOOL, H},
    {"include_stop_str_in_output", BOOL, C | H},
    {"length_penalty", NUMBER, C | H},
    {"logit_bias", BIAS, C | H | NULLS},
    {"max_completion_tokens", INT, H | NULLS},
    {"max_tokens", INT, C | H | NULLS},
    {"media_io_kwargs", OBJECT, H | S | NULLS},
    {"min_p", NUMBER, C | H | NULLS},
    {"min_tokens", INT, C | H},
    {"mm_processor_kwargs", OBJECT, H | S | NULLS},
    {"model", TEXT, C | H | T | S | D | NULLS},
    {"n", INT, C},
    {"n", INT, H | NULLS},
    {"parallel_tool_calls", BOOL, H | NULLS},
    {"presence_penalty", NUMBER, C | H | NULLS},
    {"priority", INT, C | H},
    {"prompt", TEXT, T},
    {"reasoning_effort", EFFORT, H | NULLS},
    {"repetition_detection", OBJECT, C | H | NULLS},
    {"repetition_penalty", NUMBER, C | H | NULLS},
    {"request_id", TEXT, C | H},
    {"return_prompt_text", BOOL, H | NULLS},
    {"return_token_ids", BOOL, C | H | NULLS},
    {"return_token_strs", BOOL, T | S | NULLS},
    {"return_tokens_as_token_ids", BOOL, C | H | NULLS},
    {"seed", INT, C | H | NULLS},
    {"skip_special_tokens", BOOL, C | H},
    {"spaces_between_special_tokens", BOOL, C | H},
    {"stop_token_ids", INTS, C | H | NULLS},
    {"stream", BOOL, C | H | NULLS},
    {"stream_options", OBJECT, C | H | NULLS},
    {"suffix", TEXT, C | NULLS},
    {"temperature", NUMBER, C | H | NULLS},
    {"thinking_token_budget", STRICT_INT, C | H | NULLS},
    {"tools", OBJECTS, H | S | NULLS},
    {"top_k", INT, C | H | NULLS},
    {"top_p", NUMBER, C | H | NULLS},
    {"truncate_prompt_tokens", INT, C | H | NULLS},
    {"truncation_side", SIDE, C | H | NULLS},
    {"user", TEXT, C | H | NULLS},
    {"vllm_xargs", OBJECT, C | H | NULLS},
};

typedef int compare(const char *, const char *);

static int is_one_of(const char *s, const char *const *words, compare *differ)
{
	while (*words && (!s || differ(s, *words) != 0))
		words++;
	return *words != NULL;
}

/* Returns the boolean that a value stands for, or NULL. */
static json_t *to_bool(const json_t *v)
{
	static const char *const yes[] = {"1",   "t",  "true", "y",
					  "yes", "on", NULL};
	static const char *const no[] = {"0",  "f",   "false", "n",
					 "no", "off", NULL};
	double x = json_is_number(v) ? json_number_value(v) : 2;
	const char *s = json_string_value(v);
	if (json_is_true(v) || (x >= 1 && x <= 1) ||
	    is_one_of(s, yes, strcasecmp))
		return json_true();
	if (json_is_false(v) || (x >= 0 && x <= 0) ||
	    is_one_of(s, no, strcasecmp))
		return json_false();
	return NULL;
}

/* Returns the number that a value stands for, or NULL. */
static json_t *to_number(const json_t *v)
{
	const char *s = json_string_value(v);
	char *end = NULL;
	if (json_is_number(v))
		return json_copy((json_t *)v);
	if (json_is_boolean(v))
		return json_integer(json_is_true(v));
	if (!s || strspn(s, " +-.0123456789eE") != strlen(s))
		return NULL;
	errno = 0;
	long long whole = strtoll(s, &end, 10);
	end += strspn(end, " ");
	if (end != s && !*end && errno == 0 && strpbrk(s, "0123456789"))
		return json_integer(whole);
	double x = strtod(s, &end);
	end += strspn(end, " ");
	return end != s && !*end && isfinite(x) ? json_real(x) : NULL;
}

/* Returns the whole number that a number is, or NULL.  Takes the number. */
static json_t *to_int(json_t *number)
{
	double x = json_is_real(number) ? json_real_value(number) : 0;
	if (!json_is_real(number))
		return number;
	json_decref(number);
	return fabs(x) <= 9e15 && trunc(x) >= x && trunc(x) <= x
		   ? json_integer((json_int_t)x)
		   : NULL;
}

static json_t *typed(json_t *v, enum type type);

/* Each member of a list, or of an object with token ids as keys. */
static json_t *typed_all(json_t *v, enum type of)
{
	json_t *one;
	size_t i;
	const char *key;
	char *end;
	json_array_foreach(v, i, one)
	{
		one = typed(one, of);
		if (!one || json_array_set_new(v, i, one) < 0)
			return NULL;
	}
	if (json_is_array(v))
		return json_incref(v);
	json_object_foreach(v, key, one)
	{
		strtoll(key, &end, 10);
		one = *key && !*end ? typed(one, of) : NULL;
		if (!one || json_object_set_new(v, key, one) < 0)
			return NULL;
	}
	return json_incref(v);
}

/* Returns the value as the type has it, a new reference, or NULL. */
static json_t *typed(json_t *v, enum type type)
{
	static const char *const side[] = {"left", "right", NULL};
	static const char *const effort[] = {"none", "minimal", "low", "medium",
					     "high", "xhigh",   "max", NULL};
	const char *s = json_string_value(v);
	switch (type) {
	case BOOL:
		return to_bool(v);
	case INT:
		return to_int(to_number(v));
	case STRICT_INT:
		return json_is_integer(v) ? json_incref(v) : NULL;
	case NUMBER:
		return to_number(v);
	case TEXT:
		return s ? json_incref(v) : NULL;
	case SIDE:
		return is_one_of(s, side, strcmp) ? json_incref(v) : NULL;
	case EFFORT:
		return is_one_of(s, effort, strcmp) ? json_incref(v) : NULL;
	case OBJECT:
		return json_is_object(v) ? json_incref(v) : NULL;
	case BIAS:
		return json_is_object(v) ? typed_all(v, NUMBER) : NULL;
	case INTS:
		return json_is_array(v) ? typed_all(v, INT) : NULL;
	case TEXTS:
		return json_is_array(v) ? typed_all(v, TEXT) : NULL;
	case OBJECTS:
		return json_is_array(v) ? typed_all(v, OBJECT) : NULL;
	}
	return NULL;
}

/* Replaces a member of a body by the same value in the type that vLLM makes of
 * it; an error if that is impossible. */
static int check(json_t *in, const char *path, const char *name, enum type type,
		 int takes_null, struct api_error *e)
{
	json_t *v = json_object_get(in, name), *to;
	char param[80];
	if (!v || (takes_null && json_is_null(v)))
		return 0;
	to = typed(v, type);
	snprintf(param, sizeof param, "%s.%s", path, name);
	if (!to)
		return api_error_set(e, 400, "Bad Request", param,
				     "%s: must be %s", name, must_be[type]);
	return json_object_set_new(in, name, to) == 0
		   ? 0
		   : api_error_set(e, 400, "Bad Request", NULL,
				   "not enough memory");
}

int fields_check(json_t *body, enum fields_of of, struct api_error *e)
{
	static const char path[] = "body.stream_options";
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if ((table[i].of & (int)of) &&
		    check(body, "body", table[i].name, table[i].type,
			  table[i].of & NULLS, e) < 0)
			return -1;
	json_t *o = json_object_get(body, "stream_options");
	return !(of & (C | H)) || !json_is_object(o)
		   ? 0
		   : -(check(o, path, "include_usage", BOOL, 1, e) < 0 ||
		       check(o, path, "continuous_usage_stats", BOOL, 1, e) <
			   0);
}
