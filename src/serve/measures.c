/* measures.c -- Counts, and writes the page of metrics. */
#include "serve/measures.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/number.h"
#include "cost/breakdown.h"
#include "engine/engine.h"

static const double iteration[] = {1,   8,    16,   32,   64,   128,  256,
				   512, 1024, 2048, 4096, 8192, 16384};
static const double choices[] = {1, 2, 5, 10, 20};
static const double first[] = {.001, .005, .01, .02, .04, .06, .08, .1,
			       .25,  .5,   .75, 1,   2.5, 5,   7.5, 10,
			       20,   40,   80,  160, 640, 2560};
static const double gap[] = {.01, .025, .05, .075, .1,  .15, .2, .3, .4, .5,
			     .75, 1,    2.5, 5,    7.5, 10,  20, 40, 80};
static const double whole[] = {.3, .5,  .8,  1,   1.5, 2,    2.5,
			       5,  10,  15,  20,  30,  40,   50,
			       60, 120, 240, 480, 960, 1920, 7680};
static const double lateness[] = {.0001, .0002, .0005, .001, .002, .005,
				  .01,   .02,   .05,   .1,   .2,   .5};

#define SET(list) list, sizeof(list) / sizeof *(list)
static const struct {
	const char *name, *help;
	const double *bucket; /* NULL: 1, 2, 5, 10, … up to max_model_len */
	size_t n;
} family[N_MEASURES] = {
    {"request_prompt_tokens", "Tokens of the prompts of finished requests.",
     NULL, 0},
    {"request_generation_tokens", "Tokens that finished requests generated.",
     NULL, 0},
    {"request_max_num_generation_tokens",
     "Most tokens that a choice of a request generated.", NULL, 0},
    {"request_params_max_tokens", "The max_tokens of requests.", NULL, 0},
    {"request_prefill_kv_computed_tokens",
     "Tokens of prompts that were computed, and not found.", NULL, 0},
    {"iteration_tokens_total", "Tokens of a step.", SET(iteration)},
    {"request_params_n", "The n of requests.", SET(choices)},
    {"time_to_first_token_seconds", "Time from arrival to the first token.",
     SET(first)},
    {"inter_token_latency_seconds", "Time between tokens.", SET(gap)},
    {"request_time_per_output_token_seconds",
     "Mean time of a request between tokens.", SET(gap)},
    {"e2e_request_latency_seconds", "Time from arrival to the last token.",
     SET(whole)},
    {"request_queue_time_seconds", "Time in the queue.", SET(whole)},
    {"request_inference_time_seconds",
     "Time from the first step to the last token.", SET(whole)},
    {"request_prefill_time_seconds",
     "Time from the first step to the first token.", SET(whole)},
    {"request_decode_time_seconds", "Time from the first to the last token.",
     SET(whole)},
};

/* Returns the upper bound of a bucket; 0: there is none. */
static double bound(const struct measures *m, enum measure which, size_t i)
{
	static const double mantissa[] = {1, 2, 5};
	if (family[which].bucket)
		return i < family[which].n ? family[which].bucket[i] : 0;
	double v = mantissa[i % 3];
	for (size_t k = i / 3; k; k--)
		v *= 10;
	return v <= (double)m->max_model_len && i < MEASURE_BUCKETS ? v : 0;
}

int measures_make(struct measures *m, uint32_t engines, uint64_t max_model_len)
{
	m->n = engines;
	m->max_model_len = max_model_len;
	m->engine = calloc(engines, sizeof *m->engine);
	return m->engine ? 0 : -1;
}

void measures_free(struct measures *m)
{
	free(m->engine);
}

void measures_add(struct measures *m, uint32_t engine, enum measure which,
		  double value, uint64_t n)
{
	if (engine >= m->n)
		return;
	struct measure_sum *to = &m->engine[engine].of[which];
	size_t i = 0;
	double b;
	while ((b = bound(m, which, i)) > 0 && value > b)
		i++;
	to->count[i] += n;
	to->n += n;
	to->sum += value * (double)n;
}

