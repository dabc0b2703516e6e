/* stepcost/exec/protocol.h -- header-only helper for plugins: the lines that a
 * program receives and the lines that it answers, as doc/exec-protocol.md
 * describes them: first the knobs and the setup, then a line for each step.
 * jansson reads and writes JSON; the line of a step, which is written often, is
 * put together here.
 *
 *   int32_t rc = sc_exec_greet(&process, &plugin, setup, knobs, &hello,
 *                              err);
 *   if (sc_exec_put_step(&line, step, hello.ready) == SC_OK)
 *           rc = sc_exec_ask(&process, line.text, line.n, err);
 *   rc = sc_exec_read(&process, &plugin, out, err);
 */
#ifndef SC_EXEC_PROTOCOL_H
#define SC_EXEC_PROTOCOL_H
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include "stepcost/exec/fields.h"
#include "stepcost/exec/process.h"
#include "stepcost/exec/setup.h"

/* ---- the first line ---- */

/* Sends a value as a line, and reads one line. */
static inline int32_t sc_exec_ask_json(struct sc_exec_process *x,
				       const json_t *v, sc_error *err)
{
	char *text = json_dumps(v, JSON_COMPACT);
	size_t n = text ? strlen(text) : 0;
	char *line = text ? (char *)realloc(text, n + 1) : NULL;
	if (!line) {
		free(text);
		return sc_fail(err, SC_ENOMEM, "out of memory");
	}
	line[n] = '\n';
	int32_t rc = sc_exec_ask(x, line, n + 1, err);
	free(line);
	return rc;
}

/* The answer to the first line. */
struct sc_exec_hello {
	char error[160];
	uint32_t ready; /* the protocol */
	uint32_t has_costs;
	sc_request_costs costs;
};

