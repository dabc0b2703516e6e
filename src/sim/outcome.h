/* sim/outcome.h -- what a run comes to: its steps and requests are counted as
 * they happen, told to the observer, and summed up at the end.
 *
 * struct outcome is the result; struct outcome_counter is what is needed until
 * then.  Order: outcome_begin(), the counting functions as the clock goes,
 * outcome_finish(), outcome_free().  Those that tell the observer return 0, or
 * -1 with *p as the observer set it.  [one thread]; no printing. */
#ifndef SC_SIM_OUTCOME_H
#define SC_SIM_OUTCOME_H
#include <stdint.h>
#include "cost/coverage.h"
#include "math/statistics.h"
#include "sim/acceptance.h"
#include "sim/batch.h"
#include "sim/observer.h"
#include "sim/saturation.h"

/* What the replicas of a pool did: pool 0, and with prefill and decode apart
 * pool 1, which generates. */
struct pool_figures {
	uint32_t replicas;
	uint64_t kv_blocks;      /* of one replica, or ENGINE_UNLIMITED      */
	uint64_t kv_blocks_peak; /* in use, most loaded replica              */
	uint64_t num_steps, scheduled_sequences, computed_tokens;
	uint64_t preemptions, prefix_hit_tokens, prefix_queried_tokens;
	int64_t busy_ns; /* GPU time of all steps, all replicas              */
};

/* KV caches sent from pool 0 to pool 1. */
struct transfer_figures {
	uint64_t n;
	double bytes;
	struct stats_summary lasts; /* ns */
	/* ns from the end of a prompt until its blocks are free there       */
	struct stats_summary held;
};

/* Plain data, no pointers: crosses process borders. */
struct outcome {
	int64_t first_arrival_ns, last_token_ns; /* duration: last − first */
	uint64_t requests; /* = completed + rejected + unfinished          */
	uint64_t completed, rejected, unfinished;
	struct rejections rejections;
	uint64_t total_input_tokens, total_output_tokens; /* of completed
							     requests     */
	uint64_t num_steps;
	uint64_t scheduled_sequences; /* over all steps                    */
	uint64_t computed_tokens;     /* prompt and decode, over all steps */
	uint64_t preemptions;
	uint64_t prefix_hit_tokens, prefix_queried_tokens;
	uint64_t kv_blocks_peak; /* in use by running requests, most loaded
				    replica                               */
	uint64_t kv_blocks; /* of that replica, or ENGINE_UNLIMITED        */
	uint32_t n_pools;   /* 2: prefill and decode apart                 */
	struct pool_figures pool[2];
	struct transfer_figures transfers;
	/* time of all steps, all replicas; of a pipeline, in which several are
	 * under way at once, the share of its GPUs that each keeps busy      */
	int64_t busy_ns;
	uint32_t replicas, stages; /* of a pipeline, else 1                  */
	uint32_t drafts;           /* of a sequence in a step; 0: none       */
	struct acceptance_sum accepted;
	double draft_us; /* spent on drafting, over all steps                */
	/* Where engines capture graphs: steps without one, and their time    */
	int64_t early_ns; /* of a pipeline: that steps began before a token that
			     they continue was made, in all */
	uint64_t has_graphs, eager_steps;
	int64_t eager_ns;
	int64_t occupied_ns; /* a step was under way, sum over replicas       */
	struct stats_summary ttft, tpot, itl, e2el, queueing; /* ns        */
	double itl_above[OBSERVER_LIMITS]; /* of observer.itl_limit_ns       */
	uint64_t good; /* completed within the SLO                         */
	uint64_t slo_given; /* 1: there was an SLO                         */
	enum saturation saturation;
	uint32_t n_guessed;
	double coverage_us[COVERAGE_CLASSES]; /* step time by provenance;
				shares: ÷ their sum                       */
	double total_us; /* Σ total_us over all steps                      */
	struct guessed_shape guessed[GUESSED_SHAPES]; /* heaviest first    */
	struct series series; /* all replicas together                     */
};

struct engine; /* engine/engine.h */
struct outcome_counter {
	const struct engine *e;
	const struct observer *o; /* may be NULL */
	struct outcome *out;
	struct problem *p;
	int64_t last_arrival_ns;
	struct stats ttft, tpot, itl, e2el, queueing, transfer, held;
	struct delays delays;
	struct coverage coverage;
	struct series_aside steps; /* bound for out->series                  */
};

struct sequence; /* sequence.h */
struct slo;      /* engine/engine.h */
/* Returns 1 if a request that ended meets the SLO. */
int outcome_is_good(const struct slo *s, const struct request_event *e);
/* Zeroes *out. */
void outcome_begin(struct outcome_counter *c, const struct engine *e,
		   const struct observer *o, struct outcome *out,
		   struct problem *p);
/* A request has come, at arrival_ns. */
void outcome_arrived(struct outcome_counter *c, int64_t arrival_ns);
/* It will not be served, for that reason. */
int outcome_rejected(struct outcome_counter *c, const struct request *r,
		     enum rejection why);
/* It takes part in a step for the first time, which starts at start_ns. */
void outcome_scheduled(struct outcome_counter *c, const struct sequence *q,
		       int64_t start_ns);
/* A step has been priced. */
int outcome_step(struct outcome_counter *c, const struct step_event *e);
/* A step of a pipeline, beside outcome_step(). */
void outcome_early(struct outcome_counter *c, int64_t early_ns);
/* 1: nobody wants to be told of each step of a run. */
int outcome_takes_runs(const struct outcome_counter *c);
/* A step has been priced; on the GPU it lasts so long. */
void outcome_priced(struct outcome_counter *c, const sc_step *step,
		    const sc_result *result, uint32_t pool, int64_t lasts_ns);
/* The run is complete.  The price of its first step was told before, and the
 * gaps before its first and its last token are told apart. */
int outcome_run(struct outcome_counter *c, const struct decode_run *run);
/* n tokens came after that gap behind the one before. */
static inline void outcome_gap(struct outcome_counter *c, int64_t gap_ns,
			       uint64_t n)
{
	stats_add(&c->itl, gap_ns, n);
}
/* The results of the batch have come. */
void outcome_results(struct outcome_counter *c, const struct batch *b);
/* A KV cache of so many bytes was sent to the other pool, and took so long. */
void outcome_transfer(struct outcome_counter *c, double bytes,
		      int64_t lasts_ns);
/* Blocks were held for the other pool for so long. */
void outcome_held(struct outcome_counter *c, int64_t ns);
/* At the end: what a replica of the pool did. */
struct replica_figures {
	uint64_t preemptions, hit_tokens, queried_tokens, blocks_peak;
	int64_t occupied_ns;
	const struct acceptance_sum *accepted; /* NULL: none                 */
};
void outcome_replica(struct outcome *out, uint32_t pool,
		     const struct replica_figures *f);
/* The request has its last token, made by a step that ended at now; the client
 * has it response_ns later. */
int outcome_ended(struct outcome_counter *c, const struct sequence *q,
		  int64_t now, int64_t response_ns);
/* The run broke off before that. */
int outcome_unfinished(struct outcome_counter *c, const struct sequence *q);
/* Fills in *out what only the whole run shows.  0, or -1: out of memory, and
 * samples are missing. */
int outcome_finish(struct outcome_counter *c);
void outcome_free(struct outcome_counter *c);
#endif
