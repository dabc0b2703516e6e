/* linear: five numbers.  The time of a step is a sum of five features of the
 * step, each times a knob.  linear.md has the formulas and their source.
 *
 * It is the baseline of `score`: a cost model that measurements of one
 * deployment give for nothing. */
#include <math.h>
#include <stdlib.h>
#include "stepcost/batch.h"
#include "stepcost/fail.h"
#include "stepcost/kernel/floor.h"
#include "stepcost/kernel/linear_defaults.h"
#include "stepcost/kernel/unsupported.h"
#include "stepcost/knob.h"
#include "stepcost/sum.h"

/* ---- knobs ---- */

#define SCALES(X) X(SCALE_WORK, "work"), X(SCALE_TIME, "time")
SC_WORDS(scale, SCALES);

/* The factors of f0 to f4. */
enum { WEIGHTS, PROMPT, DECODE, KV, PAIRS, N_FACTORS };
struct knobs {
	double weights, prompt, decode, kv, pairs;
	double sigma, noise;
	int64_t scale;
};

/* A plugin cannot see that a knob was not set.  Therefore the default is a
 * value that no factor has. */
#define NOT_SET (-1)
#define FACTOR(field, help)                                                    \
	SC_DOUBLE(struct knobs, field, "-1", NOT_SET, 1e12, "1", help,         \
		  .fit_low = 0, .fit_high = 1e12)

static const sc_knob *const knobs[] = {
    FACTOR(weights, "Of the weights that the step reads; -1: 1.4364 with "
		    "scale = work."),
    FACTOR(prompt, "Of the multiplications of prompt tokens; -1: 1.1965 with "
		   "scale = work."),
    FACTOR(decode, "Of the multiplications of decodes; -1: 0.4548 with scale = "
		   "work."),
    FACTOR(kv, "Of the KV cache that decodes read; -1: 1.548 with scale = "
	       "work."),
    FACTOR(pairs, "Of the attention of prompts; -1: 3.1832 with scale = "
		  "work."),
    SC_DOUBLE(struct knobs, sigma, "0.11", 0, 10, "1",
	      "Relative standard deviation that all steps of a deployment have "
	      "in common; as found on four deployments."),
    SC_DOUBLE(struct knobs, noise, "0.24", 0, 10, "1",
	      "Relative standard deviation of each step by itself; as found on "
	      "four deployments."),
    SC_CHOICE(struct knobs, scale, "work", scale_words,
	      "work: the factors are multiples of the least time; time: they "
	      "are microseconds, of a step, a token, a decode, a token of "
	      "context, a pair of tokens."),
};

static const char *const factor_name[N_FACTORS] = {"weights", "prompt",
						   "decode", "kv", "pairs"};
static const double shipped[N_FACTORS] = {SC_LINEAR_WEIGHTS, SC_LINEAR_PROMPT,
					  SC_LINEAR_DECODE, SC_LINEAR_KV,
					  SC_LINEAR_PAIRS};

/* ---- the instance ---- */

/* Layers of one kind; times in us, on one rank. */
struct layers {
	double kv_us;      /* to read one token of the KV cache */
	double pair_us;    /* of one (query, key) pair of a prompt */
	double window;     /* tokens; 0: all of the context */
	int is_in_chunks;  /* 1: the window is a chunk */
	double experts_us; /* to read all routed experts */
	double missed;     /* probability that a token leaves an expert out */
};

struct inst {
	double factor[N_FACTORS];
	double sigma, noise;
	int is_work; /* scale = work */
	double tp, pp;
	double weights_us;  /* to read all weights but routed experts */
	double token_us;    /* to multiply one token through the layers */
	double token_flops; /* the FLOP of that */
	double bandwidth;   /* byte/us */
	double peak;        /* FLOP/us of attention */
	uint32_t n_layers;
	struct layers layers[];
};

/* What a layer costs: weights by kind, on one rank. */
struct rates {
	const sc_model *model;
	const sc_hardware *hw;
	double tp, ep, bandwidth; /* bandwidth in byte/us */
};

