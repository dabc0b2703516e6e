/* engine.c -- Any bytes as a model, keys of [engine] and requests: every
 * request ends once or is rejected, on a clock that does not go back, in a
 * bounded number of steps.
 *
 * Bytes: clients, GPU time, model, preset, blocks, number of keys; two for each
 * key (which one; its value, of those that its row in the table allows; a key
 * that is refused beside the others is left out); four for each request.
 * FUZZ_SAY in the environment: prints the INI, without the model. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "serve.h"
#include "engine/keys/defaults.h"
#include "engine/keys/fill.h"
#include "engine/parallel.h"
#include "engine/resolve.h"
#include "engine/keys/rows.h"
#include "keys/hardware.h"
#include "model/model.h"

enum {
	MOST_REQUESTS = 48,
	MOST_STEPS = 400000,
	MOST_REPLICAS = 64,
	MOST_STEP_BYTES = 256 << 20, /* of larger ones no step is simulated */
	TEXT = 8192,
	FIRST_LINE = 4 /* of the keys, in the INI */
};

struct bytes {
	const uint8_t *at, *end;
};
static uint32_t next(struct bytes *b)
{
	return b->at < b->end ? *b->at++ : 0;
}

/* ---- the configuration ---- */

#define SMALL                                                                  \
	"hidden_size = 256\nnum_attention_heads = 8\nnum_key_value_heads = "   \
	"4\nintermediate_size = 512\nvocab_size = 1000\n"                      \
	"max_position_embeddings = 4096\n"
#define EXPERTS                                                                \
	"num_experts = 8\nnum_experts_per_tok = 2\n"                           \
	"moe_intermediate_size = 128\n"
static const char *const model_text[] = {
    "num_hidden_layers = 4\n" SMALL,
    "num_hidden_layers = 4\n" SMALL EXPERTS,
    "num_hidden_layers = 4\n" SMALL
    "layer_types = sliding_attention,full_attention\nsliding_window = 40\n",
    "num_hidden_layers = 5\n" SMALL EXPERTS
    "layer_types = sliding_attention*4,full_attention\nsliding_window = 24\n",
    "num_hidden_layers = 4\nhidden_size = 256\nnum_attention_heads = 8\n"
    "num_key_value_heads = 8\nintermediate_size = 512\nvocab_size = 1000\n"
    "kv_lora_rank = 64\nqk_nope_head_dim = 32\nqk_rope_head_dim = 16\n"
    "v_head_dim = 32\nmax_position_embeddings = 4096\n",
    "num_hidden_layers = 4\n" SMALL
    "layer_types = linear_attention*3,full_attention\n"
    "linear_attention = gated_delta\nlinear_num_key_heads = 8\n"
    "linear_num_value_heads = 8\nlinear_key_head_dim = 32\n"
    "linear_value_head_dim = 32\nlinear_conv_kernel_dim = 4\n",
};
enum { N_MODELS = sizeof model_text / sizeof *model_text };
/* Room for few blocks beside the weights, if `auto` computes their number. */
static const char hardware_text[] =
    "[hardware]\narchitecture = Hopper\nbf16_tflops = 989\n"
    "memory_bandwidth_tbs = 3.35\nmemory_gib = 80\nusable_bytes = 1.05e9\n"
    "link_bandwidth_gbs = 450\n";

/* Often near the least allowed value, because there rules meet. */
static double number(const sc_knob *k, uint32_t v)
{
	double most = k->max - k->min < 5000 ? k->max : k->min + 5000;
	uint32_t far = v < 128   ? v % 16
		       : v < 192 ? v - 128
				 : (v - 192) * (v - 192);
	double x = k->type == SC_KNOB_DOUBLE && k->max <= 1
		       ? k->min + (k->max - k->min) * v / 255
		       : k->min + far;
	return x < most ? x : most;
}

/* One of the forms of the keys that are text. */
static void words(char *to, size_t size, uint32_t v)
{
	static const char *const rates[] = {
	    "0.9", "0.9,0.5", "0.7,0.7,0.1", "1,1,1,1",
	    "0",   "auto",    "unlimited"};
	if (v < 192)
		snprintf(to, size, "%u", v + 1);
	else
		snprintf(to, size, "%s", rates[v % 7]);
}

static uint32_t n_choices(const sc_knob *k)
{
	uint32_t n = 0;
	while (k->choices && k->choices[n])
		n++;
	return n;
}

static void value(char *to, size_t size, const sc_knob *k, uint32_t v)
{
	uint32_t n = n_choices(k);
	if (n)
		snprintf(to, size, "%s", k->choices[v % n]);
	else if (k->type == SC_KNOB_BOOL)
		snprintf(to, size, "%s", v % 2 ? "true" : "false");
	else if (k->type == SC_KNOB_INT || k->type == SC_KNOB_DOUBLE)
		snprintf(to, size, "%.10g", number(k, v));
	else
		words(to, size, v);
}

struct model_and_gpu {
	struct ini c;
	struct model m;
	struct hardware h;
};

