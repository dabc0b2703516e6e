/* vllm_page.c -- Understands the samples of a vLLM server's page. */
#include "metrics/vllm_page.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "metrics/prometheus.h"
#include "metrics/source.h"

const char *const vllm_histogram_name[N_VLLM_HISTOGRAMS] = {
    [VLLM_TTFT] = "time_to_first_token_seconds",
    [VLLM_ITL] = "inter_token_latency_seconds",
    [VLLM_TPOT] = "request_time_per_output_token_seconds",
    [VLLM_E2EL] = "e2e_request_latency_seconds",
    [VLLM_QUEUEING] = "request_queue_time_seconds",
    [VLLM_INPUT] = "request_prompt_tokens",
    [VLLM_OUTPUT] = "request_generation_tokens",
};
static const char *const counter_name[N_VLLM_COUNTERS] = {
    [VLLM_PREFIX_QUERIES] = "prefix_cache_queries_total",
    [VLLM_PREFIX_HITS] = "prefix_cache_hits_total",
    [VLLM_PROMPT_TOKENS] = "prompt_tokens_total",
    [VLLM_PROMPT_CACHED] = "prompt_tokens_cached_total",
    [VLLM_PREEMPTIONS] = "num_preemptions_total",
    [VLLM_DRAFTS] = "spec_decode_num_drafts_total",
    [VLLM_DRAFT_TOKENS] = "spec_decode_num_draft_tokens_total",
    [VLLM_ACCEPTED_TOKENS] = "spec_decode_num_accepted_tokens_total",
};
static const char *const cache_label[N_VLLM_CACHE_LABELS] = {
    [VLLM_BLOCK_SIZE] = "block_size",
    [VLLM_GPU_BLOCKS] = "num_gpu_blocks",
    [VLLM_CACHE_DTYPE] = "cache_dtype",
    [VLLM_PREFIX_CACHING] = "enable_prefix_caching",
    [VLLM_MEMORY_UTILIZATION] = "gpu_memory_utilization",
};

/* A page as it is read, and the reason if it is wrong. */
struct reading {
	struct vllm_page *page;
	uint64_t samples; /* of vLLM */
	char why[2 * VLLM_TEXT + 100];
};

/* A page has the metrics of one server, and so of one model. */
static const char *note_model(struct reading *r,
			      const struct prometheus_sample *s)
{
	struct vllm_page *v = r->page;
	const char *model = prometheus_get(s, "model_name");
	if (!model || !*model)
		return NULL;
	if (!v->model[0])
		snprintf(v->model, sizeof v->model, "%s", model);
	else if (strncmp(v->model, model, sizeof v->model - 1)) {
		snprintf(r->why, sizeof r->why,
			 "metrics of two models, %s and %.200s; give the page "
			 "of one server",
			 v->model, model);
		return r->why;
	}
	return NULL;
}

static void note_engine(struct vllm_page *v, const struct prometheus_sample *s)
{
	const char *engine = prometheus_get(s, "engine");
	enum { MOST = sizeof v->engine / sizeof *v->engine };
	if (!engine || v->engines == MOST || strlen(engine) > 7)
		return;
	for (uint32_t i = 0; i < v->engines; i++)
		if (!strcmp(v->engine[i], engine))
			return;
	snprintf(v->engine[v->engines++], sizeof *v->engine, "%s", engine);
}

/* Returns what follows the name in `full`, or NULL. */
static const char *behind(const char *full, const char *name)
{
	size_t n = strlen(name);
	return strncmp(full, name, n) ? NULL : full + n;
}

static const char *add_to_histogram(struct reading *r, struct histogram *h,
				    const char *part,
				    const struct prometheus_sample *s)
{
	if (!strcmp(part, "_sum")) {
		h->sum += s->value;
		h->has_sum = 1;
	}
	if (strcmp(part, "_bucket"))
		return NULL;
	const char *le = prometheus_get(s, "le");
	char *end;
	double edge = le ? strtod(le, &end) : NAN;
	if (!le || end == le || *end || isnan(edge)) {
		snprintf(r->why, sizeof r->why,
			 "%.100s: a bucket needs a "
			 "number as its label le",
			 s->name);
		return r->why;
	}
	return histogram_add(h, edge, s->value) < 0 ? out_of_memory : NULL;
}

static void add_cache(struct vllm_page *v, const struct prometheus_sample *s)
{
	for (int i = 0; i < N_VLLM_CACHE_LABELS; i++) {
		const char *value = prometheus_get(s, cache_label[i]);
		if (value && strcmp(value, "None"))
			snprintf(v->cache[i], sizeof v->cache[i], "%s", value);
	}
}