/* Returns FLOP/us of a format; that of 16 bits if the GPU has none. */
static double peak_of(const struct rates *r, uint32_t format)
{
	const double *peak = r->hw->peak_flops;
	double is = peak[format % SC_FORMAT_CODES];
	if (!(is > 0))
		is = fmax(peak[SC_BF16], peak[SC_FP16]);
	return is / 1e6;
}

/* ---- what a layer has ---- */

static double head_dim_of(const sc_model *m, const sc_layers *g)
{
	if (g->head_dim || !g->n_heads)
		return g->head_dim;
	uint32_t whole = m->hidden / g->n_heads;
	return whole;
}

static double kv_heads_of(const sc_layers *g)
{
	return g->n_kv_heads ? g->n_kv_heads : g->n_heads;
}

static int has_flag(const sc_layers *g, uint32_t flag)
{
	return SC_HAS(g, flags) && (g->flags & flag) != 0;
}

/* Weights of the projections of linear attention.  Convolutions and norms are
 * left out. */
static double linear_weights(double hidden, const sc_layers *g)
{
	double inner = (double)g->linear_v_heads * g->linear_v_dim;
	double keys = (double)g->linear_k_heads * g->linear_k_dim;
	double v_heads = g->linear_v_heads, dim = g->linear_v_dim;
	double pair = hidden * dim + dim * inner;
	switch (g->linear_kind) {
	case SC_LINEAR_GDN:
		return hidden * (2 * keys + 3 * inner + 2 * v_heads);
	case SC_LINEAR_KDA:
		return hidden * (4 * inner + v_heads) + pair +
		       (has_flag(g, SC_LAYER_OUTPUT_GATE) ? hidden * inner
							  : pair);
	case SC_LINEAR_MAMBA2:
		return hidden * (3 * inner + 2 * keys + v_heads);
	case SC_LINEAR_LIGHTNING:
		return 5 * hidden * inner;
	case SC_LINEAR_SHORT_CONV:
		return 4 * hidden * hidden;
	default:
		return hidden * hidden;
	}
}

static double latent_weights(double hidden, const sc_layers *g)
{
	double heads = g->n_heads, rank = g->q_lora_rank,
	       latent = g->kv_lora_rank;
	double query = heads * ((double)g->qk_nope_dim + g->qk_rope_dim);
	double gate =
	    has_flag(g, SC_LAYER_OUTPUT_GATE) ? hidden * heads * g->v_dim : 0;
	return (rank > 0 ? rank * (hidden + query) : hidden * query) +
	       hidden * (latent + g->qk_rope_dim) +
	       latent * heads * ((double)g->qk_nope_dim + g->v_dim) +
	       heads * g->v_dim * hidden + gate;
}

static double attention_weights(const sc_model *m, const sc_layers *g)
{
	double hidden = m->hidden, heads = g->n_heads;
	double gates = has_flag(g, SC_LAYER_OUTPUT_GATE) ? heads : 0;
	switch (g->attention) {
	case SC_ATTN_NONE:
		return 0;
	case SC_ATTN_MLA:
		return latent_weights(hidden, g);
	case SC_ATTN_LINEAR:
		return linear_weights(hidden, g);
	default:
		return hidden * head_dim_of(m, g) *
		       (2 * heads + gates + 2 * kv_heads_of(g));
	}
}

/* The dense FFN, or the shared experts. */
static double dense_weights(double hidden, const sc_layers *g)
{
	switch (g->ffn) {
	case SC_FFN_GATED:
		return 3 * hidden * g->ffn_dim;
	case SC_FFN_PLAIN:
		return 2 * hidden * g->ffn_dim;
	case SC_FFN_MOE:
		return 3 * hidden * g->n_shared_experts * g->shared_ffn_dim;
	default:
		return 0;
	}
}

static double expert_weights(double hidden, const sc_layers *g)
{
	return g->ffn == SC_FFN_MOE ? 3 * hidden * g->ffn_dim : 0;
}

