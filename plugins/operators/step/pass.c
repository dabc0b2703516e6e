/* pass.c -- Prices attention by request, then the host, in addition to the
 * price that batches share. */
#include "step/pass.h"
#include <math.h>
#include <string.h>
#include "inst.h"
#include "step/price.h"
#include "step/shared.h"

/* ---- attention ---- */

/* Batches are whole numbers; small ones have a table of logarithms. */
static struct sc_logged logged(const struct inst *s, double batch)
{
	return batch < LOGS
		   ? (struct sc_logged){batch, s->log_of[(uint32_t)batch]}
		   : sc_logged_of(batch);
}

/* Returns the least time of the decodes of a batch within chunks: each reads
 * what it has of its own. */
static double least_in_chunks(const struct attention_call *a, const sc_step *st,
			      const struct batch *b)
{
	uint32_t window = (uint32_t)a->window;
	uint64_t seen = 0;
	for (uint32_t i = 0; i < st->n_decode; i++)
		seen += st->decode_ctx[i] % window;
	double own = (double)seen * b->decodes / st->n_decode;
	return lengths_least_us(&a->decode, own, own, b->decodes);
}

/* ---- linear and sparse attention ---- */

static void price_linear(const struct linear_call *l, int phase,
			 const struct answer is[N_LINEAR_KERNELS],
			 struct price *p)
{
	for (int i = 0; i < N_LINEAR_KERNELS; i++)
		price_attention(p, PART_LINEAR, phase, is[i], l->count);
}

/* A linear layer sees no contexts. */
static void price_mixer_decodes(const struct inst *s, const struct batch *b,
				struct price *p)
{
	struct answer is[N_LINEAR_KERNELS];
	for (uint32_t i = 0; i < s->n_linears; i++) {
		linear_decode_us(&s->linears[i], b->decodes, b->decode_tokens,
				 is);
		price_linear(&s->linears[i], SC_DECODE, is, p);
	}
	for (uint32_t i = 0; i < s->n_sparses; i++)
		price_attention(
		    p, PART_SPARSE, SC_DECODE,
		    sparse_decode_us(&s->sparses[i], b->decodes, b->context),
		    s->sparses[i].count);
}

/* All chunks of a batch are one call of the kernels. */
static void price_linear_prompts(const struct inst *s, const struct batch *b,
				 double chunks, struct price *p)
{
	struct answer is[N_LINEAR_KERNELS];
	for (uint32_t i = 0; i < s->n_linears; i++) {
		linear_prefill_us(&s->linears[i], chunks,
				  b->prompt_tokens / chunks, is);
		price_linear(&s->linears[i], SC_PREFILL, is, p);
	}
}

/* ---- decodes and prompts ---- */

/* Drafts are verified in the step that decodes: several queries a sequence.
 * With many heads the kernel computes longer than it reads, so each query costs
 * as much as another sequence; with few heads it reads the cache once. */
static struct answer verified_us(const struct inst *s, struct mla_call *m,
				 const struct batch *b)
{
	struct sc_logged len = sc_logged_of(b->context);
	struct sc_logged tokens = sc_logged_of(b->decode_tokens);
	double each = b->decode_tokens / b->decodes;
	if (ceil(m->like->n_heads / s->tp) >= s->number.verify_heads)
		return mla_decode_us(s, m, tokens, len);
	struct answer computed =
	    mla_decode_us(s, m, tokens, sc_logged_of(b->context / each));
	struct answer read = mla_decode_us(s, m, logged(s, b->decodes), len);
	read.provenance = sc_worse(read.provenance, computed.provenance);
	read.us = fmax(read.us, computed.us);
	return read;
}

/* Softmax attention of decodes.  The chunks have `window` tokens: a sequence
 * sees half of one on average. */
static struct answer decodes_us(struct attention_call *a, const sc_step *st,
				const struct batch *b, struct sc_logged batch,
				struct sc_logged len)
{
	struct lengths *l = &a->decode;
	struct sc_logged at = len;
	if (a->kind == SC_ATTN_CHUNK && b->context > a->window / 2)
		at = sc_logged_of(a->window / 2);
	double law_us = sc_oplaw_decode_us(&l->by.law, l->key, batch.v, at.v);
	struct answer is = lengths_beside(l, law_us, batch, at);
	if (a->kind == SC_ATTN_CHUNK && a->window > 0)
		is.us = fmax(is.us, least_in_chunks(a, st, b));
	return is;
}

