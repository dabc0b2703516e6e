/* logged.c -- Writes steps that an engine told as measured steps. */
#include "steps/logged.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/file/filetype.h"
#include "cost/composition.h"

struct writer {
	struct logged *l;
	const char *origin;
	unsigned long long line;
	FILE *f;
	struct problem *p;
	double kv_tokens; /* of the whole cache; 0: not told */
};

/* What a step is told by. */
struct told {
	uint64_t prefills, new_tokens, cached_tokens;
	uint64_t decodes, contexts, decode_tokens;
	int is_even; /* all decodes have the same context */
	double time_us;
	char name[40], block[60];
};

static int fault(const struct writer *w, const char *what)
{
	return problem_at(w->p, w->origin, w->line, what);
}

/* ---- a row ---- */

/* The i-th of n even parts of a sum. */
static uint64_t part(uint64_t sum, uint64_t n, uint64_t i)
{
	return sum / n + (i < sum % n);
}

/* Parts are the same up to where a remainder ends. */
static uint64_t run_of(uint64_t i, uint64_t n, uint64_t a, uint64_t b)
{
	uint64_t end = n;
	if (i < a % n && a % n < end)
		end = a % n;
	if (i < b % n && b % n < end)
		end = b % n;
	return end - i;
}

static void write_decodes(FILE *f, const struct told *t)
{
	uint64_t n = t->decodes, each = n ? t->decode_tokens / n : 0;
	for (uint64_t i = 0, k; i < n; i += k) {
		k = run_of(i, n, t->contexts, 0);
		fprintf(f, "%s%llu", i ? ";" : "",
			(unsigned long long)part(t->contexts, n, i));
		if (each > 1)
			fprintf(f, "+%llu", (unsigned long long)each);
		if (k > 1)
			fprintf(f, "x%llu", (unsigned long long)k);
	}
}

static void write_prefills(FILE *f, const struct told *t)
{
	uint64_t n = t->prefills;
	for (uint64_t i = 0, k; i < n; i += k) {
		k = run_of(i, n, t->new_tokens, t->cached_tokens);
		fprintf(f, "%s%llu:%llu", i ? ";" : "",
			(unsigned long long)part(t->cached_tokens, n, i),
			(unsigned long long)part(t->new_tokens, n, i));
		if (k > 1)
			fprintf(f, "x%llu", (unsigned long long)k);
	}
}

/* A time that no pass of a model takes: the engine only waited for a step that
 * had ended before. */
static const double WAITED_US = 100;

/* n requests with two sums: a cell of steps.h has 32 bits for both of one. */
static int fit(uint64_t n, uint64_t a, uint64_t b)
{
	return !n || (a / n < INT32_MAX && b / n < INT32_MAX);
}

static int write_row(struct writer *w, const struct told *t)
{
	int is_exact = t->prefills <= 1 && (t->decodes <= 1 || t->is_even);
	if (t->prefills > STEPS_MAX_SEQUENCES ||
	    t->decodes > STEPS_MAX_SEQUENCES)
		return fault(w, "more than 65536 requests in a step");
	if (t->new_tokens < t->prefills || t->contexts < t->decodes ||
	    !fit(t->prefills, t->new_tokens, t->cached_tokens) ||
	    !fit(t->decodes, t->contexts, t->decode_tokens))
		return fault(w, "a request has no tokens, or too many");
	int waited = t->time_us < WAITED_US;
	csv_text(w->f, t->name);
	fputc(',', w->f);
	write_decodes(w->f, t);
	fputc(',', w->f);
	write_prefills(w->f, t);
	fputc(',', w->f);
	csv_number(w->f, t->time_us);
	fprintf(w->f, ",1,single,iteration,%s,", is_exact ? "exact" : "mean");
	csv_text(w->f, t->block);
	fprintf(w->f, ",%s\n", waited ? "WAITED_ONLY" : "");
	w->l->n++;
	w->l->waited += (uint64_t)waited;
	return 0;
}

/* ---- forward-pass metrics ---- */

/* A count, or 0 where there is none; more than fits is refused later. */
static uint64_t count(const json_t *o, const char *key)
{
	double v = json_number_value(json_object_get(o, key));
	return v > 0 && v < 1e15 ? (uint64_t)v : 0;
}

static int add_pass(struct writer *w, const json_t *o)
{
	const json_t *s = json_object_get(o, "scheduled_requests");
	const char *worker = json_string_value(json_object_get(o, "worker_id"));
	struct told t = {.prefills = count(s, "num_prefill_requests"),
			 .new_tokens = count(s, "sum_prefill_tokens"),
			 .cached_tokens = count(s, "sum_prefill_kv_tokens"),
			 .decodes = count(s, "num_decode_requests"),
			 .contexts = count(s, "sum_decode_kv_tokens"),
			 .is_even = json_number_value(json_object_get(
					s, "var_decode_kv_tokens")) == 0,
			 .time_us = 1e6 * json_number_value(
					      json_object_get(o, "wall_time"))};
	if (!json_object_get(s, "var_decode_kv_tokens"))
		t.is_even = 0;
	if (!(t.time_us > 0) || !isfinite(t.time_us) ||
	    !(t.prefills + t.decodes)) {
		w->l->idle++;
		return 0;
	}
	snprintf(t.name, sizeof t.name, "%llu", (unsigned long long)w->line);
	snprintf(t.block, sizeof t.block, "%.40s/%llu", worker ? worker : "",
		 (unsigned long long)count(o, "dp_rank"));
	return write_row(w, &t);
}

