/* smooth_roofline: a calibrated physical step-time model.  A step is a sum of
 * component rooflines, each a smooth maximum of its bytes and its FLOPs; the
 * formulas, the sources of the coefficients and what they do not cover are in
 * smooth_roofline.md.  SI units inside, per step and replica.
 *
 * Every coefficient is a knob.  Those that differ between GPU families stand
 * once per family (ew, ew_a100, ew_l40s), so that one set of knobs prices them
 * all and can be refitted over them all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "stepcost/captured.h"
#include "stepcost/fail.h"
#include "stepcost/knob.h"

struct knobs {
	int64_t family, figures, scout_experts, allow_extrapolation;
	double ew, ew_a100, ew_l40s, ekv, ekv_a100, ekv_l40s;
	double ec, ec_a100, ec_l40s, kvq, p, ep;
	double ara_us, arl_us, arb, arw, art_us, moel_us, emoe, emc, csv, cl_us,
	    c0_us;
};

/* The GPUs the coefficients were fitted on, with the peaks they were fitted
 * against: bf16 FLOP/s, bytes/s of memory, bytes/s of a link one way. */
enum { H100, H200, A100, L40S, N_FAMILIES };
static const struct family {
	const char *name;
	double peak, bandwidth, link, fp8_gain;
} family_of[N_FAMILIES] = {
    [H100] = {"h100", 989.5e12, 3.35e12, 450e9, 2},
    [H200] = {"h200", 989.5e12, 4.8e12, 450e9, 2},
    [A100] = {"a100-80", 312e12, 2.039e12, 300e9, 1},
    [L40S] = {"l40s", 362e12, 0.864e12, 32e9, 2},
};

static const char *const family_choices[] = {"h100", "h200", "a100-80",
					     "l40s", "auto", NULL};
enum { FAMILY_AUTO = N_FAMILIES };
static const char *const figures_choices[] = {"auto", "family", "hardware",
					      NULL};
enum { FIGURES_AUTO, FIGURES_FAMILY, FIGURES_HARDWARE };
static const char *const scout_choices[] = {"fp8", "config", NULL};
enum { SCOUT_FP8, SCOUT_CONFIG };

#define EFFICIENCY(field, def, help)                                           \
	SC_DOUBLE(struct knobs, field, def, 1e-3, 1, "1", help)
