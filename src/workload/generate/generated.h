/* workload/generate/generated.h -- generated requests.  Each is a pure function
 * of the seed and its row: turn t of session s is row s * turns + t.  The
 * workload decides when it arrives. */
#pragma once
#include "workload/distribution.h"
#include "workload/generate/adapters.h"
#include "workload/generate/items.h"
#include "workload/keys.h"
#include "workload/request.h"
#include "workload/segments.h"

/* Lengths of consecutive requests, drawn together. */
struct lengths {
	uint64_t row; /* row of the first one */
	uint32_t n;   /* 0: not drawn yet; else RNG_TOGETHER */
	uint32_t input[RNG_TOGETHER], output[RNG_TOGETHER];
};

struct generated {
	struct distribution input, output;
	uint64_t seed, prompts, groups;
	uint32_t shared, turns;
	struct lengths ahead; /* used if each row has its own prompt */
	uint32_t *order;      /* of the pool; NULL: 0, 1, … */
	struct segments segments;
	struct generated_items items;
	struct generated_adapters adapters;
};

int generated_open(struct generated *g, const struct workload_keys *k,
		   const struct ini *c, struct problem *p);
/* Fills in all of r except the arrival; its segments and items live until the
 * next call. */
int generated_request(struct generated *g, uint64_t row, struct request *r,
		      struct problem *p);
/* Finds the length of the longest picture or sound of the first n_rows
 * requests, in tokens; 0: they have none.  Returns 0, or -1 with *p filled
 * in. */
int generated_longest_item(struct generated *g, uint64_t n_rows,
			   uint32_t *longest, struct problem *p);
void generated_free(struct generated *g);
