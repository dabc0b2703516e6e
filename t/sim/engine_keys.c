/* What each key of [engine] changes of a simulation, under each preset: a key
 * that is read changes something somewhere, and two engines that are alike
 * (engine/equal_schedules.h) make the same steps.
 *
 * There is no list of keys: every row of engine/keys/rows.c is tried with
 * several values in several configurations.  A key that changes nothing in any
 * of them is ignored in silence, or the configurations below lack the one in
 * which it matters.  With names of keys as arguments: those alone. */
#include "engine/equal_schedules.h"
#include "engine/keys/defaults.h"
#include "engine/keys/fill.h"
#include "engine/parallel.h"
#include "engine/pools.h"
#include "engine/presets.h"
#include "engine/refusals.h"
#include "engine/resolve.h"
#include "serve.h"
#include "tap.h"

/* ---- models and requests ---- */

#define SMALL                                                                  \
	"num_hidden_layers = 4\nhidden_size = 256\n"                           \
	"num_attention_heads = 8\nnum_key_value_heads = 4\n"                   \
	"intermediate_size = 512\nvocab_size = 1000\n"                         \
	"max_position_embeddings = 10000\n"
#define EXPERTS                                                                \
	"num_experts = 8\nnum_experts_per_tok = 2\n"                           \
	"moe_intermediate_size = 128\n"
enum model_kind { DENSE, MOE, WINDOWS, STATES, N_MODELS };
static const char *const model_text[N_MODELS] = {
    [DENSE] = "[model]\n" SMALL,
    [MOE] = "[model]\n" SMALL EXPERTS,
    [WINDOWS] =
	"[model]\n" SMALL "layer_types = sliding_attention*3,full_attention\n"
	"sliding_window = 40\n",
    [STATES] =
	"[model]\n" SMALL "layer_types = linear_attention*3,full_attention\n"
	"linear_attention = mamba2\nlinear_num_value_heads = 4\n"
	"linear_value_head_dim = 8\nlinear_key_head_dim = 8\n"
	"linear_num_key_heads = 4\nlinear_conv_kernel_dim = 4\n"
	"linear_chunk_size = 16\n",
};
/* Room for few blocks beside the weights. */
static const char hardware_text[] =
    "[hardware]\narchitecture = Hopper\nbf16_tflops = 989\n"
    "memory_bandwidth_tbs = 3.35\nmemory_gib = 80\nusable_bytes = 1.02e9\n"
    "link_bandwidth_gbs = 450\n";
static struct model model[N_MODELS];
static struct hardware gpu;

static void load(void)
{
	struct ini c;
	struct problem p = {0};
	for (int i = 0; i < N_MODELS; i++) {
		if (ini_read(&c, model_text[i], strlen(model_text[i]), &p) <
			0 ||
		    model_load(&model[i], &c, &p) < 0)
			bail_out(p.text);
		ini_free(&c);
	}
	if (ini_read(&c, hardware_text, strlen(hardware_text), &p) < 0 ||
	    hardware_load(&gpu, &c, NULL, "none", SC_BF16, &p) < 0)
		bail_out(p.text);
	ini_free(&c);
}

enum { REQUESTS = 48 };
static struct request request[REQUESTS];
static struct segment segment[REQUESTS];
static struct mm_item item[REQUESTS]; /* if encoders take time */

/* Bursts of prompts that begin alike, with pauses between some of them; one
 * prompt is long, and some matter more. */
static void make_requests(void)
{
	int64_t now = 0;
	for (uint32_t i = 0; i < REQUESTS; i++) {
		uint32_t shared = i % 3 ? 96 : 40;
		now += i % 6 ? 0 : i % 12 ? 3000000 : 40000000;
		segment[i] = (struct segment){1 + i % 5, shared};
		item[i] = (struct mm_item){1 + i % 7, 60, 90};
		request[i] = (struct request){
		    .item = &item[i],
		    .row = i,
		    .arrival_ns = now + i % 4 * 100000,
		    .input_tokens = 200 + i * 37 % 350,
		    .output_tokens = i % 8 ? 1 + i * 29 % 40 : 150,
		    .priority = (int32_t)(i * 7 % 4),
		    .n_segments = 1,
		    .segment = &segment[i]};
	}
	request[5].input_tokens = 9000;
}

/* ---- configurations ---- */

/* Of every base: some have more blocks than the memory has room for. */
#define COMMON "memory_check = off\nfront_end = none\n"
#define TIGHT                                                                  \
	"num_gpu_blocks = 90\nmax_num_seqs = 8\n"                              \
	"max_num_batched_tokens = 128\n"