static void add_position(struct vllm_page *v, const struct prometheus_sample *s)
{
	const char *text = prometheus_get(s, "position");
	char *end;
	unsigned long at = text ? strtoul(text, &end, 10) : VLLM_POSITIONS;
	if (at >= VLLM_POSITIONS || end == text || *end)
		return;
	v->accepted_at[at] += s->value;
	if (v->positions < at + 1)
		v->positions = (uint32_t)at + 1;
}

static const char *on_sample(void *user, const struct prometheus_sample *s)
{
	struct reading *r = user;
	struct vllm_page *v = r->page;
	/* Gateways put a word of their own in front. */
	const char *name = strstr(s->name, "vllm:"), *part;
	if (!name)
		return NULL;
	name += 5;
	r->samples++;
	const char *why = note_model(r, s);
	if (why)
		return why;
	note_engine(v, s);
	if (!strcmp(name, "cache_config_info"))
		add_cache(v, s);
	if (!strcmp(name, "spec_decode_num_accepted_tokens_per_pos_total"))
		add_position(v, s);
	for (int i = 0; i < N_VLLM_COUNTERS; i++)
		if (!strcmp(name, counter_name[i]))
			v->counter[i] =
			    (isnan(v->counter[i]) ? 0 : v->counter[i]) +
			    s->value;
	for (int i = 0; i < N_VLLM_HISTOGRAMS; i++)
		if ((part = behind(name, vllm_histogram_name[i])) != NULL &&
		    (why = add_to_histogram(r, &v->of[i], part, s)) != NULL)
			return why;
	return NULL;
}

/* Requests of one token have no time per output token: vLLM reports 0. */
static void drop_single_tokens(struct vllm_page *v)
{
	const struct histogram *out = &v->of[VLLM_OUTPUT];
	for (uint32_t i = 0; i < out->n && out->edge[i] <= 1; i++)
		histogram_drop_zeros(&v->of[VLLM_TPOT], out->count[i]);
}

static int finish(struct vllm_page *v, struct problem *p)
{
	for (int i = 0; i < N_VLLM_HISTOGRAMS; i++) {
		const char *why =
		    v->of[i].n ? histogram_finish(&v->of[i]) : NULL;
		if (why)
			return problem_set(p, EXIT_INPUT, "%s: vllm:%s %s",
					   v->path, vllm_histogram_name[i],
					   why);
	}
	drop_single_tokens(v);
	v->requests = v->of[VLLM_E2EL].total;
	return 0;
}

int vllm_page_read(struct vllm_page *v, char *text, size_t n, const char *path,
		   struct problem *p)
{
	struct reading r = {.page = v};
	*v = (struct vllm_page){.path = path};
	for (int i = 0; i < N_VLLM_COUNTERS; i++)
		v->counter[i] = NAN;
	if (prometheus_read(text, n, path, on_sample, &r, p) < 0)
		return -1;
	if (r.samples == 0)
		return problem_set(p, EXIT_INPUT,
				   "%s: no metric of vLLM (vllm:...); save the "
				   "page /metrics of a vLLM server: curl -o "
				   "metrics.txt http://HOST:8000/metrics",
				   path);
	return finish(v, p);
}

int vllm_page_load(struct vllm_page *v, const char *where, struct problem *p)
{
	char *text;
	size_t n;
	*v = (struct vllm_page){.path = where};
	if (source_read(where, &text, &n, p) < 0)
		return -1;
	int rc = vllm_page_read(v, text, n, where, p);
	free(text);
	return rc;
}

int vllm_page_since(struct vllm_page *v, const struct vllm_page *before,
		    struct problem *p)
{
	if (strcmp(v->model, before->model))
		return problem_set(p, EXIT_INPUT,
				   "%s: serves %s, but %s serves %s; give two "
				   "pages of one server",
				   v->path, v->model, before->path,
				   before->model);
	for (int i = 0; i < N_VLLM_HISTOGRAMS; i++) {
		const char *why = histogram_subtract(&v->of[i], &before->of[i]);
		if (why)
			return problem_set(p, EXIT_INPUT, "%s: vllm:%s %s (%s)",
					   v->path, vllm_histogram_name[i], why,
					   before->path);
	}
	for (int i = 0; i < N_VLLM_COUNTERS; i++)
		if (!isnan(before->counter[i]))
			v->counter[i] -= before->counter[i];
	for (uint32_t i = 0; i < VLLM_POSITIONS; i++)
		v->accepted_at[i] -= before->accepted_at[i];
	v->requests = v->of[VLLM_E2EL].total;
	return 0;
}

void vllm_page_free(struct vllm_page *v)
{
	for (int i = 0; i < N_VLLM_HISTOGRAMS; i++)
		histogram_free(&v->of[i]);
}
