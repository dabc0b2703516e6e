/* step.c -- Prices a step: decodes alone are known by their number, others are
 * dealt out first. */
#include "step/step.h"
#include <stdlib.h>
#include <string.h>
#include "inst.h"
#include "step/pass.h"
#include "step/result.h"
#include "step/shared.h"

/* An answer's own memory, and `parts` if the host wants them. */
static void begin(struct price *sum, struct parts *parts, sc_result *out)
{
	sum->lookup_us = out->lookup_us;
	sum->lookups = out->lookups;
	sum->parts = SC_HAS(out, part_us) && out->part_us ? parts : NULL;
}

/* sequences: of all busy passes; busy: how many passes. */
static void finish(const struct inst *s, const struct price *sum,
		   const double share[2], double sequences, double busy,
		   sc_result *out)
{
	result_sums(s, sum, share, out);
	if (s->host_is_hidden)
		out->host_us =
		    s->host_step_us + s->host_seq_us * sequences / busy;
}

/* ---- decodes alone ---- */

/* The shared price of n decodes, whatever their contexts: many steps have the
 * same number. */
struct decodes {
	uint32_t n; /* 0: none yet */
	struct batch batch;
	const struct memo_slot *shared; /* as long as it is theirs */
	double part_us[PART_PLACES];    /* of that */
};
enum { DECODES = 64 }; /* known at once, each at n % DECODES */
static const double decodes_share[2] = {[SC_DECODE] = 1};

int step_room(struct inst *s)
{
	s->decodes = calloc(DECODES, sizeof *s->decodes);
	return s->decodes ? 0 : -1;
}

void step_free(struct inst *s)
{
	free(s->decodes);
}

/* Where there are others, ranks and micro-batches have different ones. */
static int is_decodes(const struct inst *s, const sc_step *st)
{
	return !st->n_prefill && st->n_decode && !st->decode_new &&
	       s->dp == 1 && !s->divides;
}

/* Returns the part of a step's price that depends only on its number of
 * decodes.  It is computed once and kept, because most steps differ only in
 * their contexts. */
static const struct decodes *known(struct inst *s, const sc_step *st)
{
	struct decodes *d = &s->decodes[st->n_decode % DECODES];
	if (d->n != st->n_decode) {
		d->n = st->n_decode;
		assignment_decodes(s, st, &d->batch);
	}
	if (!d->shared || !shared_is(d->shared, &d->batch)) {
		d->shared = shared_price(s, &d->batch);
		result_shared_parts(d->shared->price.parts, decodes_share,
				    d->part_us);
		result_no_attention(d->part_us);
	}
	d->batch.context = assignment_context(st);
	return d;
}

static void eval_decodes(struct inst *s, const sc_step *st, sc_result *out)
{
	const struct decodes *d = known(s, st);
	struct parts own;
	struct price sum;
	begin(&sum, &own, out);
	pass_price(s, st, &d->batch, &d->shared->price, &sum);
	finish(s, &sum, decodes_share, d->n, 1, out);
	if (!sum.parts)
		return;
	memcpy(out->part_us, d->part_us, sizeof d->part_us);
	result_own_parts(s, &own, out->part_us);
}

/* ---- any step ---- */

/* A step of one phase divides nothing. */
static double share_of(double tokens, double others)
{
	if (!(tokens > 0) || !(others > 0))
		return tokens > 0;
	return tokens / (tokens + others);
}

/* Those of a step that is not divided are shared with others. */
static void eval_batches(const struct inst *s, const sc_step *st,
			 const struct batch *b, int32_t passes, sc_result *out)
{
	struct parts parts;
	const struct parts *shared = &parts;
	struct price sum;
	double tokens[2] = {0, 0}, sequences = 0, busy = 0;
	for (int32_t i = 0; i < passes; i++) {
		busy += b[i].sequences > 0;
		sequences += b[i].sequences;
		tokens[SC_PREFILL] += b[i].prompt_tokens;
		tokens[SC_DECODE] += b[i].decode_tokens;
	}
	const double share[2] = {share_of(tokens[0], tokens[1]),
				 share_of(tokens[1], tokens[0])};
	if (busy == 0)
		return;
	begin(&sum, &parts, out);
	if (passes == 1) {
		const struct price *p = &shared_price(s, b)->price;
		pass_price(s, st, b, p, &sum);
		shared = p->parts;
	} else {
		pass_price_each(s, st, b, passes, busy, &sum);
	}
	finish(s, &sum, share, sequences, busy, out);
	if (!sum.parts)
		return;
	result_shared_parts(shared, share, out->part_us);
	result_own_parts(s, &parts, out->part_us);
}

int32_t step_eval(void *inst, const sc_step *st, sc_result *out, sc_error *err)
{
	struct inst *s = inst;
	struct batch b[MAX_PASSES];
	if (is_decodes(s, st)) {
		eval_decodes(s, st, out);
		return SC_OK;
	}
	int32_t passes = assignment_begin(s, st, err);
	if (passes < 0)
		return passes;
	for (int32_t i = 0; i < passes; i++)
		assignment_batch(s, st, (uint32_t)i, &b[i]);
	eval_batches(s, st, b, passes, out);
	return SC_OK;
}