#define DRAFTS "num_speculative_tokens = 3\ndraft_us = 20\n"
/* Keys behind it are of the pool that generates, and so is the one that is
 * tried. */
#define DECODE "[engine:decode]\n"
#define RATES "synthetic_acceptance_rates = 0.8,0.5,0.2\n"
static const struct base {
	uint32_t presets;
	enum model_kind model;
	const char *keys;
} base[] = {
    {ENGINE_ANY, DENSE, "max_model_len = 1000\n"},
    {ENGINE_VLLM, DENSE, "num_gpu_blocks = unlimited\n"},
    {ENGINE_PLAIN | ENGINE_VLLM, DENSE, TIGHT},
    {ENGINE_PLAIN | ENGINE_VLLM, DENSE,
     TIGHT "enable_prefix_caching = true\nasync_scheduling = true\n"},
    {ENGINE_ANY, DENSE,
     "empty_sleep_us = 30000\nempty_sleep_while = any\n"
     "num_gpu_blocks = 2000\n"},
    {ENGINE_ANY, DENSE,
     "empty_sleep_us = 30000\nqueue_empty_batches = true\n"
     "num_gpu_blocks = 2000\n"},
    {ENGINE_PLAIN, DENSE,
     "async_scheduling = true\nempty_sleep_us = 30000\n"
     "empty_sleep_while = any\nqueue_empty_batches = true\n"},
    {ENGINE_PLAIN, DENSE,
     "num_gpu_blocks = 200\nenable_prefix_caching = true\n"
     "max_num_seqs = 4\n"},
    {ENGINE_PLAIN, DENSE,
     "num_gpu_blocks = 2000\nasync_scheduling = true\n"
     "empty_sleep_us = 30000\nempty_sleep_while = any\n"},
    {ENGINE_SGLANG, DENSE,
     "num_gpu_blocks = 1500\nmax_running_requests = 8\n"
     "chunked_prefill_size = 64\n"},
    {ENGINE_SGLANG, DENSE,
     "num_gpu_blocks = 1500\nmax_running_requests = 8\n"
     "disable_radix_cache = true\n"},
    {ENGINE_SGLANG_2026, DENSE,
     "num_gpu_blocks = 3000\nmax_running_requests = 3\n"
     "enable_priority_scheduling = true\n"
     "priority_scheduling_preemption_threshold = 0\n"},
    {ENGINE_TRTLLM, DENSE,
     "num_gpu_blocks = 50\nmax_batch_size = 8\nmax_num_tokens = 256\n"
     "enable_chunked_prefill = true\n"},
    {ENGINE_TRTLLM, WINDOWS,
     "num_gpu_blocks = 50\nmax_batch_size = 8\nmax_num_tokens = 256\n"
     "enable_chunked_prefill = true\n"},
    {ENGINE_ANY, DENSE, "replicas = 2\nnum_gpu_blocks = 2000\n"},
    {ENGINE_ANY, MOE, "data_parallel_size = 2\nnum_gpu_blocks = 2000\n"},
    {ENGINE_ANY, MOE,
     "first_step_us = 100\nexpert_compile_us = 50\n"
     "graph_max_tokens = 8\nnum_gpu_blocks = 2000\n"},
    {ENGINE_VLLM, WINDOWS, TIGHT "scheduler_reserve_full_isl = true\n"},
    {ENGINE_VLLM, STATES,
     "num_gpu_blocks = 600\nmax_num_seqs = 8\n"
     "max_num_batched_tokens = 128\nenable_prefix_caching = true\n"},
    {ENGINE_VLLM, DENSE, TIGHT DRAFTS RATES},
    {ENGINE_VLLM, WINDOWS,
     DRAFTS "synthetic_acceptance_length = 2\nnum_gpu_blocks = 2000\n"},
    {ENGINE_VLLM, DENSE,
     TIGHT DRAFTS RATES "speculative_method = draft_model\n"},
    {ENGINE_PLAIN | ENGINE_VLLM, DENSE,
     TIGHT "replicas = 2\nprefill_replicas = 1\n"},
    {ENGINE_PLAIN | ENGINE_VLLM, DENSE,
     TIGHT "replicas = 2\nprefill_replicas = 1\ntensor_parallel_size = 2\n"
	   "kv_transfer_bandwidth_gbs = 0.02\n"},
    {ENGINE_ANY, DENSE,
     "pipeline_parallel_size = 2\n"
     "num_gpu_blocks = 2000\n"},
    {ENGINE_ANY, DENSE, "num_gpu_blocks = 10000000\n"},
    {ENGINE_ANY, DENSE,
     "output_token_us = 100\napi_request_us = 500\n"
     "num_gpu_blocks = 2000\n"},
    {ENGINE_BY(PRESET_VLLM_2026_07), DENSE,
     TIGHT "enable_lora = true\nlora_load_us = 50\nlora_activate_us = 20\n"},
    {ENGINE_BY(PRESET_VLLM_2026_07), DENSE,
     TIGHT "encoder_us = 20\nencoder_us_per_token = 2\n"},
    {ENGINE_BY(PRESET_VLLM_2026_07), DENSE, TIGHT "tensor_parallel_size = 8\n"},
    {ENGINE_BY(PRESET_VLLM_2026_07), DENSE,
     TIGHT "kv_offload_bandwidth_gbs = 10\ncpu_bytes_to_use = 2e6\n"},
    {ENGINE_TRTLLM, DENSE,
     "batch_wait_timeout_iters = 4\nbatch_wait_max_tokens_ratio = 0.05\n"
     "num_gpu_blocks = 2000\n"},
    {ENGINE_TRTLLM, MOE,
     "data_parallel_size = 2\nattention_dp_enable_balance = true\n"
     "num_gpu_blocks = 2000\n"},
    {ENGINE_SGLANG | ENGINE_TRTLLM, DENSE,
     "num_gpu_blocks = 2000\ntensor_parallel_size = 2\n" DECODE DRAFTS RATES},
};
enum { N_BASES = sizeof base / sizeof *base };