static const sc_knob *const knobs[] = {
    SC_CHOICE(struct knobs, family, "auto", family_choices,
	      "Whose coefficients; auto: the hardware's name decides."),
    SC_CHOICE(struct knobs, figures, "auto", figures_choices,
	      "Whose peak rates; auto: the family's where the hardware's agree "
	      "within 1 %."),
    SC_CHOICE(struct knobs, scout_experts, "fp8", scout_choices,
	      "Llama-4-Scout's experts: FP8, as in the checkpoint that was "
	      "measured, or as its config says."),
    SC_BOOL(struct knobs, allow_extrapolation, "false",
	    "Price GPUs and attention that the coefficients do not cover."),
    EFFICIENCY(ew, "0.8158494028948527", "Weight bandwidth, H100 and H200."),
    EFFICIENCY(ew_a100, "0.7503942817543359", "Weight bandwidth, A100."),
    EFFICIENCY(ew_l40s, "0.7992131836129734", "Weight bandwidth, L40S."),
    EFFICIENCY(ekv, "0.9341081596255897", "KV bandwidth, H100 and H200."),
    EFFICIENCY(ekv_a100, "0.4171144188532631", "KV bandwidth, A100."),
    EFFICIENCY(ekv_l40s, "0.8120202762564422", "KV bandwidth, L40S."),
    EFFICIENCY(ec, "0.6778137576572986", "GEMM compute, H100 and H200."),
    EFFICIENCY(ec_a100, "0.3380482645065802", "GEMM compute, A100."),
    EFFICIENCY(ec_l40s, "0.6778137576572986", "GEMM compute, L40S."),
    SC_DOUBLE(struct knobs, kvq, "41.2869316546855", 0, 1e5, "token",
	      "Context that a decoding sequence costs beside its own."),
    SC_DOUBLE(struct knobs, p, "2.7357622362875986", 1.01, 100, "1",
	      "Sharpness of the smooth maximum."),
    EFFICIENCY(ep, "0.2918523467709542", "Prefill attention compute."),
    SC_DOUBLE(struct knobs, ara_us, "5.847798579340339", 0, 1e4, "us",
	      "Latency of an all-reduce of two ranks."),
    SC_DOUBLE(struct knobs, arl_us, "5.165118298492943", 0, 1e4, "us",
	      "More latency for each doubling of ranks."),
    EFFICIENCY(arb, "0.2698264809742962", "Link bandwidth of an all-reduce."),
    SC_DOUBLE(struct knobs, arw, "0", 0, 1, "1",
	      "Link bandwidth of vLLM's own all-reduce in one or two stages, "
	      "in place of arb up to 8 MiB; 0: not modelled."),
    SC_DOUBLE(struct knobs, art_us, "0", 0, 1e4, "us",
	      "More latency of its second stage (arw)."),
    SC_DOUBLE(struct knobs, moel_us, "51.70984168486", 0, 1e5, "us",
	      "Fixed cost of an MoE layer."),
    EFFICIENCY(emoe, "0.9526218214315549", "Expert weight bandwidth."),
    EFFICIENCY(emc, "0.1929887505876042", "Expert compute."),
    SC_DOUBLE(struct knobs, csv, "148.43141876535688", 0, 1e5, "1",
	      "Passes over the fp32 logits that sampling costs."),
    SC_DOUBLE(struct knobs, cl_us, "12.469705639109", 0, 1e4, "us",
	      "Host cost of a layer."),
    SC_DOUBLE(struct knobs, c0_us, "738.9009948075214", 0, 1e6, "us",
	      "Host cost of a step."),
};

#define PRESET(id, title)                                                      \
	static const char *const id##_values[] = {"family", title, NULL};      \
	static const sc_preset id = {                                          \
	    .size = sizeof id,                                                 \
	    .name = title,                                                     \
	    .help = "Coefficients of " title ", whatever the GPU is called.",  \
	    .values = id##_values,                                             \
	}
PRESET(h100, "h100");
PRESET(h200, "h200");
PRESET(a100, "a100-80");
PRESET(l40s, "l40s");
/* arw from kernels timed alone; the latencies, which hold the waiting of ranks
 * for each other too, from served runs (doc/residuals.md). */
static const char *const stages_values[] = {"arw",    "0.64", "arl_us", "1",
					    "art_us", "9",    NULL};
static const sc_preset stages = {
    .size = sizeof stages,
    .name = "vllm_all_reduce",
    .help = "All-reduce in one stage or two, as vLLM's kernels do it.",
    .values = stages_values,
};
static const sc_preset *const presets[] = {&h100, &h200, &a100, &l40s, &stages};

/* Layers whose attention sees as far back: seconds per unit of context. */
struct reach {
	double window;   /* tokens, 0: all of it                              */
	double decode_s; /* per token of K + kvq nd                          */
	double prefill_s, prefill_kv_s; /* per token² of A, token of Kp       */
};

enum { ONE_STAGE, TWO_STAGES, RING, N_ALL_REDUCES };

/* A step priced with multiplications only; all times in seconds. */
struct inst {
	double p, kvq, graph_max;
	double gemm_bytes_s, gemm_flop_s; /* the latter per token            */
	double moe_flop_s, moe_fixed_s;   /* flop per token                   */
	double head_bytes_s, head_flop_s; /* the latter per emitting sequence */
	double sample_s, host_s;
	struct all_reduce {
		double two_stages_tokens, ring_tokens; /* from here on       */
		double fixed_s[N_ALL_REDUCES], token_s[N_ALL_REDUCES];
	} all_reduce;
	uint32_t n_reach, n_moe;
	int64_t allow_extrapolation;
	struct reach *reach; /* [n_reach]                                    */
	struct moe {
		double experts, miss, bytes_s; /* miss = 1 - topk / experts;
			bytes_s of one expert in all its layers              */
	} * moe; /* [n_moe]                                                   */
};

