/* smooth_roofline: prices a step as a sum of component rooflines, each a smooth
 * maximum of its bytes and its FLOPs; the formulas, the sources of the
 * coefficients and what they do not cover are in smooth_roofline.md.  SI units
 * inside, per step and replica.
 *
 * Every coefficient is a knob.  Those that differ between GPU families stand
 * once per family (ew, ew_a100, ew_l40s), so that one set of knobs prices them
 * all and can be refitted over them all. */
#include <math.h>
#include <stdlib.h>
#include "stepcost/batch.h"
#include "stepcost/captured.h"
#include "stepcost/fail.h"
#include "inst.h"

#define EFFICIENCY(field, def, help)                                           \
	SC_DOUBLE(struct knobs, field, def, 1e-3, 1, "1", help)
static const sc_knob *const knobs[] = {
    SC_CHOICE(struct knobs, family, "auto", family_words,
	      "Whose coefficients; auto: the hardware's name decides."),
    SC_CHOICE(struct knobs, figures, "auto", figures_words,
	      "Whose peak rates; auto: the family's where the hardware's agree "
	      "within 1 %."),
    SC_CHOICE(struct knobs, scout_experts, "fp8", scout_words,
	      "Llama-4-Scout's experts: FP8, as in the checkpoint that was "
	      "measured, or as its config says."),
    SC_CHOICE(struct knobs, sampled, "top_p", sampled_words,
	      "Whose requests cost csv: those that the engine samples with "
	      "top_p or top_k, or all."),
    SC_BOOL(struct knobs, allow_extrapolation, "false",
	    "Price GPUs and attention that the coefficients do not cover."),
    EFFICIENCY(ew, "0.828837", "Weight bandwidth, H100 and H200."),
    EFFICIENCY(ew_a100, "0.811238", "Weight bandwidth, A100."),
    EFFICIENCY(ew_l40s, "0.828435", "Weight bandwidth, L40S."),
    EFFICIENCY(ekv, "0.956635", "KV bandwidth, H100 and H200."),
    EFFICIENCY(ekv_a100, "0.368648", "KV bandwidth, A100."),
    EFFICIENCY(ekv_l40s, "0.866251", "KV bandwidth, L40S."),
    EFFICIENCY(ec, "0.850164", "GEMM compute, H100 and H200."),
    EFFICIENCY(ec_a100, "0.875683", "GEMM compute, A100."),
    EFFICIENCY(ec_l40s, "0.797848", "GEMM compute, L40S."),
    EFFICIENCY(ec_fp8, "0.621599", "GEMM compute in FP8, H100 and H200."),
    EFFICIENCY(ec_fp8_l40s, "0.567221", "GEMM compute in FP8, L40S."),
    EFFICIENCY(ep, "0.492175", "Prefill attention compute, H100 and H200."),
    EFFICIENCY(ep_a100, "0.533114", "Prefill attention compute, A100."),
    EFFICIENCY(ep_l40s, "0.459111", "Prefill attention compute, L40S."),
    SC_DOUBLE(struct knobs, ept_us, "4.11178", 0, 1e4, "us",
	      "Fixed cost of prefill attention, a layer."),
    SC_DOUBLE(struct knobs, edt_us, "10.4477", 0, 1e4, "us",
	      "Fixed cost of decode attention, a layer, H100 and H200."),
    SC_DOUBLE(struct knobs, edt_us_a100, "44.7057", 0, 1e4, "us",
	      "Fixed cost of decode attention, a layer, A100."),
    SC_DOUBLE(struct knobs, edt_us_l40s, "9.49465", 0, 1e4, "us",
	      "Fixed cost of decode attention, a layer, L40S."),
    SC_DOUBLE(struct knobs, kvq, "46.5947", 0, 1e5, "token",
	      "Context that a decoding sequence costs beside its own."),
    SC_DOUBLE(struct knobs, p, "1.94494", 1.01, 100, "1",
	      "Sharpness of the smooth maximum."),
    SC_DOUBLE(struct knobs, pel, "2.92064", 0, 100, "1",
	      "Passes over what elementwise kernels of prompts move."),
    SC_DOUBLE(struct knobs, ara_us, "6.53004", 0, 1e4, "us",
	      "Latency of an all-reduce of two ranks."),
    SC_DOUBLE(struct knobs, arl_us, "1.27401", 0, 1e4, "us",
	      "More latency for each doubling of ranks."),
    SC_DOUBLE(struct knobs, art_us, "7.91253", 0, 1e4, "us",
	      "More latency of the second stage of vLLM's own all-reduce."),
    SC_DOUBLE(struct knobs, arw, "0.84566", 0, 1, "1",
	      "Link bandwidth of vLLM's own all-reduce, up to 8 MiB; 0: there "
	      "is none, H100 and H200."),
    SC_DOUBLE(struct knobs, arw_a100, "0.389565", 0, 1, "1",
	      "Link bandwidth of vLLM's own all-reduce, up to 8 MiB; 0: there "
	      "is none, A100."),
    SC_DOUBLE(struct knobs, arw_l40s, "0.703103", 0, 1, "1",
	      "Link bandwidth of vLLM's own all-reduce, up to 8 MiB; 0: there "
	      "is none, L40S."),
    EFFICIENCY(arb, "0.73772", "Link bandwidth of a ring, H100 and H200."),
    EFFICIENCY(arb_a100, "0.461639", "Link bandwidth of a ring, A100."),
    EFFICIENCY(arb_l40s, "0.588282", "Link bandwidth of a ring, L40S."),
    SC_DOUBLE(struct knobs, arh, "0.229829", 0, 1, "1",
	      "Link bandwidth of messages that cross the host one after "
	      "another: more than two ranks without NVLink; 0: a ring."),
    SC_DOUBLE(struct knobs, moel_us, "53.4765", 0, 1e5, "us",
	      "Fixed cost of an MoE layer."),
    EFFICIENCY(emoe, "0.933879", "Expert weight bandwidth."),
    EFFICIENCY(emc, "0.774365", "Expert compute, H100 and H200."),
    EFFICIENCY(emc_a100, "0.665719", "Expert compute, A100."),
    EFFICIENCY(emc_l40s, "0.621104", "Expert compute, L40S."),
    EFFICIENCY(emc_fp8, "0.889791", "Expert compute in FP8, H100 and H200."),
    EFFICIENCY(emc_fp8_l40s, "0.605153", "Expert compute in FP8, L40S."),
    SC_INT(struct knobs, tile, "256", 0, 4096, "token",
	   "Rows of a GEMM's tile where it has more than 512; 0: as many as "
	   "there are tokens."),
    SC_DOUBLE(struct knobs, etile, "118.153", 0, 1e4, "1",
	      "Rows of tiles that stay empty, for each expert that is hit; at "
	      "most as many as are full."),
    SC_DOUBLE(
	struct knobs, csv, "126.499", 0, 1e5, "1",
	"Passes over the fp32 logits that sampling by top_p or top_k costs."),
    SC_DOUBLE(struct knobs, csq, "10.9005", 0, 1e5, "1",
	      "Sequences that sampling by top_p or top_k costs beside those it "
	      "samples."),
    SC_DOUBLE(struct knobs, cl_us, "7.54724", 0, 1e4, "us",
	      "Host cost of a layer."),
    SC_DOUBLE(struct knobs, c0_us, "469", 0, 1e6, "us", "Host cost of a step."),
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
/* The coefficients that the first version shipped: an all-reduce is a ring, all
 * requests are sampled by top_p, nothing but weights, attention and messages
 * costs a token. */
static const char *const first_values[] = {"sampled",
					   "all",
					   "ew",
					   "0.8158494028948527",
					   "ew_a100",
					   "0.7503942817543359",
					   "ew_l40s",
					   "0.7992131836129734",
					   "ekv",
					   "0.9341081596255897",
					   "ekv_a100",
					   "0.4171144188532631",
					   "ekv_l40s",
					   "0.8120202762564422",
					   "ec",
					   "0.6778137576572986",
					   "ec_a100",
					   "0.3380482645065802",
					   "ec_l40s",
					   "0.6778137576572986",
					   "ec_fp8",
					   "0.6778137576572986",
					   "ec_fp8_l40s",
					   "0.6778137576572986",
					   "ep",
					   "0.2918523467709542",
					   "ep_a100",
					   "0.2918523467709542",
					   "ep_l40s",
					   "0.2918523467709542",
					   "ept_us",
					   "0",
					   "edt_us",
					   "0",
					   "edt_us_a100",
					   "0",
					   "edt_us_l40s",
					   "0",
					   "kvq",
					   "41.2869316546855",
					   "p",
					   "2.7357622362875986",
					   "pel",
					   "0",
					   "ara_us",
					   "5.847798579340339",
					   "arl_us",
					   "5.165118298492943",
					   "art_us",
					   "0",
					   "arw",
					   "0",
					   "arw_a100",
					   "0",
					   "arw_l40s",
					   "0",
					   "arb",
					   "0.2698264809742962",
					   "arb_a100",
					   "0.2698264809742962",
					   "arb_l40s",
					   "0.2698264809742962",
					   "arh",
					   "0",
					   "moel_us",
					   "51.70984168486",
					   "emoe",
					   "0.9526218214315549",
					   "emc",
					   "0.1929887505876042",
					   "emc_a100",
					   "0.1929887505876042",
					   "emc_l40s",
					   "0.1929887505876042",
					   "emc_fp8",
					   "0.1929887505876042",
					   "emc_fp8_l40s",
					   "0.1929887505876042",
					   "tile",
					   "0",
					   "etile",
					   "0",
					   "csq",
					   "0",
					   "csv",
					   "148.43141876535688",
					   "cl_us",
					   "12.469705639109",
					   "c0_us",
					   "738.9009948075214",
					   NULL};
static const sc_preset first = {
    .size = sizeof first,
    .name = "2026_11",
    .help = "Coefficients of 2026-11, fitted to served runs alone.",
    .values = first_values,
};
static const sc_preset *const presets[] = {&h100, &h200, &a100, &l40s, &first};

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

/* Tokens of a decode: several are verified at once. */
static double decoded(const sc_step *st, uint32_t i)
{
	return st->decode_new ? st->decode_new[i] : 1;
}

static double attention_s(const struct inst *s, const sc_step *st,
			  struct load *l, sc_result *out)
{
	double decode_s = 0, prefill_s = 0;
	for (const struct reach *r = s->reach; r < s->reach + s->n_reach; r++) {
		double cap = r->window > 0 ? r->window : INFINITY;
		double k = 0, a = 0, kp = 0;
		for (uint32_t i = 0; i < st->n_decode; i++)
			k += fmin(st->decode_ctx[i] + decoded(st, i), cap);
		for (uint32_t i = 0; i < st->n_prefill; i++) {
			double p = st->prefill_ctx[i], n = st->prefill_new[i];
			a += n * fmin(p + (n + 1) / 2, cap);
			kp += fmin(p + n, cap + n);
		}
		decode_s += r->decode_s * (k + s->kvq * st->n_decode);
		prefill_s += r->prefill_s * a + r->prefill_kv_s * kp;
	}
	if (l->prefill_tokens > 0)
		prefill_s += s->prefill_s;
	if (l->decode_tokens > 0) {
		decode_s += s->decode_s;
		out->attention_us[SC_DECODE] = decode_s * 1e6;
	}
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
			longest =
			    fmax(longest, st->decode_ctx[i] + decoded(st, i));
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

/* More rows than MOST_UNTILED of a GEMM take whole tiles; libraries choose
 * smaller ones for fewer. */
#define MOST_UNTILED 512
static double in_tiles(const struct inst *s, double rows)
{
	return s->tile_rows > 0 && rows > MOST_UNTILED
		   ? ceil(rows / s->tile_rows) * s->tile_rows
		   : rows;
}

/* Weights read once by all tokens: a smooth maximum of bytes and FLOPs. */
static double gemms_s(const struct inst *s, const struct load *l,
		      double *bytes_s, double *flop_s)
{
	double real = l->prefill_tokens + l->decode_tokens;
	double m = sc_captured_tokens(real, s->graph_max),
	       rows = in_tiles(s, m);
	double moe_bytes_s = 0, moe_flop_s = 0;
	for (const struct moe *e = s->moe; e < s->moe + s->n_moe; e++) {
		double hit = e->experts * (1 - pow(e->miss, real));
		double routed = m * e->topk;
		moe_bytes_s += e->bytes_s * hit;
		moe_flop_s +=
		    e->flop_s * (routed + fmin(routed, s->empty_rows * hit));
	}
	*bytes_s = s->gemm_bytes_s + moe_bytes_s + s->head_bytes_s;
	*flop_s =
	    s->gemm_flop_s * rows + moe_flop_s + s->head_flop_s * l->sequences;
	return smooth_max(s->gemm_bytes_s, s->gemm_flop_s * rows, s->p) +
	       smooth_max(moe_bytes_s, moe_flop_s, s->p) + s->moe_fixed_s +
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
		l.decode_tokens += decoded(st, i);
	/* Each token that is verified has logits. */
	l.sequences += l.decode_tokens - st->n_decode;
	double m = l.prefill_tokens + l.decode_tokens;
	if (!(m > 0))
		return SC_OK;
	int32_t rc = check_reach(s, st, err);
	if (rc != SC_OK)
		return rc;
	double gemm_s = gemms_s(s, &l, &bytes_s, &flop_s);
	double attention = attention_s(s, st, &l, out);
	double padded = sc_captured_tokens(m, s->graph_max);
	double comm_s = all_reduce_s(&s->all_reduce, padded);
	double rest_s = s->host_s + s->elementwise_s * l.prefill_tokens +
			s->sample_s * l.sequences +
			(l.sequences > 0 ? s->sampling_s : 0);
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

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = SC_CAP_ORDER_SENSITIVE | SC_CAP_NOT_MONOTONE |
		    SC_CAP_ADDITIVE | SC_CAP_DECODE_NEW,
    .name = "smooth_roofline",
    .version = "5",
    .summary = "Sum of smooth component rooflines, calibrated on vLLM runs",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .n_presets = sizeof presets / sizeof *presets,
    .preset = presets,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = destroy,
    .eval = eval,
    .eval_batch = eval_batch,
};
SC_PLUGIN_DEFINE(plugin);
