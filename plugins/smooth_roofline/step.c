/* step.c -- Prices a step from the sums that components.c made.  SI units
 * inside, per step and replica. */
#include <math.h>
#include "stepcost/kernel/graph_sizes.h"
#include "stepcost/fail.h"
#include "stepcost/sum.h"
#include "inst.h"

/* Returns (a^p + b^p)^(1/p); divides by the larger, so that no power overflows.
 */
static double smooth_max(double a, double b, double p)
{
	double hi = fmax(a, b), lo = fmin(a, b);
	return hi > 0 ? hi * pow(1 + pow(lo / hi, p), 1 / p) : 0;
}

struct load {
	double prefill_tokens, decode_tokens, sequences;
};

/* Returns the tokens of a decode: with drafts it verifies several at once. */
static double decoded(const sc_step *st, uint32_t i)
{
	return st->decode_new ? st->decode_new[i] : 1;
}

/* Returns the tokens of decodes' contexts that a window reaches. */
static double within_window(const sc_step *st, double window)
{
	double k = 0;
	for (uint32_t i = 0; i < st->n_decode; i++)
		k += fmin(st->decode_ctx[i] + decoded(st, i), window);
	return k;
}

static double attention_s(const struct inst *s, const sc_step *st,
			  struct load *l, sc_result *out)
{
	double decode_s = 0, prefill_s = 0;
	for (const struct reach *r = s->reach; r < s->reach + s->n_reach; r++) {
		double cap = r->window > 0 ? r->window : INFINITY;
		double k = 0, a = 0, kp = 0;
		if (r->window > 0)
			k = within_window(st, cap);
		else
			k = (double)sc_decode_ctx_sum(st) + l->decode_tokens;
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

/* Large GEMMs compute whole tiles; libraries choose smaller tiles for fewer
 * rows. */
static double in_tiles(const struct inst *s, double rows)
{
	return s->tile_rows > 0 && rows > number.most_untiled_rows
		   ? ceil(rows / s->tile_rows) * s->tile_rows
		   : rows;
}

/* Weights are read once for all tokens: a smooth maximum of the times of bytes
 * and of FLOPs. */
static struct gemms price_gemms(const struct inst *s, double real,
				double sequences)
{
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
	return (struct gemms){
	    .tokens = real,
	    .sequences = sequences,
	    .bytes_s = s->gemm_bytes_s + moe_bytes_s + s->head_bytes_s,
	    .flop_s =
		s->gemm_flop_s * rows + moe_flop_s + s->head_flop_s * sequences,
	    .s = smooth_max(s->gemm_bytes_s, s->gemm_flop_s * rows, s->p) +
		 smooth_max(moe_bytes_s, moe_flop_s, s->p) + s->moe_fixed_s +
		 smooth_max(s->head_bytes_s, s->head_flop_s * sequences, s->p),
	};
}

static const struct gemms *gemms_of(struct inst *s, const struct load *l)
{
	double tokens = l->prefill_tokens + l->decode_tokens;
	if (s->last.tokens != tokens || s->last.sequences != l->sequences)
		s->last = price_gemms(s, tokens, l->sequences);
	return &s->last;
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

int32_t step_eval(void *inst, const sc_step *st, sc_result *out, sc_error *err)
{
	struct inst *s = inst;
	struct load l = {.sequences = st->n_sampled};
	for (uint32_t i = 0; i < st->n_prefill; i++)
		l.prefill_tokens += st->prefill_new[i];
	if (!st->decode_new)
		l.decode_tokens = st->n_decode;
	for (uint32_t i = 0; st->decode_new && i < st->n_decode; i++)
		l.decode_tokens += st->decode_new[i];
	/* Each verified token has logits. */
	l.sequences += l.decode_tokens - st->n_decode;
	double m = l.prefill_tokens + l.decode_tokens;
	if (!(m > 0))
		return SC_OK;
	int32_t rc = check_reach(s, st, err);
	if (rc != SC_OK)
		return rc;
	const struct gemms *gemms = gemms_of(s, &l);
	double gemm_s = gemms->s, bytes_s = gemms->bytes_s;
	double flop_s = gemms->flop_s;
	double attention = attention_s(s, st, &l, out);
	double padded = sc_captured_tokens(m, s->graph_max);
	double comm_s = all_reduce_s(&s->all_reduce, padded);
	double rest_s = s->host_s + s->elementwise_s * l.prefill_tokens +
			s->sample_s * l.sequences +
			(l.sequences > 0 ? s->sampling_s : 0);
	out->exact_us = (gemm_s + attention + comm_s + rest_s) * 1e6;
	out->total_us = out->exact_us;
	/* One GEMM serves both phases; its time is divided by their tokens. */
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