static void price_decodes(const struct inst *s, const sc_step *st,
			  const struct batch *b, int together, struct price *p)
{
	const struct sc_logged batch = logged(s, b->decodes);
	const struct sc_logged len = sc_logged_of(b->context);
	double mixed = b->has_prompts ? s->mixed_decode : 1;
	for (uint32_t i = 0; i < s->n_attentions && !together; i++)
		price_attention(
		    p, PART_ATTENTION, SC_DECODE,
		    decodes_us(&s->attentions[i], st, b, batch, len),
		    mixed * s->attentions[i].count);
	for (uint32_t i = 0; i < s->n_mlas; i++) {
		struct mla_call *m = &s->mlas[i];
		price_attention(p, PART_MLA, SC_DECODE,
				b->decode_tokens > b->decodes
				    ? verified_us(s, m, b)
				    : mla_decode_us(s, m, batch, len),
				mixed * m->count);
	}
	if (s->has_mixers)
		price_mixer_decodes(s, b, p);
}

/* Returns the least time of a prompt's chunk. */
static double least_of_chunk(const struct attention_call *a, double tokens,
			     double cached)
{
	double window = a->window;
	int chunks = a->kind == SC_ATTN_CHUNK && window > 0;
	double pairs = chunks ? sc_pairs_in_chunks(tokens, cached, window)
			      : sc_pairs(tokens, cached, window);
	double seen = chunks       ? fmod(cached, window)
		      : window > 0 ? fmin(cached, window - 1)
				   : cached;
	return lengths_least_us(&a->prefill, pairs, seen, tokens);
}

/* A prompt's chunk, as its share of the whole prompt: of the square without a
 * window, else of the length. */
static struct answer prompt_us(struct attention_call *a, double tokens,
			       double cached)
{
	double all = tokens + cached, len = all;
	struct sc_logged batch = {1, 0};
	double share = (all * all - cached * cached) / (all * all);
	if (a->window > 0)
		share = tokens / all;
	if (a->kind == SC_ATTN_CHUNK && all > a->window) {
		len = a->window;
		batch = sc_logged_of(all / a->window);
	}
	struct answer one = lengths_us(&a->prefill, batch, sc_logged_of(len));
	one.us *= share;
	/* No kernel of a chunk behind cached tokens was measured. */
	if (cached > 0)
		one.us = fmax(one.us, least_of_chunk(a, tokens, cached));
	return one;
}

/* ---- prompts and decodes together ---- */

/* The prompts of the batch in one kernel. */
static struct sc_launch_prompts prompts_of(const struct inst *s,
					   const sc_step *st,
					   const struct batch *b,
					   const struct sc_launch *l)
{
	struct sc_launch_prompts p = {.tokens = 0};
	for (uint32_t i = 0; i < st->n_prefill; i++)
		if (assignment_has(s, b, i))
			sc_launch_add_prompt(&p, l, st->prefill_new[i],
					     st->prefill_ctx[i]);
	return p;
}

/* Returns 1 if softmax attention of the batch is priced together. */
static int is_launched(const struct inst *s, const sc_step *st,
		       const struct batch *b)
{
	const struct sc_launch_call *c =
	    s->n_attentions ? &s->attentions[0].launch : NULL;
	if (!c || c->launches == SC_LAUNCHES_SUM || !(b->prompt_tokens > 0))
		return 0;
	struct sc_launch_prompts p = prompts_of(s, st, b, &c->kernel);
	return sc_launch_applies(c->launches, &p, b->decodes);
}

static void price_launch(const struct inst *s, const sc_step *st,
			 const struct batch *b, struct attention_call *a,
			 struct price *p)
{
	struct sc_launch_prompts all = prompts_of(s, st, b, &a->launch.kernel);
	struct sc_launch_time time[2] = {{0, SC_EXACT}, {0, SC_EXACT}};
	for (uint32_t i = 0; i < st->n_prefill; i++) {
		if (!assignment_has(s, b, i))
			continue;
		struct answer one =
		    prompt_us(a, st->prefill_new[i], st->prefill_ctx[i]);
		time[SC_PREFILL].us += one.us;
		time[SC_PREFILL].provenance =
		    sc_worse(time[SC_PREFILL].provenance, one.provenance);
	}
	if (b->decodes > 0) {
		struct answer is = decodes_us(a, st, b, logged(s, b->decodes),
					      sc_logged_of(b->context));
		time[SC_DECODE] = (struct sc_launch_time){is.us, is.provenance};
	}
	sc_launch_price(&a->launch, &all, b->decodes, b->context,
			sc_launch_longest(st), time);
	for (int phase = 0; phase < 2; phase++)
		if (time[phase].us > 0)
			price_attention(p, PART_ATTENTION, phase,
					(struct answer){time[phase].us,
							time[phase].provenance},
					a->count);
}