/* ---- a kind of layer as times ---- */

static int reads_kv(const sc_layers *g)
{
	return g->attention != SC_ATTN_NONE && g->attention != SC_ATTN_LINEAR;
}

static void add_attention(const struct rates *r, const sc_layers *g,
			  struct layers *to)
{
	double kv_bytes = r->model->kv_bits / 8, dim = head_dim_of(r->model, g);
	double width = 4 * dim,
	       token = 2 * fmax(kv_heads_of(g) / r->tp, 1) * dim;
	if (!reads_kv(g))
		return;
	if (g->attention == SC_ATTN_MLA) {
		token = (double)g->kv_lora_rank + g->qk_rope_dim;
		width = 2 * ((double)g->qk_nope_dim + g->qk_rope_dim) +
			2 * (double)g->v_dim;
	}
	to->kv_us = g->n_layers * token * kv_bytes / r->bandwidth;
	to->pair_us = g->n_layers * width * g->n_heads / r->tp /
		      peak_of(r, r->model->compute_format);
	to->is_in_chunks = g->attention == SC_ATTN_CHUNK;
	if (to->is_in_chunks || g->attention == SC_ATTN_WINDOW)
		to->window = g->window;
}

static void add_layers(struct inst *s, const struct rates *r,
		       const sc_layers *g, struct layers *to)
{
	const double hidden = r->model->hidden, n = g->n_layers;
	double attention = n * attention_weights(r->model, g);
	double dense = n * dense_weights(hidden, g);
	double expert = n * expert_weights(hidden, g);
	double topk = g->experts_per_token, experts = g->n_experts;
	add_attention(r, g, to);
	s->weights_us += (attention * g->attn_bits + dense * g->ffn_bits) / 8 /
			 r->tp / r->bandwidth;
	to->experts_us = experts * expert * g->expert_bits / 8 /
			 (r->ep > 1 ? r->ep : r->tp) / r->bandwidth;
	to->missed = experts > 0 ? 1 - topk / experts : 1;
	s->token_flops += 2 * (attention + dense + topk * expert) / r->tp;
	s->token_us += 2 / r->tp *
		       (attention / peak_of(r, g->attn_format) +
			dense / peak_of(r, g->ffn_format) +
			topk * expert / peak_of(r, g->expert_format));
}

/* Returns what the fields of sc_layers do not describe; NULL: they describe
 * the layers. */
static const char *undescribed(const sc_layers *g)
{
	if (has_flag(g, SC_LAYER_SPARSE))
		return "attention to a chosen or compressed part of the "
		       "context";
	if (has_flag(g, SC_LAYER_OTHER))
		return "weights or work that no field describes";
	if (g->attention != SC_ATTN_LINEAR)
		return SC_HAS(g, linear_kind) && g->linear_kind
			   ? "attention and a state space at once"
			   : NULL;
	return !SC_HAS(g, linear_kind) || !g->linear_kind ||
		       g->linear_kind == SC_LINEAR_MAMBA1
		   ? sc_unpriced(g)
		   : NULL;
}

/* Refuses a model or a GPU without the figures that the law needs. */
static int32_t check(const sc_setup *setup, sc_error *err)
{
	const sc_model *m = setup->model;
	const sc_hardware *hw = setup->hardware;
	for (uint32_t i = 0; i < m->n_groups; i++)
		if (undescribed(m->group[i]))
			return sc_fail(err, SC_EUNSUP,
				       "model %s: cannot price its %u layers "
				       "with %s",
				       m->name, m->group[i]->n_layers,
				       undescribed(m->group[i]));
	if (!m->n_groups)
		return sc_fail(err, SC_EINVAL, "model %s has no layers",
			       m->name);
	if (!(hw->mem_bandwidth > 0))
		return sc_fail(err, SC_EINVAL,
			       "hardware %s has no memory bandwidth", hw->name);
	if (!(fmax(hw->peak_flops[SC_BF16], hw->peak_flops[SC_FP16]) > 0))
		return sc_fail(err, SC_EUNSUP,
			       "hardware %s has no peak rate for 16 bits",
			       hw->name);
	return SC_OK;
}