/* Reads them once: there are few. */
static const struct model_and_gpu *served(uint32_t i)
{
	static struct model_and_gpu all[N_MODELS];
	struct model_and_gpu *s = &all[i];
	struct problem p;
	char text[TEXT];
	int n = snprintf(text, sizeof text, "[model]\n%s%s", model_text[i],
			 hardware_text);
	if (!s->c.path && (ini_read(&s->c, text, (size_t)n, &p) < 0 ||
			   model_load(&s->m, &s->c, &p) < 0 ||
			   hardware_load(&s->h, &s->c, NULL, "none",
					 s->m.view.compute_format, &p) < 0))
		abort();
	return s;
}

struct all {
	const struct model_and_gpu *of;
	struct ini c;
	sc_model view;
	struct engine e;
};

/* As arm/ makes an engine of a configuration.  0, or -1: it is refused. */
static int configure(struct all *a, const char *text, struct problem *p)
{
	const struct engine_source from = {.ini = &a->c};
	const struct slo_keys slo = {.ttft_ms = 1, .tpot_ms = 1};
	const struct model *m = &a->of->m;
	struct engine_keys k;
	ini_free(&a->c);
	*p = (struct problem){0};
	if (ini_read(&a->c, text, strlen(text), p) < 0 ||
	    engine_keys_fill(&k, &from, p) < 0)
		return -1;
	const struct engine_usage usage = engine_usage_of(m, &a->of->h);
	if (engine_keys_complete(&k, &from, &usage, p) < 0 ||
	    parallel_check(&k, m, &from, p) < 0)
		return -1;
	struct engine_facts facts = parallel_facts(m, &a->of->h, &k, &a->view);
	facts.seed = 1;
	facts.from = &from;
	return engine_resolve(&a->e, &k, &slo, &facts, p);
}

/* The preset decides which scheduler's keys there are. */
static int applies(uint32_t key, uint32_t preset)
{
	const char *name = engine_key[key]->name;
	return strcmp(name, "preset") != 0 && strcmp(name, "scheduler") != 0 &&
	       strcmp(name, "num_gpu_blocks") != 0 &&
	       engine_row_is_obeyed(engine_row(key),
				    (enum engine_preset)preset);
}

static char said[TEXT]; /* the INI */
static size_t say(size_t n, const char *key, const char *what)
{
	return n + (size_t)snprintf(said + n, TEXT - n, "%s = %s\n", key, what);
}

struct given {
	uint32_t key, value;
};

/* Which of the keys a refusal names, which begins with the line in the INI; the
 * last, if it names none of them. */
static size_t refused(const struct problem *p, size_t n_given)
{
	unsigned long line;
	return sscanf(p->text, "<text>:%lu:", &line) == 1 &&
		       line >= FIRST_LINE && line - FIRST_LINE < n_given
		   ? line - FIRST_LINE
		   : n_given - 1;
}

/* Adds the keys to the n characters that are said, without those that are
 * refused.  0, or -1: not even those before them are sound. */
static int add_keys(struct all *a, size_t n, struct given *g, size_t n_given)
{
	struct problem p;
	char what[100];
	for (;;) {
		size_t with = n;
		said[n] = '\0';
		for (size_t i = 0; i < n_given; i++) {
			const sc_knob *k = engine_key[g[i].key];
			value(what, sizeof what, k, g[i].value);
			with = say(with, k->name, what);
		}
		if (configure(a, said, &p) == 0)
			return 0;
		if (!n_given)
			return -1;
		size_t out = refused(&p, n_given--);
		memmove(g + out, g + out + 1, (n_given - out) * sizeof *g);
	}
}

/* The INI of the bytes, and what it describes.  0, or -1: nothing sound. */
static int read_engine(struct all *a, struct bytes *b)
{
	uint8_t known[256] = {0};
	struct given given[64];
	char what[100];
	size_t n_given = 0;
	a->of = served(next(b) % N_MODELS);
	size_t n = (size_t)snprintf(said, TEXT, "[engine]\n");
	uint32_t preset = next(b) % n_choices(engine_key[0]);
	n = say(n, "preset", engine_key[0]->choices[preset]);
	words(what, sizeof what, next(b));
	n = say(n, "num_gpu_blocks", what);
	for (uint32_t left = next(b) % 64; left; left--) {
		uint32_t i = next(b) % engine_n_keys, v = next(b);
		if (!known[i]++ && applies(i, preset))
			given[n_given++] = (struct given){i, v};
	}
	return add_keys(a, n, given, n_given);
}

/* ---- what holds of every run ---- */

static void fault(const char *what, uint64_t which)
{
	fprintf(stderr, "%s: %llu\n%s", what, (unsigned long long)which, said);
	abort();
}

struct watched {
	const struct engine *e;
	uint64_t steps, of[MOST_REPLICAS];
	int64_t start_ns[MOST_REPLICAS], end_ns[MOST_REPLICAS];
	uint8_t ended[MOST_REQUESTS];
	uint64_t completed, rejected[N_REJECTIONS];
};

