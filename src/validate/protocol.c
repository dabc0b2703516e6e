/* protocol.c -- Turns a measured row into the requests and settings that it
 * was measured with. */
#include <config.h>
#include "validate/protocol.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "math/rng.h"
#include "setup/keys.h"
#include "workload/segments.h"
#include "stepcost/knob.h"

/* ---- protocols as data ---- */

struct protocol {
	int64_t kind, async_scheduling, enable_prefix_caching;
	double input_scale, input_jitter_tokens, max_stage_s, stage_gap_e2e;
	double stage_gap_s;
	double api_overhead_us, response_overhead_us, schedule_us;
	int64_t prompts, prompt_groups, requests, max_requests;
	int64_t max_num_seqs, max_num_batched_tokens, seed;
};

static const char *const kinds[] = {"prompts", "replay",    "single",
				    "closed",  "benchmark", NULL};
enum { PROMPTS, REPLAY, SINGLE, CLOSED, BENCHMARK };
static const char *const asyncs[] = {"auto", "true", "false", NULL};
enum { ASYNC_AUTO, ASYNC_TRUE, ASYNC_FALSE };

#define DOUBLE(field, def, unit, help)                                         \
	SC_DOUBLE(struct protocol, field, def, -1, 1e9, unit, help)
#define INT(field, def, help)                                                  \
	SC_INT(struct protocol, field, def, 0, 1e9, "1", help)
static const sc_knob *const protocol_key[] = {
    SC_CHOICE(struct protocol, kind, NULL, kinds, "Where requests come from."),
    SC_CHOICE(struct protocol, async_scheduling, "auto", asyncs,
	      "auto: from vLLM 0.14 on."),
    SC_BOOL(struct protocol, enable_prefix_caching, "true", "As [engine]."),
    DOUBLE(input_scale, "1", "1", "Prompts are longer than stated by this."),
    DOUBLE(input_jitter_tokens, "14", "token", "And by up to this, or less."),
    DOUBLE(max_stage_s, "600", "s", "Stages are cut to this."),
    DOUBLE(stage_gap_e2e, "1.3", "1",
	   "A stage starts so many E2E latencies after the one before."),
    DOUBLE(stage_gap_s, "0", "s", "Arrivals start so long after a warm-up."),
    DOUBLE(api_overhead_us, "6210", "us", "As [engine]; -1: leave it."),
    DOUBLE(response_overhead_us, "1500", "us", "As [engine]; -1: leave it."),
    DOUBLE(schedule_us, "497", "us", "As [engine]; -1: leave it."),
    INT(prompts, "100", "Of the pool."),
    INT(prompt_groups, "10", "With a shared prefix each."),
    INT(requests, "6", "One at a time; in a closed loop per client."),
    INT(max_requests, "1500", "In a closed loop."),
    INT(max_num_seqs, "0", "Where the row has none. 0: leave it."),
    INT(max_num_batched_tokens, "0", "Where the row has none. 0: leave it."),
    INT(seed, "1", "Of lengths and orders."),
};
enum { N_PROTOCOL_KEYS = sizeof protocol_key / sizeof *protocol_key };

static const char *protocol_name(const struct measured_row *r,
				 const struct ini *aliases)
{
	const char letter[2] = {
	    r->id && r->id[0] && r->id[1] == '-' ? r->id[0] : '\0', '\0'};
	if (r->protocol)
		return r->protocol;
	if (r->request)
		return "benchmark";
	const char *of_class =
	    letter[0] && aliases ? ini_get(aliases, "class", letter) : NULL;
	return of_class ? of_class : letter[0] ? NULL : "benchmark";
}

/* 1; 0: no such protocol; -1: *p. */
static int protocol_read(struct protocol *to, const char *name,
			 const struct ini *aliases, struct problem *p)
{
	char section[80];
	snprintf(section, sizeof section, "protocol:%s", name);
	if (!aliases || !ini_find(aliases, section, "kind"))
		return 0;
	return knobs_fill(to, protocol_key, N_PROTOCOL_KEYS, NULL, aliases,
			  section, "", p) < 0
		   ? -1
		   : 1;
}

/* ---- settings ---- */

__attribute__((format(printf, 2, 3))) static int set(struct trial *t,
						     const char *fmt, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	t->setting[t->n_settings] = strdup(text);
	return t->setting[t->n_settings++] ? 0 : -1;
}

static int set_number(struct trial *t, const char *key, double v, double least)
{
	return v >= least ? set(t, "engine.%s=%.17g", key, v) : 0;
}