static void add_span(struct measures *m, uint32_t engine, enum measure which,
		     int64_t from_ns, int64_t to_ns)
{
	if (from_ns >= 0 && to_ns >= from_ns)
		measures_add(m, engine, which, 1e-9 * (double)(to_ns - from_ns),
			     1);
}

void measures_ended(struct measures *m, const struct request_event *e,
		    enum finish how, int64_t n, uint32_t limit)
{
	uint32_t k = e->replica < m->n ? e->replica : 0;
	const struct request *r = &e->request;
	m->engine[k].finished[how]++;
	measures_add(m, k, M_PROMPT, r->input_tokens, 1);
	measures_add(m, k, M_GENERATION, e->generated_tokens, 1);
	measures_add(m, k, M_MAX_GENERATION, e->generated_tokens, 1);
	if (limit)
		measures_add(m, k, M_PARAM_MAX, limit, 1);
	measures_add(m, k, M_N, (double)n, 1);
	if (e->ending != REQUEST_ENDED)
		return;
	measures_add(m, k, M_KV_COMPUTED, r->input_tokens - e->cached_tokens,
		     1);
	add_span(m, k, M_QUEUE, e->seen_ns, e->scheduled_ns);
	add_span(m, k, M_INFERENCE, e->scheduled_ns, e->last_token_ns);
	add_span(m, k, M_PREFILL, e->scheduled_ns, e->first_token_ns);
	add_span(m, k, M_DECODE, e->first_token_ns, e->last_token_ns);
	measures_add(m, k, M_E2E, 1e-9 * (double)e->e2el_ns, 1);
	if (e->tpot_ns >= 0)
		measures_add(m, k, M_TPOT, 1e-9 * (double)e->tpot_ns, 1);
}

void measures_late(struct measures *m, double seconds)
{
	size_t i = 0;
	while (i < LATENESS_BUCKETS && seconds > lateness[i])
		i++;
	m->lateness[i]++;
	m->n_lateness++;
	m->lateness_sum += seconds;
}

/* ---- the page ---- */

struct page {
	const struct measures *m;
	const struct measures_now *now;
	struct buffer *to;
	char model[600]; /* escaped */
};

/* Each replica of the page; engine_of(): its label. */
#define EACH(p, k)                                                             \
	for (uint32_t k = (p)->now->first; k < (p)->now->first + (p)->now->n;  \
	     k++)
static uint32_t engine_of(const struct page *p, uint32_t k)
{
	return k - p->now->first;
}

static void head(struct page *p, const char *name, const char *type,
		 const char *help)
{
	buffer_say(p->to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
		   type);
}

static void value(struct page *p, double v)
{
	char text[NUMBER_SIZE];
	number_format(text, v);
	buffer_say(p->to, " %s\n", text);
}

/* A sample of a replica.  before, more: labels before and behind that of the
 * model, each with a comma in front; "": none. */
static void put(struct page *p, const char *name, uint32_t engine,
		const char *before, const char *more, double v)
{
	buffer_say(p->to, "%s{engine=\"%" PRIu32 "\"%s,model_name=\"%s\"%s}",
		   name, engine_of(p, engine), before, p->model, more);
	value(p, v);
}

static void sample(struct page *p, const char *name, uint32_t engine,
		   const char *more, double v)
{
	put(p, name, engine, "", more, v);
}

/* Writes a histogram of each replica in the format of Prometheus. */
static void histogram(struct page *p, enum measure which)
{
	char name[96], part[112], le[NUMBER_SIZE + 12], text[NUMBER_SIZE];
	snprintf(name, sizeof name, "vllm:%s", family[which].name);
	head(p, name, "histogram", family[which].help);
	EACH(p, k)
	{
		const struct measure_sum *x = &p->m->engine[k].of[which];
		uint64_t sum = 0;
		size_t i = 0;
		snprintf(part, sizeof part, "%s_bucket", name);
		for (double b; (b = bound(p->m, which, i)) > 0; i++) {
			sum += x->count[i];
			number_format(text, b);
			snprintf(le, sizeof le, ",le=\"%s%s\"", text,
				 strpbrk(text, ".e") ? "" : ".0");
			put(p, part, k, le, "", (double)sum);
		}
		put(p, part, k, ",le=\"+Inf\"", "", (double)x->n);
		snprintf(part, sizeof part, "%s_count", name);
		put(p, part, k, "", "", (double)x->n);
		snprintf(part, sizeof part, "%s_sum", name);
		put(p, part, k, "", "", x->sum);
	}
}

