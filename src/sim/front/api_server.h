/* sim/front/api_server.h -- the processes between clients and engine: one that
 * takes in requests, one after another, and one that hands out tokens, or one
 * process for both (output_process = shared).
 *
 * A request joins the queue of the first api_overhead_us after its arrival. The
 * process takes api_request_us for it and api_token_us for each token of its
 * prompt; then the scheduler can see it.  The other process takes
 * output_token_us for each token of a step and output_first_us more for the
 * first of a request; the clients see the tokens of a step when it is through
 * with all of them.  The engine waits for neither.  [one thread] */
#pragma once
#include "engine/engine.h"
#include "workload/request.h"

/* Beyond this time, 146 years, the clock could overflow. */
#define REPLICA_LAST_INSTANT (INT64_MAX / 2)

/* When the processes of a group of ranks are free. */
struct api_server {
	int64_t in_free_ns, out_free_ns;
};
/* 1: tokens wait for a process that hands them out. */
static inline int api_server_hands_out(const struct engine *e)
{
	return e->output_token_ns > 0 || e->output_first_ns > 0;
}
/* 1: requests and tokens wait for the same process.  Then api_server_take() and
 * api_server_hand_out() must be called in the order of time. */
static inline int api_server_is_shared(const struct engine *e)
{
	return api_server_hands_out(e) &&
	       e->output_process == OUTPUT_PROCESS_SHARED;
}
/* Returns when the scheduler can see a request that joined the queue then. */
int64_t api_server_take(struct api_server *f, const struct engine *e,
			const struct request *r, int64_t joined_ns);
/* Returns when the clients have the tokens of a step that ended then; n_first
 * of them are the first of a request. */
int64_t api_server_hand_out(struct api_server *f, const struct engine *e,
			    uint32_t n, uint32_t n_first, int64_t end_ns);