/* Takes the shipped figure for each factor that is not set. */
static int32_t take_factors(struct inst *s, const struct knobs *k,
			    sc_error *err)
{
	const double given[N_FACTORS] = {k->weights, k->prompt, k->decode,
					 k->kv, k->pairs};
	for (uint32_t i = 0; i < N_FACTORS; i++) {
		s->factor[i] = given[i];
		if (given[i] >= 0)
			continue;
		if (given[i] != NOT_SET)
			return sc_fail(err, SC_EINVAL, "%s must not be below 0",
				       factor_name[i]);
		if (!s->is_work)
			return sc_fail(err, SC_EINVAL,
				       "scale = time needs %s: `stepcost fit` "
				       "finds it from measured steps",
				       factor_name[i]);
		s->factor[i] = shipped[i];
	}
	return SC_OK;
}

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	const struct knobs *k = block;
	const sc_model *m = setup->model;
	int32_t rc = check(setup, err);
	if (rc != SC_OK)
		return rc;
	struct inst *s =
	    calloc(1, sizeof *s + m->n_groups * sizeof s->layers[0]);
	if (!s)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	struct rates r = {.model = m,
			  .hw = setup->hardware,
			  .tp = fmax(1, setup->parallel->tp),
			  .ep = setup->parallel->ep,
			  .bandwidth = setup->hardware->mem_bandwidth / 1e6};
	s->is_work = k->scale == SCALE_WORK;
	s->sigma = k->sigma;
	s->noise = k->noise;
	s->tp = r.tp;
	s->pp = fmax(1, setup->parallel->pp);
	s->bandwidth = r.bandwidth;
	s->peak = peak_of(&r, m->compute_format);
	s->n_layers = m->n_groups;
	for (uint32_t i = 0; i < m->n_groups; i++)
		add_layers(s, &r, m->group[i], &s->layers[i]);
	s->weights_us += (double)m->hidden * m->vocab * m->head_bits / 8 /
			 r.tp / r.bandwidth;
	rc = take_factors(s, k, err);
	if (rc == SC_OK)
		*inst = s;
	else
		free(s);
	return rc;
}

/* ---- a step ---- */

/* Sums over the requests of a step, as if every layer saw all contexts. */
struct sums {
	double prompt_tokens, decodes, contexts, pairs;
};

static struct sums sums_of(const sc_step *step)
{
	struct sums t = {.decodes = step->n_decode,
			 .contexts = (double)sc_decode_ctx_sum(step)};
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		t.prompt_tokens += step->prefill_new[i];
		t.pairs +=
		    sc_pairs(step->prefill_new[i], step->prefill_ctx[i], 0);
	}
	return t;
}

/* The contexts that decodes read in layers with a window. */
static double contexts_within(const sc_step *step, double window)
{
	double sum = 0;
	for (uint32_t i = 0; i < step->n_decode; i++)
		sum += fmin(step->decode_ctx[i], window);
	return sum;
}

static double pairs_within(const sc_step *step, const struct layers *l)
{
	double sum = 0;
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		double new = step->prefill_new[i],
		       cached = step->prefill_ctx[i];
		sum += l->is_in_chunks
			   ? sc_pairs_in_chunks(new, cached, l->window)
			   : sc_pairs(new, cached, l->window);
	}
	return sum;
}

