/* question.c -- Reads batches, and writes their prices. */
#include "oracle/question.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "cost/breakdown.h"

static int bad(struct problem *p, const char *field, const char *what)
{
	return problem_set(p, EXIT_INPUT, "%s: %s", field, what);
}

/* Reads a whole number from 0 to 2^31 - 1. */
static int whole(const json_t *v, uint32_t *to)
{
	if (!json_is_integer(v) || json_integer_value(v) < 0 ||
	    json_integer_value(v) > INT32_MAX)
		return -1;
	*to = (uint32_t)json_integer_value(v);
	return 0;
}

/* Returns how many numbers the list has; -1: it is none.  0: not there. */
static int64_t column(const json_t *o, const char *name, uint32_t *to,
		      struct problem *p)
{
	const json_t *list = json_object_get(o, name), *v;
	size_t i, n = json_array_size(list);
	if (!list || json_is_null(list))
		return 0;
	if (!json_is_array(list) || n > QUESTION_MOST)
		return bad(p, name, "not a list of at most 65536 numbers");
	json_array_foreach((json_t *)(uintptr_t)list, i,
			   v) if (whole(v, &to[i]) <
				  0) return bad(p, name,
						"not whole numbers from 0 to "
						"2147483647");
	return (int64_t)n;
}

static int number(const json_t *o, const char *name, uint32_t *to,
		  struct problem *p)
{
	const json_t *v = json_object_get(o, name);
	if (!v || json_is_null(v))
		return 0;
	return whole(v, to) < 0 ? bad(p, name,
				      "not a whole number from 0 to "
				      "2147483647")
				: 1;
}

static int same_length(int64_t n, uint32_t of, const char *name,
		       struct problem *p)
{
	if (n < 0)
		return -1;
	return n == 0 || (uint64_t)n == of
		   ? 0
		   : bad(p, name,
			 "not as many numbers as the batch has "
			 "requests of that kind");
}

static int read_own(const json_t *o, struct question_columns *c,
		    struct question *q, struct problem *p)
{
	sc_step *s = &q->step;
	int64_t prefills = column(o, "prefill_new", c->prefill_new, p);
	int64_t decodes = column(o, "decode_ctx", c->decode_ctx, p);
	if (prefills < 0 || decodes < 0)
		return -1;
	s->n_prefill = (uint32_t)prefills;
	s->n_decode = (uint32_t)decodes;
	int64_t ctx = column(o, "prefill_ctx", c->prefill_ctx, p);
	int64_t last = column(o, "prefill_last", c->prefill_last, p);
	int64_t new = column(o, "decode_new", c->decode_new, p);
	if (same_length(ctx, s->n_prefill, "prefill_ctx", p) < 0 ||
	    same_length(last, s->n_prefill, "prefill_last", p) < 0 ||
	    same_length(new, s->n_decode, "decode_new", p) < 0)
		return -1;
	if (ctx == 0)
		memset(c->prefill_ctx, 0,
		       s->n_prefill * sizeof *c->prefill_ctx);
	for (uint32_t i = 0; i < s->n_prefill; i++) {
		if (c->prefill_new[i] == 0)
			return bad(p, "prefill_new", "a chunk has no token");
		s->n_sampled += last ? c->prefill_last[i] != 0 : 1;
	}
	s->n_sampled += s->n_decode;
	s->prefill_last = last ? c->prefill_last : NULL;
	s->decode_new = new ? c->decode_new : NULL;
	return number(o, "sampled", &s->n_sampled, p) < 0 ||
		       number(o, "flags", &s->flags, p) < 0 ||
		       number(o, "dp_tokens", &s->dp_tokens, p) < 0 ||
		       number(o, "dp_max_tokens", &s->dp_max_tokens, p) < 0
		   ? -1
		   : 0;
}

/* Reads the k-th list of n numbers. */
static int row(const json_t *list, size_t k, size_t n, uint32_t *to)
{
	const json_t *r = json_array_get(list, k);
	if (json_array_size(r) != n)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (whole(json_array_get(r, i), &to[i]) < 0)
			return -1;
	return 0;
}

static void add_prefill(struct question_columns *c, sc_step *s, uint32_t new,
			uint32_t ctx, uint32_t is_last)
{
	c->prefill_new[s->n_prefill] = new;
	c->prefill_ctx[s->n_prefill] = ctx;
	c->prefill_last[s->n_prefill++] = is_last;
	s->n_sampled += is_last;
}

static void add_decode(struct question_columns *c, sc_step *s, uint32_t ctx,
		       uint32_t new)
{
	c->decode_ctx[s->n_decode] = ctx;
	c->decode_new[s->n_decode++] = new;
	s->n_sampled++;
	if (new > 1)
		s->decode_new = c->decode_new;
}