static double or_else(double v, int64_t otherwise)
{
	return isnan(v) ? (double)otherwise : v;
}

/* From "0.15.1": 15.  -1: unknown. */
static int minor_version(const char *version)
{
	return version && !strncmp(version, "0.", 2) &&
		       isdigit((unsigned char)version[2])
		   ? atoi(version + 2)
		   : -1;
}

static int is_async(const struct protocol *c, const struct measured_row *r)
{
	int minor = minor_version(r->engine_version);
	if (c->async_scheduling != ASYNC_AUTO)
		return c->async_scheduling == ASYNC_TRUE;
	return minor < 0 ? -1 : minor >= 14;
}

static int is_fp8(const struct measured_row *r, const char *model)
{
	return r->dtype && !strncasecmp(r->dtype, "fp8", 3) &&
	       !strstr(model, "fp8");
}

static int set_served(struct trial *t, const struct measured_row *r,
		      const struct ini *aliases)
{
	int rc = 0;
	if (r->model) {
		const char *model = measured_alias(aliases, "model", r->model);
		rc |= set(t, "model.config=%s", model);
		if (is_fp8(r, model))
			rc |= set(t, "model.quantization=fp8");
	}
	if (r->gpu)
		rc |= set(t, "hardware.config=%s",
			  measured_alias(aliases, "gpu", r->gpu));
	return rc;
}

static int set_engine(struct trial *t, const struct protocol *c,
		      const struct measured_row *r)
{
	int async = is_async(c, r), rc = 0;
	/* An engine without work schedules before its first step too. */
	double idle_us = async == 0 && c->schedule_us > 0 ? c->schedule_us : 0;
	double api_us =
	    c->api_overhead_us < 0 ? -1 : c->api_overhead_us + idle_us;
	rc |= set_number(t, "tensor_parallel_size", r->tensor_parallel_size, 1);
	rc |= set_number(t, "max_model_len", r->max_model_len, 1);
	rc |= set_number(t, "max_num_seqs",
			 or_else(r->max_num_seqs, c->max_num_seqs), 1);
	rc |= set_number(
	    t, "max_num_batched_tokens",
	    or_else(r->max_num_batched_tokens, c->max_num_batched_tokens), 1);
	rc |= set_number(t, "gpu_memory_utilization", r->gpu_memory_utilization,
			 0);
	rc |= set_number(t, "block_size", r->block_size, 1);
	if (r->num_gpu_blocks >= 1)
		rc |= set_number(t, "num_gpu_blocks", r->num_gpu_blocks, 1);
	else if (c->kind != BENCHMARK)
		rc |= set(t, "engine.num_gpu_blocks=auto");
	rc |= set_number(t, "api_overhead_us", api_us, 0);
	rc |= set_number(t, "response_overhead_us", c->response_overhead_us, 0);
	rc |= set_number(t, "schedule_us", c->schedule_us, 0);
	rc |= set(t, "engine.enable_prefix_caching=%s",
		  c->enable_prefix_caching ? "true" : "false");
	if (async >= 0)
		rc |= set(t, "engine.async_scheduling=%s",
			  async ? "true" : "false");
	return rc;
}

/* ---- requests ---- */

static struct planned_request *grow(struct trial *t, uint64_t more)
{
	struct planned_request *r =
	    realloc(t->request, (t->n + more + 1) * sizeof *r);
	if (!r)
		return NULL;
	t->request = r;
	r += t->n;
	memset(r, 0, more * sizeof *r);
	t->n += more;
	return r;
}

static uint32_t tokens(double v)
{
	return !(v >= 1) ? 1 : v > 1e8 ? 100000000u : (uint32_t)llround(v);
}

struct pool {
	uint32_t *length, *order; /* [n] */
	uint64_t n;
};

static int pool_make(struct pool *o, const struct protocol *c, double mean)
{
	struct rng r = rng_stream((uint64_t)c->seed, RNG_INPUT, 0);
	struct rng s = rng_stream((uint64_t)c->seed, RNG_PROMPT_ORDER, 0);
	double jitter = c->input_jitter_tokens;
	o->n = c->prompts ? (uint64_t)c->prompts : 1;
	o->length = calloc(2 * o->n, sizeof *o->length);
	if (!o->length)
		return -1;
	o->order = o->length + o->n;
	for (uint64_t i = 0; i < o->n; i++) {
		o->length[i] = tokens(mean * c->input_scale +
				      (2 * rng_uniform(&r) - 1) * jitter);
		o->order[i] = (uint32_t)i;
	}
	for (uint64_t i = o->n - 1; i > 0; i--) {
		uint64_t j = rng_below(&s, i + 1);
		uint32_t at = o->order[i];
		o->order[i] = o->order[j];
		o->order[j] = at;
	}
	return 0;
}

