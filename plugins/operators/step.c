/* step.c -- Prices a step: what depends on tokens once, attention by request,
 * then the host. */
#include <math.h>
#include "deal.h"
#include "memo.h"
#include "price.h"
#include "step.h"

/* ---- what depends on tokens alone ---- */

static void price_small(const struct inst *s, double tokens, struct price *p)
{
	price_part(p, PART_SMALL,
		   s->small_kernels * s->k.small_us +
		       s->small_us_per_token * tokens);
}

static void price_comm(const struct inst *s, double tokens, double group,
		       int mixed, struct price *p)
{
	int gathers = s->k.moe_exchange == EXCHANGE_GATHER;
	if (s->n_reduces > 0)
		price_add(p, PART_ALL_REDUCE,
			  curve_us(&s->all_reduce, 2 * tokens * s->hidden),
			  s->n_reduces);
	for (int i = 0; i < 2 && s->n_exchanges > 0; i++)
		price_add(p, gathers ? PART_GATHER : PART_ALL_TO_ALL,
			  curve_us(&s->exchange[mixed][i],
				   gathers ? 2 * group * s->hidden : tokens),
			  s->n_exchanges);
	if (s->pp > 1)
		price_part(p, PART_PIPELINE,
			   s->stage_us + s->stage_us_per_token * tokens);
}

static const struct price *price_tokens(const struct inst *s, double tokens,
					double group, int mixed)
{
	int is_new;
	struct memo_slot *slot =
	    memo_slot(s->memo, mixed ? MEMO_TOKENS_MIXED : MEMO_TOKENS, tokens,
		      group, 0, &is_new);
	struct price *p = &slot->price;
	if (!is_new)
		return p;
	for (uint32_t i = 0; i < s->n_gemms; i++)
		price_add(p, s->gemms[i].part,
			  gemm_us(&s->gemms[i].gemm, tokens),
			  s->gemms[i].count);
	for (uint32_t i = 0; i < s->n_moes; i++)
		price_add(p, PART_MOE, moe_us(&s->moes[i].moe, group),
			  s->moes[i].count);
	price_small(s, tokens, p);
	price_comm(s, tokens, group, mixed, p);
	return p;
}

/* The end of a step: of so many sequences that emit a token. */
static const struct price *price_sampled(const struct inst *s, double sampled)
{
	enum { PASSES = 3, SMALL = 5 };
	int is_new;
	struct memo_slot *slot =
	    memo_slot(s->memo, MEMO_SAMPLED, sampled, 0, 0, &is_new);
	struct price *p = &slot->price;
	if (!is_new)
		return p;
	price_add(p, PART_HEAD, gemm_us(&s->head, sampled), 1);
	if (s->tp > 1)
		price_add(p, PART_LOGITS,
			  curve_us(&s->logits, 2 * sampled * s->vocab / s->tp),
			  1);
	price_part(p, PART_SAMPLING,
		   PASSES * s->logit_us * sampled + SMALL * s->k.small_us);
	return p;
}

/* Both. */
static const struct price *price_shared(const struct inst *s,
					const struct batch *b)
{
	int is_new;
	struct memo_slot *slot = memo_slot(
	    s->batches, b->has_prompts ? MEMO_TOKENS_MIXED : MEMO_TOKENS,
	    b->tokens, b->group_tokens, b->sampled, &is_new);
	struct price *p = &slot->price;
	if (!is_new)
		return p;
	price_merge(
	    p, price_tokens(s, b->tokens, b->group_tokens, b->has_prompts));
	if (b->sampled > 0)
		price_merge(p, price_sampled(s, b->sampled));
	return p;
}

/* ---- attention ---- */

/* Batches are whole numbers, and mostly small. */
static struct sc_logged logged(const struct inst *s, double batch)
{
	return batch < LOGS
		   ? (struct sc_logged){batch, s->log_of[(uint32_t)batch]}
		   : sc_logged_of(batch);
}

