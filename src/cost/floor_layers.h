/* cost/floor_layers.h -- the work of one layer on one rank, for the floor: what
 * sc_layers describes and no more.  A rank has its even share.  [any thread] */
#pragma once
#include "stepcost/kernel/floor.h"

/* The ranks that share a model, and what sc_layers does not tell of it. */
struct floor_ranks {
	const sc_model *model;
	double tp, dp;
	double matrices; /* of an expert: 3 with a gate, else 2 */
};

/* Return 1 for latent attention; for attention that reads all of the KV cache
 * that its window shows; for routed experts; 0 for layers that are not fully
 * described. */
int floor_has_latent(const sc_layers *g);
int floor_reads_cache(const sc_layers *g);
int floor_has_experts(const sc_layers *g);
/* Return how many weights a layer has in the matrices of attention, of a dense
 * FFN, of shared experts. */
double floor_attention_weights(const struct floor_ranks *f, const sc_layers *g);
double floor_dense_weights(const struct floor_ranks *f, const sc_layers *g);
double floor_shared_weights(const struct floor_ranks *f, const sc_layers *g);
/* Returns the routed experts; the ranks share them evenly, whichever way. */
struct sc_moe floor_experts(const struct floor_ranks *f, const sc_layers *g);
/* Returns the work of attention in one layer: `pairs` of a query and a key, and
 * `cached` tokens that are read. */
struct sc_work floor_attention_work(const struct floor_ranks *f,
				    const sc_layers *g, int phase, double pairs,
				    double cached);