/* The formatter takes #name for a directive. */
/* clang-format off */
#define SC_EXEC_COST(name)                                                     \
	{#name, SC_EXEC_DOUBLE, 1, offsetof(sc_request_costs, name), NULL}
/* clang-format on */
static inline int32_t sc_exec_get_hello(const char *line,
					struct sc_exec_hello *h, sc_error *err)
{
	static const struct sc_exec_field field[] = {
	    {"ready", SC_EXEC_UINT32, 1, offsetof(struct sc_exec_hello, ready),
	     NULL},
	    {"error", SC_EXEC_TEXT, sizeof h->error,
	     offsetof(struct sc_exec_hello, error), NULL}};
	static const struct sc_exec_field cost[] = {
	    SC_EXEC_COST(before_us), SC_EXEC_COST(prompt_token_us),
	    SC_EXEC_COST(after_us), SC_EXEC_COST(output_token_us)};
	json_t *all = sc_exec_parse(line, err), *costs = NULL;
	int32_t rc = all ? SC_OK : SC_EINVAL;
	if (rc == SC_OK && (costs = json_object_get(all, "request_costs"))) {
		h->has_costs = 1;
		rc = sc_exec_get_members(costs, cost, 4, &h->costs, err);
		json_object_del(all, "request_costs");
	}
	if (rc == SC_OK)
		rc = sc_exec_get_members(all, field, 2, h, err);
	json_decref(all);
	return rc;
}

/* Sends the first line.  The program answers {"ready":1}, {"ready":2}, with
 * "request_costs" if it has them, or {"error":"..."}. */
static inline int32_t sc_exec_greet(struct sc_exec_process *x,
				    const sc_plugin *p, const sc_setup *s,
				    const void *block, struct sc_exec_hello *h,
				    sc_error *err)
{
	sc_error why = {.size = sizeof why};
	json_t *setup = sc_exec_setup(p, s, block);
	int32_t rc = sc_exec_ask_json(x, setup, err);
	json_decref(setup);
	*h = (struct sc_exec_hello){.costs = {.size = sizeof h->costs}};
	if (rc < 0)
		return rc;
	if (sc_exec_get_hello(x->answer, h, &why) < 0)
		return sc_exec_give_up(x, why.text, err);
	if (h->error[0] || h->ready < SC_EXEC_PROTOCOL ||
	    h->ready > SC_EXEC_NEWEST_PROTOCOL)
		return sc_exec_give_up(
		    x, h->error[0] ? h->error : "does not answer {\"ready\":1}",
		    err);
	return SC_OK;
}

/* ---- one step ---- */

/* A line that is written again for each step. */
struct sc_exec_line {
	char *text;
	size_t n, cap;
};

#define SC_EXEC_DIGITS 10 /* of the largest uint32_t */

/* Writes ,"name":[1,2].  Returns the place behind it. */
static inline char *sc_exec_put_column(char *at, const char *name,
				       const uint32_t *v, uint32_t n)
{
	at += sprintf(at, ",\"%s\":[", name);
	for (uint32_t i = 0; i < n; i++) {
		char digit[SC_EXEC_DIGITS];
		size_t d = 0;
		uint32_t rest = v[i];
		do
			digit[d++] = (char)('0' + rest % 10);
		while (rest /= 10);
		while (d)
			*at++ = digit[--d];
		*at++ = ',';
	}
	at -= n > 0; /* the last comma */
	*at++ = ']';
	return at;
}

/* Makes room for n more bytes behind l->n.  Returns SC_OK, or SC_ENOMEM. */
static inline int32_t sc_exec_reserve(struct sc_exec_line *l, size_t n)
{
	if (l->n + n <= l->cap)
		return SC_OK;
	char *text = (char *)realloc(l->text, 2 * (l->n + n));
	if (!text)
		return SC_ENOMEM;
	l->text = text;
	l->cap = 2 * (l->n + n);
	return SC_OK;
}

/* Adds the object of a step to the line.  Returns SC_OK, or SC_ENOMEM. */
static inline int32_t sc_exec_add_step(struct sc_exec_line *l, const sc_step *s,
				       uint32_t protocol)
{
	enum { NAMES = 300 }; /* all names, brackets and single numbers */
	size_t np = s->n_prefill, nd = s->n_decode;
	if (sc_exec_reserve(l, NAMES + (SC_EXEC_DIGITS + 1) *
					   (4 * np + 2 * nd)) != SC_OK)
		return SC_ENOMEM;
	char *at = l->text + l->n;
	at +=
	    sprintf(at, "{\"step\":%llu,\"flags\":%u,\"sampled\":%u",
		    (unsigned long long)s->step_index, s->flags, s->n_sampled);
	at =
	    sc_exec_put_column(at, "prefill_new", s->prefill_new, s->n_prefill);
	at =
	    sc_exec_put_column(at, "prefill_ctx", s->prefill_ctx, s->n_prefill);
	if (s->prefill_last)
		at = sc_exec_put_column(at, "prefill_last", s->prefill_last,
					s->n_prefill);
	if (protocol > 1 && SC_HAS(s, prefill_prompt) && s->prefill_prompt)
		at = sc_exec_put_column(at, "prefill_prompt", s->prefill_prompt,
					s->n_prefill);
	at = sc_exec_put_column(at, "decode_ctx", s->decode_ctx, s->n_decode);
	if (s->decode_new)
		at = sc_exec_put_column(at, "decode_new", s->decode_new,
					s->n_decode);
	*at++ = '}';
	l->n = (size_t)(at - l->text);
	return SC_OK;
}

static inline int32_t sc_exec_end_line(struct sc_exec_line *l, const char *end)
{
	size_t n = strlen(end);
	if (sc_exec_reserve(l, n + 2) != SC_OK)
		return SC_ENOMEM;
	memcpy(l->text + l->n, end, n);
	l->n += n;
	l->text[l->n++] = '\n';
	l->text[l->n] = '\0';
	return SC_OK;
}

/* Writes the line of one step.  Returns SC_OK, or SC_ENOMEM. */
static inline int32_t sc_exec_put_step(struct sc_exec_line *l, const sc_step *s,
				       uint32_t protocol)
{
	l->n = 0;
	return sc_exec_add_step(l, s, protocol) == SC_OK
		   ? sc_exec_end_line(l, "")
		   : SC_ENOMEM;
}

/* Writes {"steps":[...]}.  Returns SC_OK, or SC_ENOMEM. */
static inline int32_t sc_exec_put_steps(struct sc_exec_line *l, uint32_t n,
					const sc_step *const *s)
{
	static const char begin[] = "{\"steps\":[";
	l->n = 0;
	if (sc_exec_reserve(l, sizeof begin) != SC_OK)
		return SC_ENOMEM;
	memcpy(l->text, begin, sizeof begin - 1);
	l->n = sizeof begin - 1;
	for (uint32_t i = 0; i < n; i++) {
		if (sc_exec_add_step(l, s[i], SC_EXEC_NEWEST_PROTOCOL) !=
			SC_OK ||
		    sc_exec_reserve(l, 1) != SC_OK)
			return SC_ENOMEM;
		if (i + 1 < n)
			l->text[l->n++] = ',';
	}
	return sc_exec_end_line(l, "]}");
}

struct sc_exec_reply {
	sc_result result;
	char error[160];
};

/* The formatter takes #name for a directive. */
/* clang-format off */
#define SC_EXEC_NUMBER(name, n)                                                \
	{#name, SC_EXEC_DOUBLE, n, offsetof(sc_result, name), NULL}
/* clang-format on */
static const char *const sc_exec_bounds[] = {"none", "compute",  "memory",
					     "comm", "overhead", NULL};
static const struct sc_exec_field sc_exec_fields[] = {
    SC_EXEC_NUMBER(total_us, 1),
    SC_EXEC_NUMBER(exact_us, 1),
    SC_EXEC_NUMBER(ready_us, 1),
    SC_EXEC_NUMBER(host_us, 1),
    SC_EXEC_NUMBER(gemm_us, 2),
    SC_EXEC_NUMBER(attention_us, 2),
    SC_EXEC_NUMBER(compute_us, 2),
    SC_EXEC_NUMBER(memory_us, 2),
    SC_EXEC_NUMBER(comm_us, 1),
    SC_EXEC_NUMBER(overhead_us, 1),
    SC_EXEC_NUMBER(flops, 1),
    SC_EXEC_NUMBER(bytes, 1),
    SC_EXEC_NUMBER(energy_j, 1),
    SC_EXEC_NUMBER(gemm_flops, 2),
    SC_EXEC_NUMBER(attention_flops, 2),
    SC_EXEC_NUMBER(weight_bytes, 1),
    SC_EXEC_NUMBER(kv_bytes, 2),
    SC_EXEC_NUMBER(activation_bytes, 1),
    SC_EXEC_NUMBER(attention_mfu, 2),
    SC_EXEC_NUMBER(attention_mfu_low, 2),
    SC_EXEC_NUMBER(attention_mfu_high, 2),
    SC_EXEC_NUMBER(noise_us, 1),
    SC_EXEC_NUMBER(low_us, 1),
    SC_EXEC_NUMBER(high_us, 1),
    SC_EXEC_NUMBER(lookup_us, SC_N_PROVENANCE),
    {"lookups", SC_EXEC_UINT32, SC_N_PROVENANCE, offsetof(sc_result, lookups),
     NULL},
    {"bound", SC_EXEC_WORD, 1, offsetof(sc_result, bound), sc_exec_bounds},
    {"error", SC_EXEC_TEXT, 160, offsetof(struct sc_exec_reply, error), NULL},
};

/* Reads "sigma_us": {"efficiency": 12.5}, by the names of the descriptor. */
static inline int32_t sc_exec_get_sigma(const sc_plugin *p, json_t *by_name,
					double *to, sc_error *err)
{
	const char *name;
	json_t *v;
	json_object_foreach(by_name, name, v)
	{
		uint32_t i = 0;
		while (i < p->n_sigma && strcmp(p->sigma[i]->name, name))
			i++;
		if (i == p->n_sigma || !json_is_number(v))
			return sc_fail(err, SC_EINVAL,
				       "'sigma_us' has no source '%s', or its "
				       "value is no number",
				       name);
		if (to)
			to[i] = json_number_value(v);
	}
	return SC_OK;
}

/* Reads one answer.  Fields that it does not name keep their value in *out.
 * SC_EUNSUP: the program has refused the step. */
static inline int32_t sc_exec_read_one(const struct sc_exec_process *x,
				       const sc_plugin *p, json_t *answer,
				       sc_result *out, sc_error *err)
{
	struct sc_exec_reply reply = {.result = *out};
	sc_error why = {.size = sizeof why};
	json_t *sigma = json_object_get(answer, "sigma_us");
	int32_t rc = SC_OK;
	if (sigma) {
		rc = sc_exec_get_sigma(p, sigma, out->sigma_us, &why);
		json_object_del(answer, "sigma_us");
	}
	if (rc == SC_OK)
		rc = sc_exec_get_members(answer, sc_exec_fields,
					 sizeof sc_exec_fields /
					     sizeof *sc_exec_fields,
					 &reply, &why);
	if (rc != SC_OK)
		return sc_fail(err, SC_EINVAL, "%s: %s in '%.80s'", x->program,
			       why.text, x->answer);
	if (reply.error[0])
		return sc_fail(err, SC_EUNSUP, "%s: %s", x->program,
			       reply.error);
	*out = reply.result;
	return SC_OK;
}

static inline json_t *sc_exec_parse_answer(const struct sc_exec_process *x,
					   sc_error *err)
{
	sc_error why = {.size = sizeof why};
	json_t *all = sc_exec_parse(x->answer, &why);
	if (!all)
		sc_fail(err, SC_EINVAL, "%s: %s in '%.80s'", x->program,
			why.text, x->answer);
	return all;
}

/* Reads the answer to a step. */
static inline int32_t sc_exec_read(const struct sc_exec_process *x,
				   const sc_plugin *p, sc_result *out,
				   sc_error *err)
{
	json_t *all = sc_exec_parse_answer(x, err);
	int32_t rc = all ? sc_exec_read_one(x, p, all, out, err) : SC_EINVAL;
	json_decref(all);
	return rc;
}

/* Reads {"results":[...]}, the answers to n steps; *n_done: those before the
 * first that failed. */
static inline int32_t sc_exec_read_all(const struct sc_exec_process *x,
				       const sc_plugin *p, uint32_t n,
				       sc_result *const *out, uint32_t *n_done,
				       sc_error *err)
{
	json_t *all = sc_exec_parse_answer(x, err);
	json_t *results = json_object_get(all, "results");
	size_t found = json_array_size(results);
	int32_t rc = all ? SC_OK : SC_EINVAL;
	*n_done = 0;
	while (rc == SC_OK && *n_done < n && *n_done < found) {
		rc = sc_exec_read_one(x, p, json_array_get(results, *n_done),
				      out[*n_done], err);
		*n_done += rc == SC_OK;
	}
	if (rc == SC_OK && (*n_done < n || found > n))
		rc = sc_fail(err, SC_EINVAL,
			     "%s: %zu results for %u steps in '%.80s'",
			     x->program, found, n, x->answer);
	json_decref(all);
	return rc;
}
#endif