/* Sequences stand in chunks of `window` tokens: half of one on average. */
static void price_decodes(const struct inst *s, const struct batch *b,
			  struct price *p)
{
	const struct sc_logged batch = logged(s, b->decodes);
	const struct sc_logged len = sc_logged_of(b->context);
	double mixed = b->has_prompts ? s->mixed_decode : 1;
	for (uint32_t i = 0; i < s->n_attentions; i++) {
		struct attention_call *a = &s->attentions[i];
		struct sc_logged at = len;
		if (a->kind == SC_ATTN_CHUNK && b->context > a->window / 2)
			at = sc_logged_of(a->window / 2);
		price_attention(p, 0, SC_DECODE,
				lengths_us(&a->decode, batch, at),
				mixed * a->count);
	}
	for (uint32_t i = 0; i < s->n_mlas; i++) {
		struct mla_call *m = &s->mlas[i];
		price_attention(p, 1, SC_DECODE,
				mla_decode_us(s, m, batch, len),
				mixed * m->count);
	}
}

/* A prompt's chunk, as its share of the whole prompt: of the square without a
 * window, else of the length. */
static struct answer prompt_us(struct attention_call *a, double tokens,
			       double cached)
{
	double all = tokens + cached, batch = 1, len = all;
	double share = (all * all - cached * cached) / (all * all);
	if (a->window > 0)
		share = tokens / all;
	if (a->kind == SC_ATTN_CHUNK && all > a->window) {
		len = a->window;
		batch = all / a->window;
	}
	struct answer one =
	    lengths_us(&a->prefill, sc_logged_of(batch), sc_logged_of(len));
	one.us *= share;
	return one;
}

static void price_prompts(const struct inst *s, const sc_step *st,
			  const struct batch *b, struct price *p)
{
	for (uint32_t i = 0; i < st->n_prefill; i++) {
		double tokens = st->prefill_new[i], cached = st->prefill_ctx[i];
		if (!deal_has(s, b, i))
			continue;
		for (uint32_t j = 0; j < s->n_attentions; j++)
			price_attention(
			    p, 0, SC_PREFILL,
			    prompt_us(&s->attentions[j], tokens, cached),
			    s->attentions[j].count);
		for (uint32_t j = 0; j < s->n_mlas; j++) {
			struct mla_call *m = &s->mlas[j];
			price_attention(p, 1, SC_PREFILL,
					mla_prefill_us(s, m, tokens, cached),
					m->count);
		}
	}
}

/* ---- a pass, a step ---- */

enum { LOOKUPS = SC_N_PROVENANCE };

static double sum_of(const struct price *p)
{
	return p->gemm_us + p->attention_us[0] + p->attention_us[1] +
	       p->comm_us + p->overhead_us;
}

/* No captured graph replays it: it is too large, or an engine that captures
 * decodes alone has prompts in it. */
static int is_eager(const struct inst *s, const struct batch *b)
{
	return b->tokens > s->graph_max ||
	       (b->has_prompts && s->engine != ENGINE_VLLM);
}

/* By class; and what launching takes beyond what the GPU does meanwhile. */
static double host_of(const struct inst *s, const struct batch *b,
		      double gpu_us)
{
	double host_us = s->host_step_us + s->host_seq_us * b->sequences;
	double launch_us = s->k.eager_layer_us * s->n_layers;
	return is_eager(s, b) ? fmax(host_us, launch_us - gpu_us) : host_us;
}

/* What a batch takes beside what it shares with others of as many tokens;
 * before: of *p, without this batch. */
static void price_own(const struct inst *s, const sc_step *st,
		      const struct batch *b, double before, struct price *p)
{
	if (b->decodes > 0)
		price_decodes(s, b, p);
	if (b->prompt_tokens > 0)
		price_prompts(s, st, b, p);
	price_part(p, PART_HOST,
		   host_of(s, b, (sum_of(p) - before) / p->share));
}

/* What has phases goes by their tokens. */
static void write_parts(const struct parts *p, const double share[2],
			double *part_us)
{
	for (int i = 0; i < N_PARTS; i++)
		for (int phase = 0; phase < 2; phase++) {
			double us = p->part[i] * share[phase];
			if (i == PART_ATTENTION)
				us = p->softmax_us[phase];
			if (i == PART_MLA)
				us = p->mla_us[phase];
			if (kind_of_part[i] == SC_PART_COMM ||
			    kind_of_part[i] == SC_PART_OVERHEAD)
				us = phase ? 0 : p->part[i];
			if (us > 0)
				part_us[phase * N_PARTS + i] = us;
		}
}