static int check_step(void *ctx, const struct step_event *s, struct problem *p)
{
	struct watched *w = ctx;
	uint32_t r = s->step->replica;
	const struct engine *e = engine_of_replica(w->e, r);
	(void)p;
	if (++w->steps > MOST_STEPS)
		fault("steps without end", w->steps);
	if (s->step->step_index != w->of[r]++)
		fault("a step is left out, or told twice", w->steps);
	if (s->schedule_ns > s->start_ns || s->start_ns > s->end_ns ||
	    s->start_ns < w->start_ns[r] ||
	    (engine_stages(e) == 1 && s->start_ns < w->end_ns[r]))
		fault("the clock goes back in step", w->steps);
	w->start_ns[r] = s->start_ns;
	w->end_ns[r] = s->end_ns;
	if (s->blocks_used > e->num_gpu_blocks)
		fault("more blocks than there are in step", w->steps);
	if (s->running > e->max_num_seqs)
		fault("more than max_num_seqs run in step", w->steps);
	return 0;
}

static void check_times(const struct request_event *q)
{
	const struct request *r = &q->request;
	if (q->generated_tokens != r->output_tokens)
		fault("ended in part: request", r->row);
	if (q->scheduled_ns < r->arrival_ns ||
	    q->first_token_ns < q->scheduled_ns ||
	    q->last_token_ns < q->first_token_ns || q->ttft_ns < 0 ||
	    q->e2el_ns < q->ttft_ns)
		fault("the clock goes back: request", r->row);
	if (q->n_visits < 1 || q->visit[0].from_ns != r->arrival_ns ||
	    q->visit[q->n_visits - 1].to_ns != q->last_token_ns)
		fault("where it was, and not when: request", r->row);
	for (uint32_t i = 0; i < q->n_visits; i++)
		if (q->visit[i].to_ns < q->visit[i].from_ns ||
		    (i && q->visit[i].from_ns < q->visit[i - 1].to_ns))
			fault("at two places at once: request", r->row);
}

static int check_request(void *ctx, const struct request_event *q,
			 struct problem *p)
{
	struct watched *w = ctx;
	(void)p;
	if (w->ended[q->request.row]++)
		fault("ended twice: request", q->request.row);
	if (q->ending == REQUEST_REJECTED) {
		w->rejected[q->rejection]++;
	} else if (q->ending == REQUEST_ENDED) {
		check_times(q);
		w->completed++;
	} else {
		fault("unfinished: request", q->request.row);
	}
	return 0;
}

static void check_sums(const struct watched *w, const struct outcome *out,
		       const struct workload *load)
{
	uint64_t rejected = 0;
	for (uint32_t i = 0; i < N_REJECTIONS; i++) {
		rejected += w->rejected[i];
		if (out->rejections.of[i].n != w->rejected[i])
			fault("rejected for a reason", i);
	}
	if (out->completed != w->completed || out->rejected != rejected ||
	    out->unfinished || out->requests != load->n ||
	    w->completed + rejected != load->n || load->n_finished != load->n)
		fault("requests", out->requests);
	if (out->num_steps != w->steps)
		fault("steps", out->num_steps);
}

/* ---- requests ---- */

static size_t read_requests(struct request request[MOST_REQUESTS],
			    struct segment segment[MOST_REQUESTS],
			    struct bytes *b)
{
	size_t n = 0;
	int64_t now = 0;
	for (; n < MOST_REQUESTS && b->at < b->end; n++) {
		uint32_t gap = next(b), shared = next(b);
		now += 10000 * (int64_t)gap * gap;
		segment[n] = (struct segment){shared % 4, 1 + shared};
		request[n] = (struct request){.row = n,
					      .arrival_ns = now,
					      .priority = (int32_t)gap % 3,
					      .segment = &segment[n],
					      .n_segments = shared % 8 != 0,
					      .output_id = shared % 3,
					      .input_tokens = 1 + next(b)};
		request[n].output_tokens = 1 + next(b) % 64;
	}
	return n;
}

static void run(const struct engine *e, struct bytes *b, uint32_t clients,
		uint32_t time)
{
	static struct request request[MOST_REQUESTS];
	static struct segment segment[MOST_REQUESTS];
	static struct outcome out;
	struct watched w = {.e = e};
	struct problem p = {0};
	const struct linear_cost c = {1 + time * time, time % 7, time % 3};
	const struct observer o = {
	    .on_step = check_step, .on_request = check_request, .ctx = &w};
	struct workload load = {.request = request};
	load.concurrency = load.n_free = clients;
	load.n = read_requests(request, segment, b);
	serve_one_by_one = time % 2 == 0;
	if (serve_workload(e, &c, &load, &o, &out, &p) < 0)
		fault(p.text, 0);
	check_sums(&w, &out, &load);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = {data, data + size};
	struct all a = {0};
	uint32_t clients = next(&b) % 64, time = next(&b);
	int rc = read_engine(&a, &b);
	if (getenv("FUZZ_SAY"))
		printf("%s\n", said);
	if (rc == 0 && a.e.replicas <= MOST_REPLICAS &&
	    simulation_step_bytes(&a.e) <= MOST_STEP_BYTES)
		run(&a.e, &b, clients, time);
	ini_free(&a.c);
	return 0;
}