/* Prompts of a group begin alike; the rest of each is its own. */
static void pool_prompt(const struct pool *o, const struct protocol *c,
			uint64_t index, double shared,
			struct planned_request *r)
{
	uint32_t prompt = o->order[index % o->n];
	uint64_t groups = c->prompt_groups ? (uint64_t)c->prompt_groups : 1;
	uint32_t prefix = shared >= 1 ? tokens(shared) : 0;
	r->input_tokens = o->length[prompt];
	if (prefix > r->input_tokens)
		prefix = r->input_tokens;
	if (prefix)
		r->segment[r->n_segments++] = (struct segment){
		    segment_id(SEGMENT_GROUP, prompt * groups / o->n, 0),
		    prefix};
	if (r->input_tokens > prefix)
		r->segment[r->n_segments++] =
		    (struct segment){segment_id(SEGMENT_PROMPT, prompt, 0),
				     r->input_tokens - prefix};
}

static int plan_prompts(struct trial *t, const struct protocol *c)
{
	const struct measured_row *rows = t->file->row;
	struct pool pool;
	double start_s = 0;
	uint64_t index = 0;
	if (pool_make(&pool, c, rows[t->row[0]].input_tokens) < 0)
		return -1;
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct measured_row *r = &rows[t->row[i]];
		double duration =
		    fmin(or_else(r->duration_s, 600), c->max_stage_s);
		uint64_t n = (uint64_t)llround(r->request_rate * duration);
		struct planned_request *q = grow(t, n);
		if (!q)
			break;
		t->first[i] = t->n - n;
		for (uint64_t k = 0; k < n; k++, index++) {
			q[k].arrival_ns = llround(
			    1e9 * (start_s + (double)k / r->request_rate));
			q[k].output_tokens = tokens(r->output_tokens);
			pool_prompt(&pool, c, index, r->shared_prefix_tokens,
				    &q[k]);
		}
		start_s += (double)n / r->request_rate;
		if (!isnan(r->time[LATENCY_E2EL].mean))
			start_s += 1e-3 * c->stage_gap_e2e *
				   r->time[LATENCY_E2EL].mean;
		t->first[i + 1] = t->n;
	}
	free(pool.length);
	return t->first[t->n_rows] == t->n && t->n ? 0 : -1;
}

/* A path beside the file of measurements. */
static char *beside(const char *file, const char *path)
{
	const char *slash = strrchr(file, '/');
	size_t folder =
	    path[0] == '/' || !slash ? 0 : (size_t)(slash - file) + 1;
	char *full = malloc(folder + strlen(path) + 1);
	if (full)
		sprintf(full, "%.*s%s", (int)folder, file, path);
	return full;
}

static int plan_replay(struct trial *t, const struct protocol *c,
		       const struct ini *aliases, struct problem *p)
{
	const struct measured_row *r = &t->file->row[t->row[0]];
	struct planned_request *trace;
	uint64_t n;
	uint32_t prefix =
	    r->shared_prefix_tokens >= 1 ? tokens(r->shared_prefix_tokens) : 0;
	int warm = prefix && r->stage > 0;
	if (!r->trace)
		return problem_set(p, EXIT_INPUT,
				   "%s:%llu: a replay needs a trace", r->file,
				   (unsigned long long)r->line);
	char *path = beside(r->file, r->trace);
	int rc = path ? measured_trace(path, aliases, r->stage, &trace, &n, p)
		      : problem_set(p, EXIT_USAGE, "out of memory");
	free(path);
	if (rc < 0)
		return -1;
	struct planned_request *q = grow(t, n + (uint64_t)warm);
	if (!q) {
		free(trace);
		return problem_set(p, EXIT_USAGE, "out of memory");
	}
	if (warm)
		q[0] = (struct planned_request){.input_tokens = prefix,
						.output_tokens = 1};
	for (uint64_t i = 0; i < n; i++) {
		q[i + (uint64_t)warm] = trace[i];
		q[i + (uint64_t)warm].arrival_ns +=
		    warm ? llround(1e9 * c->stage_gap_s) : 0;
	}
	for (uint64_t i = 0; i < n + (uint64_t)warm; i++)
		if (prefix)
			q[i].segment[q[i].n_segments++] = (struct segment){
			    segment_id(SEGMENT_GROUP, 0, 0),
			    prefix < q[i].input_tokens ? prefix
						       : q[i].input_tokens};
	t->first[0] = (uint64_t)warm;
	t->first[1] = t->n;
	t->concurrency = isnan(r->request_rate) && r->concurrency >= 1
			     ? (uint64_t)r->concurrency
			     : 0;
	free(trace);
	return 0;
}

