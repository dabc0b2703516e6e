/* shared.c -- Prices what depends on tokens alone: GEMMs, experts, small
 * kernels and communication, then the end of a step. */
#include "step/shared.h"
#include "inst.h"
#include "step/price.h"

/* Bytes of a token that are summed over all ranks: the FP32 sums of squares of
 * its queries and of its keys. */
enum { NORM_BYTES = 8 };

static void price_small(const struct inst *s, double tokens, struct price *p)
{
	price_part(p, PART_SMALL,
		   s->small_kernels * s->k.small_us +
		       s->small_us_per_token * tokens);
}

static void price_comm(const struct inst *s, double tokens, double group,
		       int mixed, struct price *p)
{
	int gathers = s->k.moe_exchange == EXCHANGE_GATHER ||
		      (s->k.moe_exchange == EXCHANGE_BY_PHASE && mixed);
	double most = assignment_most_tokens(&s->number, tokens, mixed);
	if (s->n_reduces > 0)
		price_add(p, PART_ALL_REDUCE,
			  curve_at_least(&s->all_reduce, 2 * tokens * s->hidden,
					 2 * most * s->hidden),
			  s->n_reduces);
	if (s->n_norm_reduces > 0)
		price_add(p, PART_ALL_REDUCE,
			  curve_at_least(&s->all_reduce, NORM_BYTES * tokens,
					 NORM_BYTES * most),
			  s->n_norm_reduces);
	if (s->reduce_net_us > 0)
		price_part(p, PART_ALL_REDUCE,
			   s->n_reduces *
			       (s->reduce_net_us +
				s->reduce_net_us_per_token * tokens));
	if (s->decode_net_us > 0 && !gathers)
		price_part(p, PART_ALL_TO_ALL,
			   s->n_exchanges *
			       (s->decode_net_us +
				s->decode_net_us_per_token * group));
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
	for (int i = 0; i < 2 && s->mhc[i].count > 0; i++)
		price_add(p, PART_SMALL, curve_us(&s->mhc[i].curve, tokens),
			  s->mhc[i].count);
	price_small(s, tokens, p);
	price_comm(s, tokens, group, mixed, p);
	return p;
}

/* Returns the price of the end of a step; sampled: sequences that emit a token.
 */
static const struct price *price_sampled(const struct inst *s, double sampled)
{
	const struct numbers *n = &s->number;
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
		   n->logit_passes * s->logit_us * sampled +
		       n->sampling_kernels * s->k.small_us);
	return p;
}

static uint32_t kind_of(const struct batch *b)
{
	return b->has_prompts ? MEMO_TOKENS_MIXED : MEMO_TOKENS;
}

int shared_is(const struct memo_slot *slot, const struct batch *b)
{
	return memo_is(slot, kind_of(b), b->tokens, b->group_tokens,
		       b->sampled);
}

const struct memo_slot *shared_price(const struct inst *s,
				     const struct batch *b)
{
	int is_new;
	struct memo_slot *slot =
	    memo_slot(s->batches, kind_of(b), b->tokens, b->group_tokens,
		      b->sampled, &is_new);
	struct price *p = &slot->price;
	if (!is_new)
		return slot;
	price_merge(
	    p, price_tokens(s, b->tokens, b->group_tokens, b->has_prompts));
	if (b->sampled > 0)
		price_merge(p, price_sampled(s, b->sampled));
	return slot;
}