struct served {
	struct ini c; /* keys point into it */
	sc_model view;
	struct engine_facts facts;
	struct engine_keys keys;
	struct engine e, decode;
};

/* The lines of text but that of the key. */
static void append_others(char *to, const char *text, const char *key)
{
	size_t n = strlen(key);
	for (const char *end; *text; text = end) {
		end = strchr(text, '\n') + 1;
		if (strncmp(text, key, n) || strncmp(text + n, " = ", 3))
			strncat(to, text, (size_t)(end - text));
	}
}

static void append_key(char *to, const char *key, const char *v)
{
	if (*key)
		sprintf(to + strlen(to), "%s = %s\n", key, v);
}

enum outcome_of { SERVED, NO_KEY, REFUSED };
/* Makes the engine of a pool; NULL: of both. */
static enum outcome_of resolve(struct served *s, struct engine *e,
			       const struct base *b, const char *pool)
{
	struct problem problem = {0}, *p = &problem;
	const struct engine_source from = {.ini = &s->c, .pool = pool};
	const struct slo_keys slo = {0};
	const struct model *m = &model[b->model];
	if (engine_keys_fill(&s->keys, &from, p) < 0)
		return NO_KEY;
	const struct engine_usage usage = engine_usage_of(m, &gpu);
	if (engine_check(&s->keys, &from, p) < 0 ||
	    engine_keys_complete(&s->keys, &from, &usage, p) < 0 ||
	    parallel_check(&s->keys, m, &from, p) < 0)
		return REFUSED;
	s->facts = parallel_facts(m, &gpu, &s->keys, &s->view);
	s->facts.seed = 1;
	s->facts.from = &from;
	return engine_resolve(e, &s->keys, &slo, &s->facts, p) < 0 ? REFUSED
								   : SERVED;
}

/* As arm/ makes an engine of a configuration, in which the key has that value;
 * key "": of the base as it is. */
static enum outcome_of configure(struct served *s, const struct base *b,
				 const char *preset, const char *key,
				 const char *v)
{
	char text[1000];
	struct problem p = {0};
	const char *const *pool = engine_pool_section;
	int is_apart = strstr(b->keys, DECODE) != NULL;
	ini_free(&s->c);
	snprintf(text, sizeof text, "[engine]\npreset = %s\n", preset);
	if (!is_apart)
		append_key(text, key, v);
	append_others(text, COMMON, key);
	append_others(text, b->keys, key);
	if (is_apart)
		append_key(text, key, v);
	if (ini_read(&s->c, text, strlen(text), &p) < 0)
		return NO_KEY;
	if (!is_apart)
		return resolve(s, &s->e, b, NULL);
	enum outcome_of so = resolve(s, &s->e, b, pool[0]);
	if (so == SERVED)
		so = resolve(s, &s->decode, b, pool[1]);
	if (so != SERVED)
		return so;
	const struct engine_source from = {.ini = &s->c, .pool = pool[1]};
	return engine_join(&s->e, &s->decode, &from, &p) < 0 ? REFUSED : SERVED;
}

/* ---- the simulation ---- */

