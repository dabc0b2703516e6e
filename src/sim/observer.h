/* sim/observer.h -- what a simulation tells as it goes: each step when it has
 * been priced, each request when it is over.
 *
 * Events live as long as the call that tells them; so does all that they point
 * to.  [one thread] */
#ifndef SC_SIM_OBSERVER_H
#define SC_SIM_OBSERVER_H
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "sim/rejections.h"
#include "stepcost/plugin.h"
#include "workload/request.h"

/* One request's share of a step. */
struct scheduled {
	uint64_t row;
	uint32_t context;    /* tokens before, as the scheduler counts them  */
	uint32_t new_tokens; /* drafts included                              */
	uint32_t drafts;
	uint32_t emitted; /* tokens that appear when the step is processed   */
};

/* Each decode, and each prefill with prefill_last, emits one token when the
 * step is processed, at end_ns or later. */
struct step_event {
	const sc_step *step; /* replica, index, contexts, request ids (rows) */
	const sc_result *result;
	int64_t schedule_ns;      /* when it was put together              */
	int64_t start_ns, end_ns; /* on the GPU                            */
	int64_t lasts_ns; /* of that, without waiting between stages        */
	double draft_us;  /* of that, spent on drafting                     */
	uint32_t tokens;  /* computed: of prompts and decodes      */
	uint32_t running, waiting; /* after scheduling                      */
	uint32_t preempted;        /* requests put back to make room        */
	uint64_t blocks_used;      /* after scheduling                      */
	uint32_t pool;
	uint32_t rank; /* of data parallelism                     */
	/* if the observer wants_scheduled: in the order of the step */
	uint32_t n_scheduled;
	const struct scheduled *scheduled;
};

/* A step, and those behind it that decode one token of the same requests each,
 * with nothing between them; all on one stage. */
enum { DECODE_RUN = COST_BATCH }; /* at most */
struct decode_run {
	uint32_t n; /* > 0; of each: */
	const sc_result *result[DECODE_RUN];
	int64_t start_ns[DECODE_RUN], end_ns[DECODE_RUN];
	uint64_t blocks_used[DECODE_RUN]; /* after scheduling */
	uint32_t sequences, waiting, pool;
	uint32_t tokens; /* of the first; of each behind it: sequences  */
	int64_t busy_ns; /* of all, on the GPU */
	/* [n - 1] the steps but for the first, n > 1; without ids, which may
	 * be others by now                                                  */
	const sc_step *behind;
};

/* A stretch of a request's life on one replica, waiting there included.  The
 * first begins with its arrival at the client, the last ends with its last
 * token; between two of them its KV cache is on its way. */
struct stay {
	uint32_t replica;
	int64_t from_ns, to_ns;
};
enum { REQUEST_STAYS = 4 }; /* at most */

enum ending { REQUEST_ENDED, REQUEST_REJECTED, REQUEST_UNFINISHED };

struct request_event {
	struct request request; /* without its segments */
	enum ending ending;
	enum rejection rejection;  /* of REQUEST_REJECTED                   */
	uint32_t replica;          /* that made its last token              */
	uint32_t generated_tokens; /* = output_tokens when REQUEST_ENDED; else
				      what it had when it last waited */
	uint32_t cached_tokens;    /* of its prompt, found in the cache     */
	uint32_t preemptions;
	int64_t scheduled_ns;   /* start of its first step; -1: none        */
	int64_t first_token_ns; /* end of the step, without response
				   overhead; -1: none                       */
	int64_t last_token_ns;  /* likewise                                 */
	int64_t ttft_ns, tpot_ns, e2el_ns; /* as reported, overheads
				    included; -1: does not apply            */
	uint32_t n_stays;                  /* in order; 0: never came in     */
	struct stay stay[REQUEST_STAYS];   /* the last one of a request that is
				    not over: to_ns < 0                     */
};

enum { OBSERVER_LIMITS = 16 };

/* Each callback may be NULL; a request's name is kept only for on_request.
 * Steps of a run may be told together, by on_run alone, if it is not NULL.
 * Not 0: stop; simulate() returns -1 and leaves *p as the callback set it. */
struct observer {
	int (*on_step)(void *ctx, const struct step_event *e,
		       struct problem *p);
	int (*on_run)(void *ctx, const struct decode_run *run,
		      struct problem *p);
	int (*on_request)(void *ctx, const struct request_event *e,
			  struct problem *p);
	void *ctx;
	int wants_scheduled;
	/* Above 0: outcome.itl_above[i] tells the share of gaps between tokens
	 * that are longer. */
	int64_t itl_limit_ns[OBSERVER_LIMITS];
};
#endif
