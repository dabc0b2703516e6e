/* request.c -- Hashes a request, so that runs can compare their requests. */
#include "workload/request.h"
#include <stddef.h>
#include "base/hash.h"

uint64_t request_hash(const struct request *r, int with_arrival)
{
	uint64_t h = hash_mix(r->row + 1);
	const uint64_t part[] = {
	    with_arrival ? (uint64_t)r->arrival_ns : 0,
	    (uint64_t)r->input_tokens << 32 | r->output_tokens,
	    (uint64_t)(uint32_t)r->priority << 32 | r->slo_class,
	    r->session,
	    r->turn,
	    r->output_id};
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		h = hash_mix(h ^ part[i]) + i;
	for (uint32_t i = 0; i < r->n_segments; i++)
		h = hash_mix(h ^ r->segment[i].id) + r->segment[i].tokens;
	if (request_may_leave(r) || r->pinned) {
		h = hash_mix(h ^
			     ((uint64_t)r->max_tokens << 32 | r->stop_tokens));
		h = hash_mix(h ^ (uint64_t)r->cancel_ns) + r->pinned;
	}
	if (r->adapter || r->cache_salt)
		h = hash_mix(h ^ request_realm(r));
	for (uint32_t i = 0; i < r->n_items; i++)
		h = hash_mix(h ^ r->item[i].name) +
		    ((uint64_t)r->item[i].offset << 32 | r->item[i].length);
	return hash_mix(h);
}

uint64_t request_realm(const struct request *r)
{
	if (r->adapter == 0 && r->cache_salt == 0)
		return 0;
	return hash_mix(hash_mix(r->adapter) + r->cache_salt);
}