/* Rates that the shapes are divided by, from family, hardware and knobs. */
struct rates {
	double peak, bandwidth, link, fp8_gain, tp;
	double ew, ekv, ec;
};

/* A window that no served context fits into is no approximation of full
 * attention; larger ones are, up to their size. */
#define LEAST_WINDOW 4096

static int same_rate(double a, double b)
{
	return b <= 0 || fabs(a - b) <= 0.01 * a;
}

static void say(const sc_setup *setup, int32_t level, const char *text)
{
	if (setup->host && setup->host->log)
		setup->host->log(setup->host, level, text);
}

static int agrees(const struct family *f, const sc_hardware *hw)
{
	return same_rate(f->peak, hw->peak_flops[SC_BF16]) &&
	       same_rate(f->bandwidth, hw->mem_bandwidth) &&
	       same_rate(f->link, hw->link_bandwidth);
}

/* By its rates, whatever it is called; else by its name, so that an H100 with
 * a rate changed for an experiment is still one.  A PCIe or NVL board is none:
 * its memory is another one. */
static int family_of_hardware(const sc_hardware *hw)
{
	static const struct {
		const char *prefix;
		int family;
	} known[] = {{"h100-sxm", H100},
		     {"h200", H200},
		     {"a100-80-sxm", A100},
		     {"l40s", L40S}};
	for (int f = 0; f < N_FAMILIES; f++)
		if (hw->peak_flops[SC_BF16] > 0 && hw->mem_bandwidth > 0 &&
		    agrees(&family_of[f], hw))
			return f;
	for (size_t i = 0; hw->name && i < sizeof known / sizeof *known; i++)
		if (!strncasecmp(hw->name, known[i].prefix,
				 strlen(known[i].prefix)))
			return known[i].family;
	return FAMILY_AUTO;
}

static int32_t choose_family(const struct knobs *k, const sc_setup *setup,
			     int *family, sc_error *err)
{
	const char *name = setup->hardware->name;
	*family = (int)k->family;
	if (*family == FAMILY_AUTO)
		*family = family_of_hardware(setup->hardware);
	if (*family != FAMILY_AUTO)
		return SC_OK;
	if (!k->allow_extrapolation)
		return sc_fail(err, SC_EUNSUP,
			       "%s: no coefficients for this GPU (there are "
			       "h100, h200, a100-80, l40s): choose family, or "
			       "allow_extrapolation = true",
			       name ? name : "hardware");
	say(setup, 2,
	    "smooth_roofline: extrapolating: coefficients of h100 with the "
	    "peak rates of another GPU");
	*family = H100;
	return SC_OK;
}

static int32_t choose_rates(struct rates *r, const struct knobs *k,
			    const sc_setup *setup, sc_error *err)
{
	const sc_hardware *hw = setup->hardware;
	int family;
	int32_t rc = choose_family(k, setup, &family, err);
	if (rc != SC_OK)
		return rc;
	const struct family *f = &family_of[family];
	*r = (struct rates){.peak = f->peak,
			    .bandwidth = f->bandwidth,
			    .link = f->link,
			    .fp8_gain = f->fp8_gain,
			    .tp = setup->parallel->tp,
			    .ew = k->ew,
			    .ekv = k->ekv,
			    .ec = k->ec};
	if (family == A100)
		r->ew = k->ew_a100, r->ekv = k->ekv_a100, r->ec = k->ec_a100;
	if (family == L40S)
		r->ew = k->ew_l40s, r->ekv = k->ekv_l40s, r->ec = k->ec_l40s;
	if (k->figures == FIGURES_FAMILY ||
	    (k->figures == FIGURES_AUTO && agrees(f, hw)))
		return SC_OK;
	if (k->figures == FIGURES_AUTO)
		say(setup, 1,
		    "smooth_roofline: the hardware's peak rates are not those "
		    "of the coefficients: using the hardware's");
	if (!(hw->peak_flops[SC_BF16] > 0) || !(hw->mem_bandwidth > 0) ||
	    (r->tp > 1 && !(hw->link_bandwidth > 0)))
		return sc_fail(err, SC_EINVAL,
			       "%s: needs bf16 peak, memory bandwidth and, "
			       "with several ranks, link bandwidth",
			       hw->name ? hw->name : "hardware");
	r->peak = hw->peak_flops[SC_BF16];
	r->bandwidth = hw->mem_bandwidth;
	r->link = hw->link_bandwidth;
	r->fp8_gain = hw->peak_flops[SC_FP8] > 0 ? 2 : 1;
	return SC_OK;
}