int trial_tpot_has_first_token(const struct measured_row *r)
{
	return measured_has_flag(r, "GUIDELLM_TPOT_INCLUDES_TTFT");
}

/* As many as the mean times say; NaN: they do not. */
static double single_output(const struct measured_row *r)
{
	const struct measured_times *time = r->time;
	double e2el = time[LATENCY_E2EL].mean, tpot = time[LATENCY_TPOT].mean;
	double out = trial_tpot_has_first_token(r)
			 ? e2el / tpot
			 : (e2el - time[LATENCY_TTFT].mean) / tpot + 1;
	return isnan(out) ? r->output_tokens : out;
}

static int plan_single(struct trial *t, const struct protocol *c)
{
	const struct measured_row *r = &t->file->row[t->row[0]];
	double out = single_output(r);
	uint64_t n = c->requests ? (uint64_t)c->requests : 1;
	struct planned_request *q = grow(t, n);
	for (uint64_t i = 0; q && i < n; i++) {
		q[i].input_tokens = tokens(r->input_tokens);
		q[i].output_tokens = tokens(out);
	}
	t->first[1] = t->n;
	t->concurrency = 1;
	return q ? 0 : -1;
}

static int plan_closed(struct trial *t, const struct protocol *c)
{
	const struct measured_row *r = &t->file->row[t->row[0]];
	struct rng in = rng_stream((uint64_t)c->seed, RNG_INPUT, 0);
	struct rng out = rng_stream((uint64_t)c->seed, RNG_OUTPUT, 0);
	double n = fmax(24, fmin(4 * r->concurrency, (double)c->max_requests));
	struct planned_request *q = grow(t, (uint64_t)n);
	for (uint64_t i = 0; q && i < (uint64_t)n; i++) {
		q[i].input_tokens =
		    tokens(r->input_tokens * (.9 + .1 * rng_uniform(&in)));
		q[i].output_tokens =
		    tokens(r->output_tokens * (.9 + .1 * rng_uniform(&out)));
	}
	t->first[1] = t->n;
	t->concurrency = (uint64_t)r->concurrency;
	t->tpot_only = 1;
	return q ? 0 : -1;
}

static int plan_benchmark(struct trial *t, const struct protocol *c)
{
	const struct measured_row *r = &t->file->row[t->row[0]];
	struct rng gap = rng_stream((uint64_t)c->seed, RNG_ARRIVAL, 0);
	uint64_t n =
	    r->request ? r->n_requests : (uint64_t)fmin(r->num_requests, 1e7);
	struct planned_request *q = grow(t, n);
	double at_s = 0;
	for (uint64_t i = 0; q && i < n; i++) {
		if (r->request) {
			q[i] = r->request[i];
			continue;
		}
		if (r->request_rate > 0 && isfinite(r->request_rate))
			at_s += rng_exponential(&gap) / r->request_rate;
		q[i].arrival_ns = llround(1e9 * at_s);
		q[i].input_tokens = tokens(r->input_tokens);
		q[i].output_tokens = tokens(r->output_tokens);
	}
	t->first[1] = t->n;
	t->concurrency =
	    !r->request && r->concurrency >= 1 ? (uint64_t)r->concurrency : 0;
	return q ? 0 : -1;
}

/* ---- rows into trials ---- */

/* What a kind of run cannot do without; NULL: it is there. */
static const char *lacks(const struct protocol *c, const struct measured_row *r)
{
	int lengths = r->input_tokens >= 1 && r->output_tokens >= 1;
	switch (c->kind) {
	case PROMPTS:
		return !(r->request_rate > 0 && r->request_rate <= 1e4)
			   ? "a request_rate up to 1e4"
		       : !lengths ? "input_tokens or output_tokens"
				  : NULL;
	case REPLAY:
		return r->trace ? NULL : "trace";
	case SINGLE:
		return !(r->input_tokens >= 1)    ? "input_tokens"
		       : !(single_output(r) >= 1) ? "output_tokens"
						  : NULL;
	case CLOSED:
		return !(r->concurrency >= 1) ? "concurrency"
		       : !lengths             ? "input_tokens or output_tokens"
					      : NULL;
	default:
		return r->request || (lengths && r->num_requests >= 1)
			   ? NULL
			   : "requests, or num_requests and mean lengths";
	}
}