/* [extend_length, past_kv_length] each. */
static int read_reqs(const json_t *list, struct question_columns *c,
		     struct question *q, struct problem *p)
{
	uint32_t r[2];
	for (size_t k = 0; k < json_array_size(list); k++) {
		if (row(list, k, 2, r) < 0 || r[0] == 0)
			return bad(p, "reqs",
				   "not pairs [extend_length >= 1, "
				   "past_kv_length]");
		if (r[0] == 1 && r[1] > 0)
			add_decode(c, &q->step, r[1], 1);
		else
			add_prefill(c, &q->step, r[0], r[1], 1);
	}
	q->step.prefill_last = c->prefill_last;
	return 0;
}

/* [num_computed_tokens, num_scheduled_tokens, num_prompt_tokens] each. */
static int read_scheduled(const json_t *list, struct question_columns *c,
			  struct question *q, struct problem *p)
{
	sc_step *s = &q->step;
	uint32_t r[3];
	for (size_t k = 0; k < json_array_size(list); k++) {
		if (row(list, k, 3, r) < 0 || r[1] == 0)
			return bad(p, "scheduled",
				   "not triples [num_computed_tokens, "
				   "num_scheduled_tokens >= 1, "
				   "num_prompt_tokens]");
		if (r[0] >= r[2]) {
			add_decode(c, s, r[0], r[1]);
			continue;
		}
		c->prefill_prompt[s->n_prefill] = r[2];
		add_prefill(c, s, r[1], r[0], (uint64_t)r[0] + r[1] >= r[2]);
	}
	s->prefill_last = c->prefill_last;
	s->prefill_prompt = c->prefill_prompt;
	return 0;
}

int question_read(json_t *object, struct question_columns *c,
		  struct question *q, struct problem *p)
{
	const json_t *reqs = json_object_get(object, "reqs");
	const json_t *scheduled = json_object_get(object, "scheduled");
	const json_t *list = reqs ? reqs : scheduled;
	*q = (struct question){
	    .id = json_object_get(object, "id"),
	    .arm = json_string_value(json_object_get(object, "arm")),
	    .step = {.size = sizeof q->step,
		     .prefill_new = c->prefill_new,
		     .prefill_ctx = c->prefill_ctx,
		     .decode_ctx = c->decode_ctx}};
	if (!json_is_object(object))
		return problem_set(p, EXIT_INPUT, "a question is an object");
	if (list &&
	    (!json_is_array(list) || json_array_size(list) > QUESTION_MOST))
		return bad(p, reqs ? "reqs" : "scheduled",
			   "not a list of at most 65536 requests");
	int rc = reqs        ? read_reqs(reqs, c, q, p)
		 : scheduled ? read_scheduled(scheduled, c, q, p)
			     : read_own(object, c, q, p);
	for (uint32_t i = 0; rc == 0 && i < q->step.n_decode; i++)
		q->step.decode_ctx_sum += c->decode_ctx[i];
	return rc;
}

static void put_number(struct buffer *to, const char *name, double v)
{
	char text[NUMBER_SIZE];
	if (isfinite(v))
		number_format(text, v);
	buffer_say(to, ",\"%s\":%s", name, isfinite(v) ? text : "null");
}

void question_answer(const struct oracle_price *a, struct buffer *to)
{
	const sc_result *r = &a->result;
	char text[NUMBER_SIZE], name[40];
	double host_us = r->host_us > 0 ? r->host_us : 0;
	number_format(text, 1e-6 * r->total_us);
	buffer_say(to, "\"seconds\":%s", text);
	put_number(to, "host_seconds", 1e-6 * host_us);
	buffer_say(to, ",\"provenance\":{");
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		buffer_say(to, "%s\"%s\":%" PRIu32, i ? "," : "",
			   provenance_name[i], r->lookups[i]);
	buffer_add(to, "}", 1);
	put_number(to, "floor_seconds", 1e-6 * a->floor.least_us);
	buffer_say(to, ",\"faster_than_hardware\":");
	if (a->floor.is_below)
		buffer_say(to, "\"%s\"", floor_part_name[a->floor.worst.part]);
	else
		buffer_add(to, "null", 4);
	buffer_say(to, ",\"parts_us\":{");
	int n = 0;
	for (int i = 0; i < N_PARTS; i++) {
		double v = part_of(r, (enum part)i);
		if (!isfinite(v))
			continue;
		number_format(text, v);
		snprintf(name, sizeof name, "%s", part_name[i]);
		buffer_say(to, "%s\"%s\":%s", n++ ? "," : "", name, text);
	}
	buffer_add(to, "}", 1);
}

void question_put_id(const json_t *id, struct buffer *to)
{
	char *text = id ? json_dumps(id, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
	if (text)
		buffer_say(to, "\"id\":%s,", text);
	free(text);
}