static int32_t check_attention(const sc_layers *g, const sc_setup *setup,
			       const struct knobs *k, sc_error *err)
{
	const char *model = setup->model->name;
	switch (g->attention) {
	case SC_ATTN_FULL:
		return SC_OK;
	case SC_ATTN_WINDOW:
	case SC_ATTN_CHUNK:
		if (g->window >= LEAST_WINDOW)
			return SC_OK;
		if (!k->allow_extrapolation)
			return sc_fail(err, SC_EUNSUP,
				       "%s: sliding window of %u tokens: not "
				       "modelled (allow_extrapolation = true "
				       "prices context up to the window)",
				       model, g->window);
		say(setup, 2,
		    "smooth_roofline: extrapolating: windowed attention is "
		    "priced as full attention on the window");
		return SC_OK;
	case SC_ATTN_MLA:
		return sc_fail(err, SC_EUNSUP,
			       "%s: multi-head latent attention (MLA) is not "
			       "modelled",
			       model);
	default:
		return sc_fail(err, SC_EUNSUP,
			       "%s: layers without softmax attention are not "
			       "modelled",
			       model);
	}
}

/* Adds a component of `weights` parameters that every token meets. */
static void add_weights(struct inst *s, const struct rates *r, double weights,
			double bits, uint32_t format)
{
	double peak = r->peak * (format == SC_FP8 ? r->fp8_gain : 1);
	s->gemm_bytes_s += weights * bits / 8 / (r->tp * r->bandwidth * r->ew);
	s->gemm_flop_s += 2 * weights / (r->tp * peak * r->ec);
}

/* The coefficients know Llama-4-Scout as it is served, with FP8 experts; its
 * own config.json says bf16, which two such GPUs could not hold. */
static int served_in_fp8(const sc_layers *g, const struct knobs *k)
{
	return k->scout_experts == SCOUT_FP8 && g->n_experts == 16 &&
	       g->experts_per_token == 1 && g->n_shared_experts == 1 &&
	       g->expert_bits >= 16;
}

static void add_moe(struct inst *s, const struct rates *r,
		    const struct knobs *k, const sc_layers *g, double d)
{
	int fp8 = served_in_fp8(g, k);
	double bits = fp8 ? 8 : g->expert_bits;
	uint32_t format = fp8 ? SC_FP8 : g->expert_format;
	double n = g->n_layers, expert = n * 3 * d * g->ffn_dim;
	double peak = r->peak * (format == SC_FP8 ? r->fp8_gain : 1);
	add_weights(s, r, n * d * g->n_experts, g->attn_bits, g->attn_format);
	add_weights(s, r, n * 3 * d * g->shared_ffn_dim * g->n_shared_experts,
		    bits, format);
	s->moe[s->n_moe++] = (struct moe){
	    .experts = g->n_experts,
	    .miss = 1 - (double)g->experts_per_token / g->n_experts,
	    .bytes_s = expert * bits / 8 / (r->tp * r->bandwidth * k->emoe)};
	s->moe_flop_s +=
	    2 * expert * g->experts_per_token / (r->tp * peak * k->emc);
	s->moe_fixed_s += n * k->moel_us * 1e-6;
}

static void add_ffn(struct inst *s, const struct rates *r,
		    const struct knobs *k, const sc_layers *g, double d)
{
	double matrices = g->ffn == SC_FFN_GATED ? 3 : 2;
	if (g->ffn == SC_FFN_MOE)
		add_moe(s, r, k, g, d);
	else if (g->ffn != SC_FFN_NONE)
		add_weights(s, r, g->n_layers * matrices * d * g->ffn_dim,
			    g->ffn_bits, g->ffn_format);
}

