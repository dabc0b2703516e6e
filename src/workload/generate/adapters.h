/* workload/generate/adapters.h -- which adapter (LoRA) a generated request asks
 * for.  A pure function of the seed and of the request's session, or of its row
 * if it has none. */
#pragma once
#include "workload/keys.h"

struct generated_adapters {
	uint64_t seed;
	double *until; /* weight of the first i + 1 adapters; owned */
	uint32_t n;    /* 0: no request asks for one */
};

/* Returns 0, or -1 with *p filled in. */
int generated_adapters_open(struct generated_adapters *g,
			    const struct workload_keys *k, const struct ini *c,
			    struct problem *p);
/* Returns 1 to n, or 0 if there are none. */
uint64_t generated_adapters_draw(const struct generated_adapters *g,
				 uint64_t session);
void generated_adapters_free(struct generated_adapters *g);