/* Writes how many requests run and wait, and whether the engine sleeps. */
static void loads(struct page *p)
{
	const struct simulation_load *l = p->now->load;
	head(p, "vllm:num_requests_running", "gauge", "Requests that run.");
	EACH(p, k) sample(p, "vllm:num_requests_running", k, "", l[k].running);
	head(p, "vllm:num_requests_waiting", "gauge", "Requests that wait.");
	EACH(p, k) sample(p, "vllm:num_requests_waiting", k, "", l[k].waiting);
	head(p, "vllm:num_requests_waiting_by_reason", "gauge",
	     "Requests that wait, by the reason.");
	EACH(p, k)
	{
		sample(p, "vllm:num_requests_waiting_by_reason", k,
		       ",reason=\"capacity\"", l[k].waiting - l[k].deferred);
		sample(p, "vllm:num_requests_waiting_by_reason", k,
		       ",reason=\"deferred\"", l[k].deferred);
	}
	head(p, "vllm:engine_sleep_state", "gauge",
	     "1 for the state that the engine is in.");
	static const char *const state[] = {
	    ",sleep_state=\"awake\"", ",sleep_state=\"weights_offloaded\"",
	    ",sleep_state=\"discard_all\""};
	EACH(p, k)
	for (int i = 0; i < 3; i++)
		sample(p, "vllm:engine_sleep_state", k, state[i],
		       p->now->sleep_level == i);
}

/* Writes the use and the configuration of the KV cache. */
static void caches(struct page *p)
{
	const struct simulation_load *l = p->now->load;
	head(p, "vllm:kv_cache_usage_perc", "gauge",
	     "Share of the KV cache that requests hold; 1 is all.");
	EACH(p, k)
	sample(p, "vllm:kv_cache_usage_perc", k, "",
	       l[k].blocks && l[k].blocks != ENGINE_UNLIMITED
		   ? (double)l[k].blocks_used / (double)l[k].blocks
		   : 0);
	head(p, "vllm:cache_config_info", "gauge",
	     "The configuration of the cache.");
	EACH(p, k)
	{
		buffer_say(p->to,
			   "vllm:cache_config_info{block_size=\"%" PRIu32
			   "\",cache_dtype=\"auto\",enable_prefix_caching="
			   "\"%s\",engine=\"%" PRIu32
			   "\",gpu_memory_utilization=\"0.9\","
			   "num_gpu_blocks=\"",
			   p->now->facts->block_size,
			   p->now->facts->caches ? "True" : "False",
			   engine_of(p, k));
		if (p->now->facts->num_gpu_blocks == ENGINE_UNLIMITED)
			buffer_say(p->to, "None\"} 1\n");
		else
			buffer_say(p->to, "%" PRIu64 "\"} 1\n",
				   p->now->facts->num_gpu_blocks);
	}
}

/* A counter of a replica: a uint64_t in its load, or in its measures;
 * NONE: always 0. */
enum counter_of { OF_LOAD, OF_ENGINE, OF_NONE };
static const struct counter {
	const char *name, *help;
	enum counter_of of;
	size_t at;
} counter[] = {
#define LOAD(field) OF_LOAD, offsetof(struct simulation_load, field)
#define ENGINE(field) OF_ENGINE, offsetof(struct engine_measures, field)
    {"vllm:prefix_cache_queries_total",
     "Tokens that were looked up in the prefix cache.", LOAD(queried_tokens)},
    {"vllm:prefix_cache_hits_total", "Tokens that the prefix cache had.",
     LOAD(hit_tokens)},
    {"vllm:external_prefix_cache_queries_total",
     "Tokens that were looked up in an external cache.", OF_NONE, 0},
    {"vllm:external_prefix_cache_hits_total",
     "Tokens that an external cache had.", OF_NONE, 0},
    {"vllm:mm_cache_queries_total",
     "Items that were looked up in the encoder cache.", OF_NONE, 0},
    {"vllm:mm_cache_hits_total", "Items that the encoder cache had.", OF_NONE,
     0},
    {"vllm:num_preemptions_total", "Preemptions.", LOAD(preemptions)},
    {"vllm:prompt_tokens_total", "Tokens of prompts.", ENGINE(prompt_tokens)},
    {"vllm:prompt_tokens_cached_total", "Tokens of prompts that were found.",
     ENGINE(cached_tokens)},
    {"vllm:generation_tokens_total", "Tokens that were generated.",
     ENGINE(generation_tokens)},
};
static const struct counter of_drafts[] = {
    {"vllm:spec_decode_num_drafts_total", "Steps of a request with drafts.",
     ENGINE(drafts)},
    {"vllm:spec_decode_num_draft_tokens_total", "Tokens that were drafted.",
     ENGINE(draft_tokens)},
    {"vllm:spec_decode_num_accepted_tokens_total",
     "Drafted tokens that were right.", ENGINE(accepted_tokens)},
};