struct seen {
	uint64_t schedule; /* who is in which step, and when                 */
	uint64_t price;    /* what a cost model is told                      */
};

static void add(uint64_t *hash, uint64_t x)
{
	*hash = (*hash ^ x) * 0x9e3779b97f4a7c15u;
	*hash ^= *hash >> 29;
}

static int see_step(void *ctx, const struct step_event *x, struct problem *p)
{
	struct seen *s = ctx;
	const sc_step *step = x->step;
	const uint64_t of[] = {(uint64_t)x->start_ns,
			       (uint64_t)x->end_ns,
			       (uint64_t)x->schedule_ns,
			       x->tokens,
			       x->running,
			       x->waiting,
			       x->preempted,
			       x->blocks_used,
			       x->pool,
			       x->rank,
			       step->replica,
			       step->n_prefill,
			       step->n_decode,
			       step->n_sampled};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		add(&s->schedule, of[i]);
	for (uint32_t i = 0; i < step->n_decode; i++)
		add(&s->schedule, step->decode_id[i]);
	for (uint32_t i = 0; i < step->n_prefill; i++)
		add(&s->schedule,
		    step->prefill_id[i] << 32 | step->prefill_new[i]);
	add(&s->price, step->flags);
	add(&s->price, step->dp_tokens);
	add(&s->price, step->dp_max_tokens);
	(void)p;
	return 0;
}

static int see_request(void *ctx, const struct request_event *x,
		       struct problem *p)
{
	struct seen *s = ctx;
	const uint64_t of[] = {
	    x->request.row,        (uint64_t)x->ending,  x->replica,
	    x->cached_tokens,      (uint64_t)x->ttft_ns, (uint64_t)x->e2el_ns,
	    (uint64_t)x->rejection};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		add(&s->schedule, of[i]);
	(void)p;
	return 0;
}

enum { MOST_REPLICAS = 16, MOST_STEP_BYTES = 32 << 20 };

/* 0, or -1: too large, or the engine cannot serve them. */
static int simulate_it(struct served *s, struct seen *seen)
{
	const struct linear_cost cost = {100, 1, 0.01};
	const struct observer o = {
	    .on_step = see_step, .on_request = see_request, .ctx = seen};
	static struct outcome out;
	struct problem p;
	sc_engine view;
	sc_parallel split;
	*seen = (struct seen){0};
	if (s->e.replicas > MOST_REPLICAS ||
	    simulation_step_bytes(&s->e) > MOST_STEP_BYTES)
		return -1;
	for (uint32_t i = 0; i < REQUESTS; i++) {
		request[i].adapter = s->e.lora.max_loras ? i % 5 : 0;
		request[i].n_items =
		    s->e.encoders.step_us > 0 || s->e.encoders.token_us > 0;
	}
	engine_view(&view, &split, &s->e);
	const uint64_t told[] = {
	    view.max_num_seqs,
	    view.max_num_batched_tokens,
	    view.block_size,
	    view.graph_max_tokens,
	    view.sampling,
	    view.async_scheduling,
	    split.tp,
	    split.pp,
	    split.ep,
	    split.dp,
	    s->view.kv_format,
	    engine_gpus(&s->keys),
	    view.expert_dispatch ? strlen(view.expert_dispatch) : 0};
	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		add(&seen->price, told[i]);
	return serve(&s->e, &cost, request, REQUESTS, &o, &out, &p);
}

/* ---- values of a key ---- */

static const char *const some_texts[] = {
    "0", "8", "40", "100", "unlimited", "auto", "0.5,0.2,0.1", "1,1,0.4"};
static const double some_shares[] = {0.01, 0.02, 0.05, 0.1, 0.3,
				     0.5,  0.7,  0.9,  0.95};
static const double some_numbers[] = {0,  1,   2,   3,   4,   8,   16,
				      50, 200, 1e3, 8e3, 1e5, 1e7, 9e8};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The i-th; NULL: there are no more. */
static const char *value(const sc_knob *k, size_t i)
{
	static char text[40];
	int is_share = k->type == SC_KNOB_DOUBLE && k->max <= 1;
	if (k->type == SC_KNOB_BOOL)
		return i < 2 ? (i ? "true" : "false") : NULL;
	if (k->type == SC_KNOB_CHOICE)
		return k->choices[i];
	if (k->type != SC_KNOB_INT && k->type != SC_KNOB_DOUBLE)
		return i < COUNT(some_texts) ? some_texts[i] : NULL;
	if (i >= (is_share ? COUNT(some_shares) : COUNT(some_numbers)))
		return NULL;
	double x = is_share ? some_shares[i] : some_numbers[i];
	snprintf(text, sizeof text, "%.10g", x);
	return text;
}