/* f0 to f4 in us of the least time. */
static void least_times(const struct inst *s, const sc_step *step,
			const struct sums *t, double f[N_FACTORS])
{
	double tokens = t->prompt_tokens + t->decodes;
	f[WEIGHTS] = s->weights_us;
	f[PROMPT] = t->prompt_tokens * s->token_us;
	f[DECODE] = t->decodes * s->token_us;
	f[KV] = f[PAIRS] = 0;
	for (uint32_t i = 0; i < s->n_layers; i++) {
		const struct layers *l = &s->layers[i];
		if (l->experts_us > 0)
			f[WEIGHTS] +=
			    l->experts_us * (1 - pow(l->missed, tokens));
		f[KV] +=
		    l->kv_us * (l->window > 0 ? contexts_within(step, l->window)
					      : t->contexts);
		f[PAIRS] += l->pair_us *
			    (l->window > 0 ? pairs_within(step, l) : t->pairs);
	}
}

/* What an earlier host does not know, it has no room for. */
static void report_uncertainty(const struct inst *s, sc_result *out)
{
	if (!SC_HAS(out, sigma_us))
		return;
	out->noise_us = s->noise * out->exact_us;
	if (out->sigma_us)
		out->sigma_us[0] = s->sigma * out->exact_us;
}

static void report_work(const struct inst *s, const struct sums *t,
			const double least[N_FACTORS], sc_result *out)
{
	out->flops = (t->prompt_tokens + t->decodes) * s->token_flops +
		     least[PAIRS] * s->peak;
	out->bytes = (least[WEIGHTS] + least[KV]) * s->bandwidth;
	if (!SC_HAS(out, kv_bytes))
		return;
	/* FLOPs are those of all ranks. */
	const double token_flops = s->token_flops * s->tp;
	out->weight_bytes = least[WEIGHTS] * s->bandwidth;
	if (t->prompt_tokens > 0) {
		out->gemm_flops[SC_PREFILL] = t->prompt_tokens * token_flops;
		out->attention_flops[SC_PREFILL] =
		    least[PAIRS] * s->peak * s->tp;
	}
	if (t->decodes > 0) {
		out->gemm_flops[SC_DECODE] = t->decodes * token_flops;
		out->kv_bytes[SC_DECODE] = least[KV] * s->bandwidth;
	}
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	const struct sums t = sums_of(step);
	const double counts[N_FACTORS] = {1, t.prompt_tokens, t.decodes,
					  t.contexts, t.pairs};
	const int phase = step->n_decode ? SC_DECODE : SC_PREFILL;
	double least[N_FACTORS], us[N_FACTORS];
	(void)err;
	least_times(s, step, &t, least);
	for (uint32_t i = 0; i < N_FACTORS; i++)
		us[i] = s->factor[i] * (s->is_work ? least[i] : counts[i]);
	out->exact_us = us[0] + us[1] + us[2] + us[3] + us[4];
	out->total_us = out->exact_us;
	out->ready_us = out->total_us / s->pp;
	out->gemm_us[phase] = us[WEIGHTS] + us[PROMPT] + us[DECODE];
	if (step->n_decode)
		out->attention_us[SC_DECODE] = us[KV];
	if (step->n_prefill)
		out->attention_us[SC_PREFILL] = us[PAIRS];
	report_work(s, &t, least, out);
	report_uncertainty(s, out);
	out->bound = us[WEIGHTS] + us[KV] >= us[PROMPT] + us[DECODE] + us[PAIRS]
			 ? SC_BOUND_MEMORY
			 : SC_BOUND_COMPUTE;
	return SC_OK;
}

SC_EVAL_BATCH(eval);

static const sc_sigma deployment_sigma = {
    .size = sizeof(sc_sigma),
    .name = "deployment",
    .help = "the model against the steps of a deployment"};
static const sc_sigma *const sigmas[] = {&deployment_sigma};

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = SC_CAP_ADDITIVE,
    .name = "linear",
    .version = "1",
    .summary = "five factors: weights, prompt, decode, KV cache, pairs",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .n_sigma = sizeof sigmas / sizeof *sigmas,
    .sigma = sigmas,
    .id = "stepcost.linear",
    .author = "The stepcost authors",
    .licence = "MIT",
    .citation =
	"stepcost, linear: five factors by least squares over measured steps",
};
SC_PLUGIN_DEFINE(plugin);