static void write_result(const struct inst *s, const struct price *p,
			 const double share[2], sc_result *out)
{
	for (int phase = 0; phase < 2; phase++)
		if (share[phase] > 0) {
			out->gemm_us[phase] = p->gemm_us * share[phase];
			out->attention_us[phase] = p->attention_us[phase];
		}
	out->comm_us = p->comm_us;
	out->overhead_us = p->overhead_us;
	out->exact_us = sum_of(p);
	out->total_us = out->exact_us;
	if (s->pp > 1)
		out->ready_us = out->total_us / s->pp;
}

/* A step that is not divided begins as a copy. */
static void price_step(const struct inst *s, const sc_step *st,
		       const struct batch *b, struct price *sum)
{
	const struct price *p = price_shared(s, b);
	sum->share = 1;
	sum->gemm_us = p->gemm_us;
	sum->comm_us = p->comm_us;
	sum->overhead_us = p->overhead_us;
	sum->attention_us[0] = p->attention_us[0];
	sum->attention_us[1] = p->attention_us[1];
	memcpy(sum->lookup_us, p->lookup_us, LOOKUPS * sizeof *p->lookup_us);
	memcpy(sum->lookups, p->lookups, LOOKUPS * sizeof *p->lookups);
	if (sum->parts)
		*sum->parts = *p->parts;
	price_own(s, st, b, 0, sum);
}

/* Micro-batches follow each other through the stages: a pass of all takes what
 * one takes on average. */
static void price_passes(const struct inst *s, const sc_step *st,
			 const struct batch *b, int32_t passes, double busy,
			 struct price *sum)
{
	memset(sum->lookup_us, 0, LOOKUPS * sizeof *sum->lookup_us);
	memset(sum->lookups, 0, LOOKUPS * sizeof *sum->lookups);
	*sum = (struct price){.share = 1 / busy,
			      .lookup_us = sum->lookup_us,
			      .lookups = sum->lookups,
			      .parts = sum->parts};
	if (sum->parts)
		*sum->parts = (struct parts){0};
	for (int32_t i = 0; i < passes; i++)
		if (b[i].sequences > 0) {
			double before = sum_of(sum);
			price_merge(sum, price_shared(s, &b[i]));
			price_own(s, st, &b[i], before, sum);
		}
}

/* Mostly there are no others. */
static double share_of(double tokens, double others)
{
	if (!(tokens > 0) || !(others > 0))
		return tokens > 0;
	return tokens / (tokens + others);
}

static void price_all(const struct inst *s, const sc_step *st,
		      const struct batch *b, int32_t passes, sc_result *out)
{
	struct parts parts;
	struct price sum;
	double tokens[2] = {0, 0}, sequences = 0, busy = 0;
	sum.lookup_us = out->lookup_us;
	sum.lookups = out->lookups;
	sum.parts = SC_HAS(out, part_us) && out->part_us ? &parts : NULL;
	for (int32_t i = 0; i < passes; i++) {
		busy += b[i].sequences > 0;
		sequences += b[i].sequences;
		tokens[SC_PREFILL] += b[i].prompt_tokens;
		tokens[SC_DECODE] += b[i].decode_tokens;
	}
	if (busy == 0)
		return;
	if (passes == 1)
		price_step(s, st, b, &sum);
	else
		price_passes(s, st, b, passes, busy, &sum);
	const double share[2] = {share_of(tokens[0], tokens[1]),
				 share_of(tokens[1], tokens[0])};
	write_result(s, &sum, share, out);
	if (s->host_is_sync)
		out->host_us =
		    s->host_step_us + s->host_seq_us * sequences / busy;
	if (sum.parts)
		write_parts(sum.parts, share, out->part_us);
}

int32_t step_eval(void *inst, const sc_step *st, sc_result *out, sc_error *err)
{
	struct inst *s = inst;
	struct batch b[MAX_PASSES];
	int32_t passes = deal_begin(s, st, err);
	if (passes < 0)
		return passes;
	for (int32_t i = 0; i < passes; i++)
		deal_batch(s, st, (uint32_t)i, &b[i]);
	price_all(s, st, b, passes, out);
	return SC_OK;
}