static void add_attention(struct inst *s, const struct rates *r,
			  const struct knobs *k, const sc_layers *g,
			  const sc_model *m)
{
	double n = g->n_layers, d = m->hidden;
	double q = (double)g->n_heads * g->head_dim;
	double kv = (double)g->n_kv_heads * g->head_dim;
	double replicas = fmax(1, r->tp / g->n_kv_heads);
	double window = g->attention == SC_ATTN_FULL ? 0 : g->window;
	add_weights(s, r, n * (d * (q + 2 * kv) + q * d), g->attn_bits,
		    g->attn_format);
	struct reach *reach = s->reach;
	while (reach < s->reach + s->n_reach && reach->window != window)
		reach++;
	if (reach == s->reach + s->n_reach)
		s->n_reach++;
	double token_s = 2 * kv * replicas * n * m->kv_bits / 8 /
			 (r->tp * r->bandwidth * r->ekv);
	reach->window = window;
	reach->decode_s += token_s;
	reach->prefill_kv_s += token_s;
	reach->prefill_s += 4 * q * n / (r->tp * r->peak * k->ep);
}

/* All reductions of a step: two a layer.  A ring's law by default; with arw
 * that of the kernels vLLM has for 2, 4, 6 and 8 ranks, up to 8 MiB.  In one
 * stage each rank reads all of its peers' messages; in two, from 512 KiB with 4
 * ranks, 256 KiB with more, never with 2, it reduces its share and reads the
 * others', a barrier more. */
static void add_all_reduce(struct all_reduce *a, const struct rates *r,
			   const struct knobs *k, double layers, double d)
{
	double n = 2 * layers, tp = r->tp, message = 2 * d;
	double ring = message * 2 * (tp - 1) / tp, read = message * (tp - 1);
	double latency_us = k->ara_us + k->arl_us * fmax(0, log2(tp) - 1);
	if (!(tp > 1))
		return;
	a->fixed_s[RING] = n * latency_us * 1e-6;
	a->token_s[RING] = n * ring / (r->link * k->arb);
	if (!(k->arw > 0) || tp > 8 || fmod(tp, 2) > 0)
		return;
	a->fixed_s[ONE_STAGE] = a->fixed_s[RING];
	a->token_s[ONE_STAGE] = n * read / (r->link * k->arw);
	a->fixed_s[TWO_STAGES] = n * (latency_us + k->art_us) * 1e-6;
	a->token_s[TWO_STAGES] = n * ring / (r->link * k->arw);
	a->ring_tokens = 0x1p23 / message;
	a->two_stages_tokens = tp > 4   ? 0x1p18 / message
			       : tp > 2 ? 0x1p19 / message
					: a->ring_tokens;
}

static void add_rest(struct inst *s, const struct rates *r,
		     const struct knobs *k, const sc_setup *setup,
		     double layers)
{
	const sc_model *m = setup->model;
	double logits = (double)m->vocab * m->hidden;
	double gain = m->head_format == SC_FP8 ? r->fp8_gain : 1;
	s->head_bytes_s =
	    logits * m->head_bits / 8 / (r->tp * r->bandwidth * r->ew);
	s->head_flop_s = 2 * logits / (r->tp * r->peak * gain * r->ec);
	s->sample_s = k->csv * 4 * m->vocab / r->bandwidth;
	s->host_s = (layers * k->cl_us + k->c0_us) * 1e-6;
	add_all_reduce(&s->all_reduce, r, k, layers, m->hidden);
	s->p = k->p;
	s->kvq = k->kvq;
	s->graph_max = setup->engine->graph_max_tokens;
	s->allow_extrapolation = k->allow_extrapolation;
}