static int leave_out(struct trials *t, size_t row, const char *what,
		     const char *which)
{
	struct unsimulated *u =
	    realloc(t->left_out, (t->n_left_out + 1) * sizeof *u);
	if (!u)
		return -1;
	t->left_out = u;
	u += t->n_left_out++;
	u->row = row;
	snprintf(u->why, sizeof u->why, "%s %s", what, which);
	return 0;
}

static int same_run(const struct measured_row *a, const struct measured_row *b)
{
	return a->run && b->run && !strcmp(a->run, b->run);
}

/* The rows of a run of stages, in order of the file, or the row alone. */
static int collect_rows(struct trial *t, size_t row, int all_stages)
{
	const struct measured *m = t->file;
	t->row = calloc(m->n, sizeof *t->row);
	t->first = calloc(m->n + 1, sizeof *t->first);
	if (!t->row || !t->first)
		return -1;
	for (size_t i = row; i < m->n; i++)
		if (i == row ||
		    (all_stages && same_run(&m->row[row], &m->row[i])))
			t->row[t->n_rows++] = i;
	return 0;
}

static int is_later_stage(const struct measured *m, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (same_run(&m->row[i], &m->row[row]))
			return 1;
	return 0;
}

static int plan_trial(struct trial *t, const struct protocol *c, size_t row,
		      const struct ini *aliases, struct problem *p)
{
	const struct measured_row *r = &t->file->row[row];
	t->name = c->kind == PROMPTS && r->run ? r->run : r->id;
	int rc = collect_rows(t, row, c->kind == PROMPTS);
	if (rc == 0)
		rc = set_served(t, r, aliases) | set_engine(t, c, r);
	if (rc == 0 && c->kind == REPLAY)
		return plan_replay(t, c, aliases, p);
	if (rc == 0)
		rc = c->kind == PROMPTS  ? plan_prompts(t, c)
		     : c->kind == SINGLE ? plan_single(t, c)
		     : c->kind == CLOSED ? plan_closed(t, c)
					 : plan_benchmark(t, c);
	return rc < 0 ? problem_set(p, EXIT_USAGE, "out of memory") : 0;
}

static int plan_row(struct trials *t, const struct measured *m, size_t row,
		    const struct ini *aliases, struct problem *p)
{
	struct protocol c;
	const char *name = protocol_name(&m->row[row], aliases);
	int known = name ? protocol_read(&c, name, aliases, p) : 0;
	const char *missing = known == 1 ? lacks(&c, &m->row[row]) : NULL;
	const char *model = m->row[row].model;
	if (known < 0)
		return -1;
	/* A path of a hub, and no name for it. */
	if (known && model &&
	    strchr(measured_alias(aliases, "model", model), '/'))
		return leave_out(t, row, "no model is known as", model) < 0
			   ? problem_set(p, EXIT_USAGE, "out of memory")
			   : 0;
	if (!known || missing)
		return leave_out(t, row, missing ? "lacks" : "no protocol",
				 missing ? missing
				 : name  ? name
					 : "") < 0
			   ? problem_set(p, EXIT_USAGE, "out of memory")
			   : 0;
	if (c.kind == PROMPTS && is_later_stage(m, row))
		return 0;
	struct trial *trial = &t->trial[t->n++];
	trial->file = m;
	return plan_trial(trial, &c, row, aliases, p);
}

int trials_plan(struct trials *t, const struct measured *file,
		const struct ini *aliases, struct problem *p)
{
	*t = (struct trials){.trial = calloc(file->n + 1, sizeof *t->trial)};
	if (!t->trial)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < file->n; i++)
		if (plan_row(t, file, i, aliases, p) < 0)
			return -1;
	return 0;
}

void trials_free(struct trials *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct trial *x = &t->trial[i];
		for (size_t k = 0; k < x->n_settings; k++)
			free(x->setting[k]);
		free(x->row);
		free(x->first);
		free(x->request);
	}
	free(t->trial);
	free(t->left_out);
	*t = (struct trials){0};
}
