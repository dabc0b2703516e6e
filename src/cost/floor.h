/* cost/floor.h -- the least time that the hardware allows for a step.
 * No honest cost model predicts less, whichever plugin it is.  Formulas
 * of the work: stepcost/kernel/floor.h.
 *
 * Only certain work counts, so that a warning is never wrong:
 *   step       the longest of memory, compute and links, because all three can
 *              overlap
 *   memory     the weights of each layer once, of routed experts as many as one
 *              token chooses; the KV cache of each request, also where requests
 *              share a prefix; the LM head if a token is sampled
 *   compute    matrices and attention in the fastest format that is as wide as
 *              weights and activations; never sparse
 *   caches     a part of a step counts as its kernels, each measured by itself:
 *              each can find its data in the second-level cache
 *   links      two all-reduces of a layer in 16 bit, without expert parallelism
 *   ranks      each has its even share; a rank has at least one KV head;
 *              stages and data-parallel ranks share requests evenly
 * Layers that sc_layers does not describe fully (SC_LAYER_SPARSE,
 * SC_LAYER_OTHER) and linear attention count with their described parts.  Times
 * in us.
 *
 * A struct floor is plain data; it points to the setup that it was made of,
 * which must outlive it.  Zeroed: nothing is known, and no time is below it.
 * [any thread] */
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include "cost/floor_layers.h"
#include "stepcost/plugin.h"

/* What can be faster than the hardware: the time of the step, and the parts of
 * a sum (SC_CAP_ADDITIVE). */
enum floor_part {
	FLOOR_STEP,
	FLOOR_GEMM,
	FLOOR_PREFILL_ATTENTION,
	FLOOR_DECODE_ATTENTION,
	FLOOR_COMM,
	N_FLOOR_PARTS
};
extern const char *const floor_part_name[N_FLOOR_PARTS]; /* "step" */
/* What takes the least time. */
enum floor_limit { FLOOR_MEMORY, FLOOR_COMPUTE, FLOOR_LINKS, N_FLOOR_LIMITS };
extern const char *const floor_limit_name[N_FLOOR_LIMITS]; /* "memory" */

/* Least times that grow with the numbers of a step.  Those of attention are
 * upper bounds if layers see a part of the context. */
struct floor_rates {
	double weights_us, head_us; /* reading them; the head if it is used */
	double gemm_weights_us; /* of weights_us, without latent attention */
	double token_us, gemm_token_us, sampled_us; /* multiplying */
	double expert_token_us; /* a token of the data-parallel group */
	double expert_read_us;  /* of weights_us, the experts of one token */
	double cached_us;       /* reading a token of the KV cache */
	double pair_us[2];      /* a pair of a query and a key, by phase */
	double comm_token_us;
};

/* The same as upper bounds, for floor_allows(): everything that can be read is,
 * and nothing is shared. */
struct floor_bounds {
	double
	    decode_us; /* a decode: token_us, and the pair of it and itself */
	double weights_us,
	    gemm_weights_us;            /* the head included; not included */
	double token_us, gemm_token_us; /* multiplying, the head included */
	double cached_us, pair_us[2], comm_token_us;
};

struct floor {
	const sc_setup *setup;            /* NULL: nothing is known */
	double peak[16];                  /* FLOP/us, index SC_* */
	double bandwidth, link, l2_bytes; /* bytes/us; 0: unknown */
	struct floor_ranks ranks;
	double pp;
	double layers;
	double experts, experts_per_token; /* of a layer; 0: none */
	int is_additive; /* the plugin's parts sum to its time */
	int sees_a_part; /* some layers see a part of the context */
	struct floor_rates of;
	struct floor_bounds most;
};

/* A time below the floor. */
struct floor_finding {
	enum floor_part part;
	enum floor_limit limit;
	double us, least_us;
};

/* setup may be NULL. */
void floor_of(struct floor *f, const sc_setup *setup, uint32_t capabilities);

/* Returns 1 if the answer is certainly not below the floor; 0: not known, ask
 * floor_find_above().  Both are the hot path; the second is for decodes of one
 * token each, for which it takes a few instructions. */
int floor_allows_any(const struct floor *f, const sc_step *step,
		     const sc_result *r);
static inline int floor_allows(const struct floor *f, const sc_step *step,
			       const sc_result *r)
{
	const struct floor_bounds *b = &f->most;
	const double us = r->total_us, n = step->n_decode;
	const double cached = (double)(int64_t)step->decode_ctx_sum;
	const double read_us = b->cached_us * cached;
	const double seen_us = b->pair_us[SC_DECODE] * cached;
	if (step->n_prefill || step->decode_new || !(cached > 0) ||
	    !(us >= b->weights_us + read_us) ||
	    !(us >= b->decode_us * n + seen_us) ||
	    !(us >= b->comm_token_us * n))
		return floor_allows_any(f, step, r);
	return !f->is_additive ||
	       (r->gemm_us[SC_DECODE] >= b->gemm_weights_us &&
		r->gemm_us[SC_DECODE] >= b->gemm_token_us * n &&
		r->attention_us[SC_DECODE] >= read_us &&
		r->attention_us[SC_DECODE] >=
		    b->pair_us[SC_DECODE] * n + seen_us &&
		r->comm_us >= b->comm_token_us * n) ||
	       floor_allows_any(f, step, r);
}

/* Returns 1 if the answer is below the floor of the step, or a part of it is;
 * *worst is then the time that is furthest below. */
int floor_find_above(const struct floor *f, const sc_step *step,
		     const sc_result *r, struct floor_finding *worst);
/* Returns the least time of a step, or of a part of it. */
double floor_step_us(const struct floor *f, const sc_step *step,
		     enum floor_part part, enum floor_limit *limit);

/* Returns 1 if a time is below the least one by more than rounding; NaN is
 * not. */
int floor_is_below(double us, double least_us);
/* The time that the work of a step takes one of its GPUs at the peak rates: to
 * read all that it reads, experts that several tokens choose included, and to
 * compute.  0: not known. */
struct floor_work {
	double memory_us, compute_us;
};
struct floor_work floor_work(const struct floor *f, const sc_step *step);

/* Writes "step 23.1 ms, but reading the weights and the KV cache takes 36.6
 * ms".  Returns `to`. */
enum { FLOOR_TEXT = 200 };
const char *floor_text(char to[FLOOR_TEXT], const struct floor_finding *found);

/* The floor of one step or kernel, and whether its price is below it. */
struct floor_mark {
	double least_us; /* 0: not known */
	int is_below;
	struct floor_finding worst; /* if it is */
};
struct floor_mark floor_mark(const struct floor *f, const sc_step *step,
			     const sc_result *r);

/* Returns how many of n marks are below the floor; *worst: the furthest, if
 * any is. */
size_t floor_marks_worst(const struct floor_mark *m, size_t n, size_t *worst);

/* Steps below the floor, over a run.  Plain data, crosses process borders;
 * zeroed means empty. */
struct floor_count {
	uint64_t steps;
	struct floor_finding worst; /* by us / least_us */
	uint64_t step_index;        /* of that step */
	uint32_t n_prefill, n_decode;
};
void floor_count(struct floor_count *c, const struct floor *f,
		 const sc_step *step, const sc_result *r);