static int32_t fill(struct inst *s, const struct knobs *k,
		    const sc_setup *setup, sc_error *err)
{
	const sc_model *m = setup->model;
	struct rates r;
	double layers = 0;
	int fp8_scout = 0;
	int32_t rc = choose_rates(&r, k, setup, err);
	if (rc != SC_OK)
		return rc;
	for (uint32_t i = 0; i < m->n_groups; i++) {
		const sc_layers *g = m->group[i];
		rc = check_attention(g, setup, k, err);
		if (rc != SC_OK)
			return rc;
		add_attention(s, &r, k, g, m);
		add_ffn(s, &r, k, g, m->hidden);
		if (g->ffn == SC_FFN_MOE && served_in_fp8(g, k))
			fp8_scout = 1;
		layers += g->n_layers;
	}
	if (fp8_scout)
		say(setup, 1,
		    "smooth_roofline: Llama-4-Scout is priced with FP8 experts "
		    "(scout_experts = config: as its config says)");
	add_rest(s, &r, k, setup, layers);
	return SC_OK;
}

static void destroy(void *inst)
{
	struct inst *s = inst;
	free(s->reach);
	free(s->moe);
	free(s);
}

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	struct inst *s = calloc(1, sizeof *s);
	size_t groups = setup->model->n_groups ? setup->model->n_groups : 1;
	if (s) {
		s->reach = calloc(groups, sizeof *s->reach);
		s->moe = calloc(groups, sizeof *s->moe);
	}
	if (!s || !s->reach || !s->moe) {
		if (s)
			destroy(s);
		return sc_fail(err, SC_ENOMEM, "out of memory");
	}
	int32_t rc = fill(s, block, setup, err);
	if (rc == SC_OK)
		*inst = s;
	else
		destroy(s);
	return rc;
}

/* (a^p + b^p)^(1/p), by the larger so that nothing overflows. */
static double smooth_max(double a, double b, double p)
{
	double hi = fmax(a, b), lo = fmin(a, b);
	return hi > 0 ? hi * pow(1 + pow(lo / hi, p), 1 / p) : 0;
}

struct load {
	double prefill_tokens, decode_tokens, sequences;
};

static double attention_s(const struct inst *s, const sc_step *st,
			  struct load *l, sc_result *out)
{
	double decode_s = 0, prefill_s = 0;
	for (const struct reach *r = s->reach; r < s->reach + s->n_reach; r++) {
		double cap = r->window > 0 ? r->window : INFINITY;
		double k = 0, a = 0, kp = 0;
		for (uint32_t i = 0; i < st->n_decode; i++) {
			double n = st->decode_new ? st->decode_new[i] : 1;
			k += fmin(st->decode_ctx[i] + n, cap);
		}
		for (uint32_t i = 0; i < st->n_prefill; i++) {
			double p = st->prefill_ctx[i], n = st->prefill_new[i];
			a += n * fmin(p + (n + 1) / 2, cap);
			kp += fmin(p + n, cap + n);
		}
		decode_s += r->decode_s * (k + s->kvq * st->n_decode);
		prefill_s += r->prefill_s * a + r->prefill_kv_s * kp;
	}
	if (l->decode_tokens > 0)
		out->attention_us[SC_DECODE] = decode_s * 1e6;
	if (l->prefill_tokens > 0)
		out->attention_us[SC_PREFILL] = prefill_s * 1e6;
	return decode_s + prefill_s;
}

static int32_t check_reach(const struct inst *s, const sc_step *st,
			   sc_error *err)
{
	for (uint32_t g = 0; g < s->n_reach && !s->allow_extrapolation; g++) {
		double window = s->reach[g].window, longest = 0;
		if (!(window > 0))
			continue;
		for (uint32_t i = 0; i < st->n_decode; i++)
			longest = fmax(longest, st->decode_ctx[i] + 1.0);
		for (uint32_t i = 0; i < st->n_prefill; i++)
			longest = fmax(longest, (double)st->prefill_ctx[i] +
						    st->prefill_new[i]);
		if (longest > window)
			return sc_fail(err, SC_EUNSUP,
				       "a context of %g tokens exceeds the "
				       "attention window of %g: not modelled "
				       "(allow_extrapolation = true prices it "
				       "up to the window)",
				       longest, window);
	}
	return SC_OK;
}