static void put_counters(struct page *p, const struct counter *c, size_t n)
{
	for (size_t i = 0; i < n; i++, c++) {
		head(p, c->name, "counter", c->help);
		EACH(p, k)
		{
			const void *from = c->of == OF_LOAD
					       ? (const void *)&p->now->load[k]
					       : &p->m->engine[k];
			uint64_t v = 0;
			if (c->of != OF_NONE)
				memcpy(&v, (const char *)from + c->at,
				       sizeof v);
			sample(p, c->name, k, "", (double)v);
		}
	}
}

/* Writes the counters, and prompt tokens by their source. */
static void counters(struct page *p)
{
	const struct engine_measures *e = p->m->engine;
	put_counters(p, counter, sizeof counter / sizeof *counter);
	head(p, "vllm:prompt_tokens_by_source_total", "counter",
	     "Tokens of prompts, by where they came from.");
	EACH(p, k)
	{
		const char *name = "vllm:prompt_tokens_by_source_total";
		uint64_t cached = e[k].cached_tokens, all = e[k].prompt_tokens;
		sample(p, name, k, ",source=\"local_compute\"",
		       (double)(all > cached ? all - cached : 0));
		sample(p, name, k, ",source=\"local_cache_hit\"",
		       (double)cached);
		sample(p, name, k, ",source=\"external_kv_transfer\"", 0);
	}
}

static void finished(struct page *p)
{
	static const char *const how[] = {
	    ",finished_reason=\"stop\"", ",finished_reason=\"length\"",
	    ",finished_reason=\"abort\"", ",finished_reason=\"error\"",
	    ",finished_reason=\"repetition\""};
	const char *name = "vllm:request_success_total";
	head(p, name, "counter", "Requests that finished, by the reason.");
	EACH(p, k)
	for (int i = 0; i < N_FINISHES; i++)
		put(p, name, k, how[i], "",
		    (double)p->m->engine[k].finished[i]);
}

static void alone(struct page *p, const char *name, const char *type,
		  const char *help, double v)
{
	head(p, name, type, help);
	buffer_say(p->to, "%s", name);
	value(p, v);
}