/* ---- every key ---- */

struct tried {
	const struct engine_row *row;
	enum engine_preset preset;
	int changes; /* somewhere; the schedule, if its row says that */
	uint32_t runs;
};
static uint32_t n_alike_and_not; /* engines that are said to be alike */

static void compare(struct tried *t, const struct base *b, const char *v,
		    const struct served *was, const struct seen *seen_was,
		    const struct served *is, const struct seen *seen)
{
	const char *by = engine_difference(&was->e, &is->e);
	int moved = seen->schedule != seen_was->schedule;
	int costs = seen->price != seen_was->price;
	t->changes |= moved || (costs && t->row->effect != EFFECT_SCHEDULE);
	if (!moved || by)
		return;
	n_alike_and_not++;
	printf("# %s: %s = %s makes other steps, and engine/equal_schedules.h "
	       "says that "
	       "the schedule is the same\n",
	       engine_preset_words[t->preset], t->row->knob.name, v);
	printf("# with %zu characters of other keys\n", strlen(b->keys));
}

/* With every value in one configuration, until it changes the schedule. */
static void try_base(struct tried *t, const struct base *b)
{
	static struct served was, is;
	struct seen seen_was, seen = {0};
	const char *v, *preset = engine_preset_words[t->preset];
	if (configure(&was, b, preset, "", "") != SERVED ||
	    simulate_it(&was, &seen_was) < 0)
		return;
	seen = seen_was;
	for (size_t i = 0; seen.schedule == seen_was.schedule &&
			   (v = value(&t->row->knob, i)) != NULL;
	     i++) {
		enum outcome_of so =
		    configure(&is, b, preset, t->row->knob.name, v);
		/* Who refuses a value of its range reads it. */
		t->changes |= so == REFUSED;
		if (so != SERVED || simulate_it(&is, &seen) < 0)
			continue;
		t->runs++;
		compare(t, b, v, &was, &seen_was, &is, &seen);
	}
}

/* Keys that these configurations do not show, and why. */
static const struct {
	const char *key;
	uint32_t presets;
} unseen[] = {
    /* read when an arm is opened: t/1685, t/1910 */
    {"decode_cost_model", ENGINE_ANY},
    {"pools", ENGINE_ANY},
    {"draft_cost_model", ENGINE_ANY},
    {"draft_model_config", ENGINE_ANY},
    /* a thread that finds nothing to schedule is too rare there */
    {"queue_empty_batches", ENGINE_SGLANG | ENGINE_TRTLLM},
    {"empty_sleep_us", ENGINE_TRTLLM},
    {"empty_sleep_while", ENGINE_TRTLLM},
};

static int is_unseen(const struct engine_row *r, enum engine_preset preset)
{
	for (size_t i = 0; i < COUNT(unseen); i++)
		if (!strcmp(unseen[i].key, r->knob.name) &&
		    unseen[i].presets & ENGINE_BY(preset))
			return 1;
	return 0;
}

/* 1: under each preset that reads it, it changes something. */
static int is_read(const struct engine_row *r)
{
	int good = 1;
	for (uint32_t i = 0; i < ENGINE_N_PRESETS; i++) {
		struct tried t = {.row = r, .preset = (enum engine_preset)i};
		if (!engine_row_is_obeyed(r, t.preset) ||
		    is_unseen(r, t.preset))
			continue;
		for (uint32_t k = 0; k < N_BASES && !t.changes; k++)
			if (base[k].presets & ENGINE_BY(i))
				try_base(&t, &base[k]);
		if (t.changes)
			continue;
		good = 0;
		printf("# %s = … changes nothing under %s, in %u runs\n",
		       r->knob.name, engine_preset_words[i], t.runs);
	}
	return good;
}

static int is_wanted(const char *name, char **names)
{
	for (char **n = names; *n; n++)
		if (!strcmp(*n, name))
			return 1;
	return !*names;
}

int main(void)
{
	load();
	make_requests();
	for (uint32_t i = 0; i < engine_n_keys; i++) {
		const struct engine_row *r = engine_row(i);
		const char *name = r->knob.name;
		if (!strcmp(name, "preset") || !strcmp(name, "scheduler") ||
		    !is_wanted(name, unit_arguments))
			continue;
		ok(is_read(r), "%s is read", name);
	}
	ok(n_alike_and_not == 0, "engines that are alike make the same steps");
	for (int i = 0; i < N_MODELS; i++)
		model_free(&model[i]);
	hardware_free(&gpu);
	return done();
}