/* Weights read once by all tokens: a smooth maximum of bytes and FLOPs. */
static double gemms_s(const struct inst *s, const struct load *l,
		      double *bytes_s, double *flop_s)
{
	double real = l->prefill_tokens + l->decode_tokens;
	double m = sc_captured_tokens(real, s->graph_max), moe_bytes_s = 0;
	for (uint32_t i = 0; i < s->n_moe; i++)
		moe_bytes_s += s->moe[i].bytes_s * s->moe[i].experts *
			       (1 - pow(s->moe[i].miss, real));
	*bytes_s = s->gemm_bytes_s + moe_bytes_s + s->head_bytes_s;
	*flop_s = (s->gemm_flop_s + s->moe_flop_s) * m +
		  s->head_flop_s * l->sequences;
	return smooth_max(s->gemm_bytes_s, s->gemm_flop_s * m, s->p) +
	       smooth_max(moe_bytes_s, s->moe_flop_s * m, s->p) +
	       s->moe_fixed_s +
	       smooth_max(s->head_bytes_s, s->head_flop_s * l->sequences, s->p);
}

static double all_reduce_s(const struct all_reduce *a, double tokens)
{
	int i = tokens >= a->ring_tokens         ? RING
		: tokens >= a->two_stages_tokens ? TWO_STAGES
						 : ONE_STAGE;
	return a->fixed_s[i] + a->token_s[i] * tokens;
}

static uint32_t bound_of(double memory_s, double compute_s, double comm_s,
			 double overhead_s)
{
	double most = fmax(fmax(memory_s, compute_s), fmax(comm_s, overhead_s));
	return most == memory_s    ? SC_BOUND_MEMORY
	       : most == compute_s ? SC_BOUND_COMPUTE
	       : most == comm_s    ? SC_BOUND_COMM
				   : SC_BOUND_OVERHEAD;
}

static int32_t eval(void *inst, const sc_step *st, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	struct load l = {.sequences = st->n_sampled};
	double bytes_s, flop_s;
	for (uint32_t i = 0; i < st->n_prefill; i++)
		l.prefill_tokens += st->prefill_new[i];
	for (uint32_t i = 0; i < st->n_decode; i++)
		l.decode_tokens += st->decode_new ? st->decode_new[i] : 1;
	double m = l.prefill_tokens + l.decode_tokens;
	if (!(m > 0))
		return SC_OK;
	int32_t rc = check_reach(s, st, err);
	if (rc != SC_OK)
		return rc;
	double gemm_s = gemms_s(s, &l, &bytes_s, &flop_s);
	double attention = attention_s(s, st, &l, out);
	double comm_s =
	    all_reduce_s(&s->all_reduce, sc_captured_tokens(m, s->graph_max));
	double rest_s = s->host_s + s->sample_s * l.sequences;
	out->exact_us = (gemm_s + attention + comm_s + rest_s) * 1e6;
	out->total_us = out->exact_us;
	/* One GEMM serves both phases: by their tokens. */
	if (l.prefill_tokens > 0)
		out->gemm_us[SC_PREFILL] = gemm_s * 1e6 * l.prefill_tokens / m;
	if (l.decode_tokens > 0)
		out->gemm_us[SC_DECODE] = gemm_s * 1e6 * l.decode_tokens / m;
	out->comm_us = comm_s * 1e6;
	out->overhead_us = rest_s * 1e6;
	if (st->n_prefill)
		flop_s += attention;
	else
		bytes_s += attention;
	out->bound = bound_of(bytes_s, flop_s, comm_s, rest_s);
	return SC_OK;
}

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities =
	SC_CAP_ORDER_SENSITIVE | SC_CAP_NOT_MONOTONE | SC_CAP_ADDITIVE,
    .name = "smooth_roofline",
    .version = "1",
    .summary = "Sum of smooth component rooflines, calibrated on vLLM runs",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .n_presets = sizeof presets / sizeof *presets,
    .preset = presets,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = destroy,
    .eval = eval,
};
SC_PLUGIN_DEFINE(plugin);
