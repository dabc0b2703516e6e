/* comm.c -- Prices messages between ranks, and other kernels that a table has
 * by bytes or tokens: log-log between points; without a table by formula. */
#include "price/comm.h"
#include <math.h>
#include "stepcost/kernel/kernel_law.h"
#include "choose/choose.h"
#include "inst.h"
#include "price/least.h"

struct curve curve_none(void)
{
	return (struct curve){
	    .factor = 1, .scale = 1, .provenance = SC_FALLBACK};
}

/* The table's ranks: these, the next lower, or the lowest. */
static void find_ranks(const struct numbers *n, struct curve *c, double ranks)
{
	const struct row_group *f = c->from;
	for (uint32_t i = 0; i < f->n_grids; i++) {
		double is = f->grid[i].key[0];
		if (!c->below || is <= ranks)
			c->below = &f->grid[i];
	}
	double found = c->below->key[0];
	if (found == ranks)
		return;
	c->provenance = sc_worse(c->provenance, SC_SUBSTITUTED);
	if (found < ranks)
		c->factor = pow(n->rank_doubling, log2(ranks / found));
}

/* The constants of the all-reduce's reference law; a gather or a scatter
 * crosses a link once, not twice. */
static void by_formula(const struct inst *s, struct curve *c, int is_reduce,
		       double ranks)
{
	const struct sc_law_kind *law = sc_law_kind_of(SC_OP_ALL_REDUCE);
	double times = (is_reduce ? 2 : 1) * (ranks - 1) / ranks;
	c->t0_us =
	    law->constant[0].start + law->constant[1].start * log2(ranks);
	c->unit_us = times / (s->rates.link * law->constant[2].start);
}

/* A table was measured over the links of its set's GPU.  Over slower ones
 * the part of the bytes takes longer, by the law; over faster ones nothing is
 * known to be shorter. */
static void set_link(const struct inst *s, struct curve *c, int is_reduce,
		     double ranks)
{
	const struct set *set = c->from->set;
	if (!(set->rates.link > s->rates.link))
		return;
	by_formula(s, c, is_reduce, ranks);
	c->slower = set->rates.link / s->rates.link;
	c->provenance = sc_worse(c->provenance, SC_SUBSTITUTED);
}

struct curve collective_for(struct inst *s, const char *kind, double ranks)
{
	struct row_key row_key = {.curve = kind ? "collective" : "all_reduce",
				  .kind = kind};
	const struct order any = engines_for(s, ORDER_COLLECTIVES, NULL);
	const struct order order =
	    kind ? any : engines_for(s, "all_reduce", NULL);
	struct curve c = curve_none();
	c.from = choose(s, &order, &row_key, &c.provenance);
	if (!c.from && !kind) { /* NCCL's, if no engine's own */
		row_key = (struct row_key){.curve = "collective",
					   .kind = "all_reduce"};
		c.from = choose(s, &any, &row_key, &c.provenance);
		c.provenance = c.from ? SC_SUBSTITUTED : SC_FALLBACK;
	} else if (c.from && kind) {
		/* No engine has collectives of its own. */
		c.provenance = c.from->set->own ? SC_EXACT : SC_SUBSTITUTED;
	}
	c.least_unit_us = sc_floor_message(1, ranks) / s->rates.link;
	const int is_reduce = !kind || !strcmp(kind, "all_reduce");
	if (c.from) {
		find_ranks(&s->number, &c, ranks);
		set_link(s, &c, is_reduce, ranks);
	} else {
		by_formula(s, &c, is_reduce, ranks);
	}
	return c;
}

/* In the dtype, else in 16 bit.  Heads between measured ones: linear in the
 * logarithm. */
struct curve bmm_for(struct inst *s, const char *kind, double heads,
		     const char *dtype)
{
	struct row_key row_key = {
	    .curve = "mla_bmm", .kind = kind, .law = {.dtype = dtype}};
	const struct order order = engines_for(s, row_key.curve, NULL);
	struct curve c = curve_none();
	c.from = choose(s, &order, &row_key, &c.provenance);
	if (!c.from && row_key.law.dtype) {
		row_key.law.dtype = NULL;
		c.from = choose(s, &order, &row_key, &c.provenance);
		c.provenance = SC_SUBSTITUTED;
	}
	for (uint32_t i = 0; c.from && i < c.from->n_grids; i++) {
		const struct sc_grid *is = &c.from->grid[i];
		if (is->key[0] <= heads || !c.below)
			c.below = is;
		else if (!c.above)
			c.above = is;
	}
	if (c.from && c.below->key[0] != heads)
		c.provenance = sc_worse(c.provenance, SC_SUBSTITUTED);
	if (c.from && c.below->key[0] >= heads)
		c.above = NULL;
	if (c.above)
		c.weight = log(heads / c.below->key[0]) /
			   log(c.above->key[0] / c.below->key[0]);
	return c;
}

/* Returns log(us) at x.  Below the points it is that of the first one; above
 * them the time grows in proportion to x. */
static double along(const struct sc_grid *s, struct sc_logged x,
		    uint32_t *provenance)
{
	uint32_t last = s->start[1] - 1;
	double log_us = sc_grid_along(s, 0, x, provenance);
	if (x.v > s->x[last])
		log_us += x.log - s->log_x[last];
	return log_us;
}

struct answer curve_us(const struct curve *c, double x)
{
	return curve_at_least(c, x, x);
}

struct answer curve_at_least(const struct curve *c, double x, double most)
{
	struct answer a = {c->factor * (c->t0_us + x * c->unit_us),
			   c->provenance};
	if (!c->from)
		return a;
	struct sc_logged at = sc_logged_of(x * c->scale);
	double log_us = along(c->below, at, &a.provenance);
	if (c->above)
		log_us +=
		    c->weight * (along(c->above, at, &a.provenance) - log_us);
	a.us = c->factor * exp(log_us);
	if (c->slower > 1)
		a.us *= (c->t0_us + x * c->unit_us) /
			(c->t0_us + x * c->unit_us / c->slower);
	return least_raise(a, most * c->least_unit_us);
}
