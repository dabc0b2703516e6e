/* all_to_all.c -- Prices DeepEP's dispatch to experts and combine: the shape as
 * measured, else the nearest; without a table what links and network carry. */
#include "price/all_to_all.h"
#include <math.h>
#include <string.h>
#include "inst.h"

enum { KEY_RANKS, KEY_HIDDEN, KEY_EXPERTS, KEY_TOPK };

static int is_normal(const struct row_key *p)
{
	return !strcmp(p->mode, "normal");
}

/* ---- without a table ---- */

/* Returns how many copies of a token leave its place, one of n.  In mode normal
 * (once) a copy goes to each other place that has an expert of the token; else
 * one goes for each expert elsewhere. */
static double copies(double n, double topk, int once)
{
	if (once)
		return (n - 1) * (1 - pow(1 - 1 / n, topk));
	return topk * (n - 1) / n;
}

/* Returns the us of a token: over links to the GPUs of the node, which also
 * forward it, or over the network to other nodes, once per node in mode normal.
 */
static double token_us(const struct inst *s, const struct row_key *p,
		       const double key[4])
{
	const struct sc_hardware *hw = s->setup->hardware;
	const struct numbers *n = &s->number;
	double bytes =
	    key[KEY_HIDDEN] *
	    (strcmp(p->kind, "combine") ? n->dispatch_bytes : n->combine_bytes);
	double net =
	    hw->net_bandwidth > 0 ? hw->net_bandwidth / 1e6 : n->net_bytes_us;
	double node = fmin(key[KEY_RANKS], (double)s->k.node_gpus);
	double nodes = ceil(key[KEY_RANKS] / node);
	double link = is_normal(p) ? copies(key[KEY_RANKS], key[KEY_TOPK], 1)
				   : copies(node, key[KEY_TOPK], 0) / nodes;
	double far = copies(nodes, key[KEY_TOPK], is_normal(p));
	return bytes * fmax(link / (n->link_reached * s->rates.link),
			    far / (n->net_reached * net));
}

/* The start grows with the nodes that must be waited for. */
static void by_formula(const struct inst *s, const struct row_key *p,
		       struct curve *c, const double key[4])
{
	double nodes = ceil(key[KEY_RANKS] / (double)s->k.node_gpus);
	const struct numbers *n = &s->number;
	double begin =
	    is_normal(p) ? n->normal_start_us : n->low_latency_start_us;
	double each =
	    is_normal(p) ? n->normal_doubling_us : n->low_latency_doubling_us;
	c->t0_us = begin + each * log2(nodes);
	c->unit_us = token_us(s, p, key);
}

/* ---- tables ---- */

/* Ranks tell most: a network lies between some and not between others. */
static double sizes_distance(const struct numbers *n, const double is[4],
			     const double key[4])
{
	return n->ranks_distance * fabs(log(is[KEY_RANKS] / key[KEY_RANKS])) +
	       fabs(log(is[KEY_HIDDEN] / key[KEY_HIDDEN])) +
	       n->experts_distance *
		   fabs(log(is[KEY_EXPERTS] / key[KEY_EXPERTS])) +
	       fabs(log(is[KEY_TOPK] / key[KEY_TOPK]));
}

/* Finds the nearest shape in all sets of the nearest GPU that has any; among
 * equally near ones that of the newest set. */
static double find_shape(struct inst *s, const struct row_key *row_key,
			 struct curve *c, const double key[4])
{
	double least = INFINITY;
	for (uint32_t i = 0; i < s->n_sets; i++) {
		if (c->from && s->set[i].distance > c->from->set->distance)
			break;
		const struct row_group *f =
		    row_group_of(s, &s->set[i], row_key);
		for (uint32_t j = 0; f && j < f->n_grids; j++) {
			double d =
			    sizes_distance(&s->number, f->grid[j].key, key);
			if (!(d < least))
				continue;
			least = d;
			c->from = f;
			c->below = &f->grid[j];
		}
	}
	return least;
}

struct curve all_to_all_for(struct inst *s, const struct all_to_all *e)
{
	struct row_key row_key = {
	    .curve = "all_to_all", .kind = e->kind, .mode = e->mode};
	const double *key = e->key;
	struct curve c = curve_none(), told = c;
	double distance = find_shape(s, &row_key, &c, key);
	row_key.sms = e->sms;
	if (e->sms > 0 && !(find_shape(s, &row_key, &told, key) > distance))
		c = told;
	if (!c.from) {
		by_formula(s, &row_key, &c, key);
		return c;
	}
	const double *is = c.below->key;
	c.provenance =
	    c.from->set->own && distance == 0 ? SC_EXACT : SC_SUBSTITUTED;
	/* As many bytes; of other ranks by what the formula says of them. */
	c.scale =
	    key[KEY_HIDDEN] * key[KEY_TOPK] / (is[KEY_HIDDEN] * is[KEY_TOPK]);
	if (is[KEY_RANKS] != key[KEY_RANKS]) {
		const double other[4] = {key[KEY_RANKS], is[KEY_HIDDEN],
					 is[KEY_EXPERTS], is[KEY_TOPK]};
		c.factor =
		    token_us(s, &row_key, other) / token_us(s, &row_key, is);
	}
	return c;
}

/* In steps of decodes alone: the set of 8 ranks, whatever the ranks are.  More
 * ranks wait longer for each other, few send fewer copies. */
struct curve all_to_all_of_decodes(struct inst *s, const char *kind,
				   const double key[4])
{
	const struct numbers *n = &s->number;
	const struct all_to_all e = {.kind = kind,
				     .mode = "low_latency",
				     .key = {n->decode_set_ranks,
					     key[KEY_HIDDEN], key[KEY_EXPERTS],
					     key[KEY_TOPK]}};
	struct curve c = all_to_all_for(s, &e);
	double ranks = key[KEY_RANKS];
	if (ranks <= n->decode_few_ranks)
		c.factor *= n->decode_few_factor;
	else if (ranks > n->decode_set_ranks && ranks <= s->k.node_gpus)
		c.factor *= 1 + n->decode_rank_doubling *
				    log2(ranks / n->decode_set_ranks);
	if (ranks != n->decode_set_ranks)
		c.provenance = sc_worse(c.provenance, SC_SUBSTITUTED);
	return c;
}