static void price_prompts(const struct inst *s, const sc_step *st,
			  const struct batch *b, int together, struct price *p)
{
	double chunks = 0;
	for (uint32_t i = 0; i < st->n_prefill; i++) {
		double tokens = st->prefill_new[i], cached = st->prefill_ctx[i];
		if (!assignment_has(s, b, i))
			continue;
		for (uint32_t j = 0; j < s->n_attentions && !together; j++)
			price_attention(
			    p, PART_ATTENTION, SC_PREFILL,
			    prompt_us(&s->attentions[j], tokens, cached),
			    s->attentions[j].count);
		for (uint32_t j = 0; j < s->n_mlas; j++) {
			struct mla_call *m = &s->mlas[j];
			price_attention(p, PART_MLA, SC_PREFILL,
					mla_prefill_us(s, m, tokens, cached),
					m->count);
		}
		for (uint32_t j = 0; j < s->n_sparses; j++)
			price_attention(
			    p, PART_SPARSE, SC_PREFILL,
			    sparse_prefill_us(&s->sparses[j], tokens, cached),
			    s->sparses[j].count);
		chunks++;
	}
	if (s->n_linears > 0 && chunks > 0)
		price_linear_prompts(s, b, chunks, p);
}

/* ---- a pass ---- */

enum { LOOKUPS = SC_N_PROVENANCE };

/* No captured graph replays it: it is too large, or an engine that captures
 * decodes alone has prompts in it. */
static int is_eager(const struct inst *s, const struct batch *b)
{
	return b->tokens > s->graph_max ||
	       (b->has_prompts && !s->captures_prompts);
}

/* Returns the host time of a batch.  Without a graph it includes the launches,
 * as far as they take longer than the GPU.  The GPU time is the sum of *p
 * beyond `before`. */
static double host_of(const struct inst *s, const struct batch *b,
		      const struct price *p, double before)
{
	double host_us = s->host_step_us + s->host_seq_us * b->sequences +
			 s->host_layer_us * s->n_layers;
	double launch_us = s->eager_layer_us * s->n_layers;
	if (!is_eager(s, b))
		return host_us;
	return fmax(host_us, launch_us - (price_sum(p) - before) / p->share);
}

/* What a batch takes beside what it shares with others of as many tokens;
 * before: of *p, without this batch. */
static void price_own(const struct inst *s, const sc_step *st,
		      const struct batch *b, double before, struct price *p)
{
	const int together = is_launched(s, st, b);
	if (b->decodes > 0)
		price_decodes(s, st, b, together, p);
	if (b->prompt_tokens > 0)
		price_prompts(s, st, b, together, p);
	for (uint32_t i = 0; together && i < s->n_attentions; i++)
		price_launch(s, st, b, &s->attentions[i], p);
	price_part(p, PART_HOST, host_of(s, b, p, before));
}

/* Clears only the parts that are a batch's own. */
static void parts_begin(struct parts *own)
{
	memset(own->attention_us, 0, sizeof own->attention_us);
	own->part[PART_HOST] = 0;
}

/* Begins as a copy of the shared price, without its parts. */
void pass_price(const struct inst *s, const sc_step *st, const struct batch *b,
		const struct price *shared, struct price *sum)
{
	sum->share = 1;
	sum->gemm_us = shared->gemm_us;
	sum->comm_us = shared->comm_us;
	sum->overhead_us = shared->overhead_us;
	sum->attention_us[0] = shared->attention_us[0];
	sum->attention_us[1] = shared->attention_us[1];
	memcpy(sum->lookup_us, shared->lookup_us,
	       LOOKUPS * sizeof *sum->lookup_us);
	memcpy(sum->lookups, shared->lookups, LOOKUPS * sizeof *sum->lookups);
	if (sum->parts)
		parts_begin(sum->parts);
	price_own(s, st, b, 0, sum);
}

void pass_price_each(const struct inst *s, const sc_step *st,
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
			double before = price_sum(sum);
			price_merge(sum, &shared_price(s, &b[i])->price);
			price_own(s, st, &b[i], before, sum);
		}
}