/* Metrics anywhere in a document; its depth is jansson's. */
static int walk(struct writer *w, const json_t *v)
{
	const char *key;
	json_t *member;
	int rc = 0;
	if (json_is_object(json_object_get(v, "scheduled_requests")) &&
	    json_is_number(json_object_get(v, "wall_time")))
		return add_pass(w, v);
	for (size_t i = 0; rc == 0 && i < json_array_size(v); i++)
		rc = walk(w, json_array_get(v, i));
	json_object_foreach((json_t *)v, key, member) if (rc == 0) rc =
	    walk(w, member);
	return rc;
}

static int write_passes(struct writer *w, const char *s, size_t n)
{
	const char *end = s + n;
	int rc = 0;
	for (w->line = 1; rc == 0;) {
		json_error_t e;
		while (s < end && strchr(" \r\n\t", *s))
			w->line += *s++ == '\n';
		if (s >= end)
			break;
		json_t *v = json_loadb(s, (size_t)(end - s),
				       JSON_DISABLE_EOF_CHECK, &e);
		rc = v ? walk(w, v)
		       : filetype_bad_json(&e, w->origin, w->line, w->p);
		for (int i = 0; v && i < e.position; i++)
			w->line += *s++ == '\n';
		json_decref(v);
	}
	return rc;
}

/* ---- vLLM's log ---- */

/* "(EngineCore_DP3 pid=9)" or "Engine 003:". */
static void name_engine(char *to, size_t size, const char *line, size_t n)
{
	const char *dp = memmem(line, n, "_DP", 3);
	const char *engine = memmem(line, n, "Engine ", 7);
	snprintf(to, size, "%d",
		 dp       ? atoi(dp + 3)
		 : engine ? atoi(engine + 7)
			  : 0);
}

/* The cache's tokens in use are those of the running requests. */
static int find_contexts(const struct writer *w, struct told *t,
			 const char *rest)
{
	double each = w->l->context_tokens, used;
	const char *usage = strstr(rest, "GPU KV cache usage: ");
	if (!t->decodes)
		return 0;
	if (!(each > 0) && usage && w->kv_tokens > 0 &&
	    sscanf(usage + 20, "%lf", &used) == 1)
		each = fmax(1, used / 100 * w->kv_tokens /
				   (double)(t->decodes + t->prefills));
	if (!(each > 0))
		return fault(w, "the log does not tell contexts: --context "
				"TOKENS gives their mean");
	t->contexts = (uint64_t)llround(fmin(each, 1e9) * (double)t->decodes);
	return 0;
}

static int add_line(struct writer *w, const char *line, size_t n)
{
	char copy[400];
	struct told t = {.is_even = 0};
	unsigned long long v[5];
	double ms;
	const char *at = memmem(line, n, "Iteration(", 10);
	const char *size = memmem(line, n, "GPU KV cache size: ", 19);
	if (size) {
		w->kv_tokens = 0;
		for (size += 19; (*size >= '0' && *size <= '9') || *size == ',';
		     size++)
			if (*size != ',')
				w->kv_tokens =
				    10 * w->kv_tokens + (*size - '0');
	}
	if (!at)
		return 0;
	snprintf(copy, sizeof copy, "%.*s", (int)(n - (size_t)(at - line)), at);
	if (sscanf(copy,
		   "Iteration(%llu): %llu context requests, %llu context "
		   "tokens, %llu generation requests, %llu generation tokens, "
		   "iteration elapsed time: %lf ms",
		   &v[0], &v[1], &v[2], &v[3], &v[4], &ms) != 6)
		return fault(w, "this line of an iteration is not whole");
	if (!(ms > 0) || !isfinite(ms) || !(v[1] + v[3]) ||
	    strstr(copy, "(dummy)")) {
		w->l->idle++;
		return 0;
	}
	t.prefills = v[1], t.new_tokens = v[2];
	t.decodes = v[3], t.decode_tokens = v[4];
	t.time_us = 1e3 * ms;
	snprintf(t.name, sizeof t.name, "%llu", v[0]);
	name_engine(t.block, sizeof t.block, line, (size_t)(at - line));
	return find_contexts(w, &t, copy) < 0 ? -1 : write_row(w, &t);
}

static int write_log(struct writer *w, const char *s, size_t n)
{
	const char *end = s + n;
	int rc = 0;
	for (w->line = 1; rc == 0 && s < end; w->line++) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((stop ? stop : end) - s);
		rc = add_line(w, s, len);
		s += len + 1;
	}
	return rc;
}

int logged_write(struct logged *l, const char *text, size_t n,
		 const char *origin, FILE *f, struct problem *p)
{
	struct writer w = {l, origin, 1, f, p, 0};
	size_t first = strspn(text, " \r\n\t");
	fputs("step,decode,prefill,time_us,repeats,statistic,includes,"
	      "composition,block,flags\n",
	      f);
	int rc = text[first] == '{' || text[first] == '['
		     ? write_passes(&w, text, n)
		     : write_log(&w, text, n);
	w.line = 1;
	if (rc == 0 && !l->n)
		rc = fault(&w, "tells no steps: forward-pass metrics have "
			       "wall_time and scheduled_requests, a log of "
			       "vLLM has lines \"Iteration(\" with "
			       "--enable-logging-iteration-details");
	return rc;
}