static double resident_bytes(void)
{
	unsigned long long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");
	if (f && fscanf(f, "%*s %llu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double cpu_seconds(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void put_lateness(struct page *p)
{
	const char *name = "stepcost:send_lateness_seconds";
	char text[NUMBER_SIZE];
	uint64_t sum = 0;
	head(p, name, "histogram",
	     "Wall time from when a token was due until it was handed out.");
	for (size_t i = 0; i < LATENESS_BUCKETS; i++) {
		sum += p->m->lateness[i];
		number_format(text, lateness[i]);
		buffer_say(p->to, "%s_bucket{le=\"%s\"} %" PRIu64 "\n", name,
			   text, sum);
	}
	buffer_say(p->to,
		   "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_count %" PRIu64
		   "\n%s_sum",
		   name, p->m->n_lateness, name, p->m->n_lateness, name);
	value(p, p->m->lateness_sum);
}

static void escape(char *to, size_t n, const char *from)
{
	size_t at = 0;
	for (; *from && at + 3 < n; from++) {
		if (*from == '"' || *from == '\\' || *from == '\n')
			to[at++] = '\\';
		to[at++] = *from == '\n' ? 'n' : *from;
	}
	to[at] = '\0';
}

static void speculation(struct page *p)
{
	static const char each[] =
	    "vllm:spec_decode_num_accepted_tokens_per_pos_total";
	const struct engine_measures *e = p->m->engine;
	put_counters(p, of_drafts, sizeof of_drafts / sizeof *of_drafts);
	head(p, each, "counter", "The same, by their place.");
	EACH(p, k)
	for (uint32_t i = 0; i < p->now->facts->drafts; i++) {
		char more[40];
		snprintf(more, sizeof more, ",position=\"%u\"", i);
		sample(p, each, k, more, (double)e[k].accepted_at[i]);
	}
}

static void adapters(struct page *p)
{
	char running[2100], waiting[2100];
	escape(running, sizeof running, p->now->running_adapters);
	escape(waiting, sizeof waiting, p->now->waiting_adapters);
	head(p, "vllm:lora_requests_info", "gauge",
	     "Adapters with requests; the value is the time of day.");
	buffer_say(p->to,
		   "vllm:lora_requests_info{max_lora=\"%d\","
		   "running_lora_adapters=\"%s\",waiting_lora_adapters=\"%s\"}",
		   p->now->facts->max_loras, running, waiting);
	value(p, p->now->time_s);
}

/* Writes the metrics that vLLM does not have. */
static void own(struct page *p)
{
	put_lateness(p);
	alone(p, "stepcost:clock_lag_seconds", "gauge",
	      "Wall time by which the simulation is behind its clock.",
	      p->now->lag_s);
	alone(p, "stepcost:speed", "gauge", "Simulated seconds a second.",
	      p->now->speed);
	alone(p, "stepcost:connections", "gauge", "Open connections.",
	      (double)p->now->connections);
	head(p, "stepcost:steps_total", "counter", "Steps of the engine.");
	EACH(p, k)
	{
		buffer_say(p->to,
			   "stepcost:steps_total{engine=\"%" PRIu32
			   "\"} %" PRIu64 "\n",
			   engine_of(p, k), p->m->engine[k].steps);
	}
	alone(p, "stepcost:requests_cancelled_total", "counter",
	      "Requests that their client gave up.", (double)p->m->cancelled);
	head(p, "stepcost:faults_total", "counter", "Faults on demand.");
	for (int i = FAULT_429; i < N_FAULTS; i++)
		buffer_say(p->to,
			   "stepcost:faults_total{fault=\"%s\"} %" PRIu64 "\n",
			   fault_name[i], p->m->faults[i]);
	head(p, "stepcost:step_seconds_total", "counter",
	     "Time that lookups in tables priced, by how they found it.");
	for (int i = 0; i < SC_N_PROVENANCE; i++) {
		buffer_say(p->to,
			   "stepcost:step_seconds_total{provenance=\"%s\"}",
			   provenance_name[i]);
		value(p, p->m->lookup_s[i]);
	}
	alone(p, "process_cpu_seconds_total", "counter",
	      "CPU time of the server's own process.", cpu_seconds());
	alone(p, "process_resident_memory_bytes", "gauge", "Memory in use.",
	      resident_bytes());
	alone(p, "process_start_time_seconds", "gauge",
	      "When the process started, since the epoch.",
	      p->now->start_time_s);
}

void measures_of_engines(const struct measures *m,
			 const struct measures_now *now, struct buffer *to)
{
	struct page p = {.m = m, .now = now, .to = to};
	escape(p.model, sizeof p.model, now->model);
	loads(&p);
	caches(&p);
	counters(&p);
	finished(&p);
	for (int i = 0; i < N_MEASURES; i++)
		if (!(now->without >> i & 1))
			histogram(&p, (enum measure)i);
	if (now->facts->drafts)
		speculation(&p);
	if (now->facts->has_adapters)
		adapters(&p);
}

void measures_page(const struct measures *m, const struct measures_now *now,
		   struct buffer *to)
{
	struct page p = {.m = m, .now = now, .to = to};
	measures_of_engines(m, now, to);
	own(&p);
}
