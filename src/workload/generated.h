/* workload/generated.h -- generated requests, each a pure function of the seed
 * and its row: turn t of session s is row s * turns + t.  The workload decides
 * when it arrives. */
#ifndef SC_WORKLOAD_GENERATED_H
#define SC_WORKLOAD_GENERATED_H
#include "workload/distribution.h"
#include "workload/keys.h"
#include "workload/request.h"
#include "workload/segments.h"

struct generated {
	struct distribution input, output;
	uint64_t seed, prompts, groups;
	uint32_t shared, turns;
	uint32_t *order; /* of the pool; NULL: 0, 1, …                        */
	struct segments segments;
};

int generated_open(struct generated *g, const struct workload_keys *k,
		   const struct ini *c, struct problem *p);
/* All of r but the arrival; its segments live until the next call. */
int generated_request(struct generated *g, uint64_t row, struct request *r,
		      struct problem *p);
void generated_free(struct generated *g);
#endif
