/* sim/outcome.h -- the result of a run: steps and requests are counted as they
 * happen, reported to the observer, and summed up at the end.
 *
 * struct outcome is the result; struct outcome_counter has the data needed
 * until then.  Order: outcome_begin(), the counting functions as the clock
 * advances, outcome_finish(), outcome_free().  Functions that report to the
 * observer return 0, or -1 with *p as the observer set it.  [one thread]; no
 * printing. */
#pragma once
#include <stdint.h>
#include "cost/coverage.h"
#include "cost/floor.h"
#include "engine/engine.h"
#include "math/statistics.h"
#include "sim/drafts/acceptance.h"
#include "sim/batch.h"
#include "sim/observer.h"
#include "sim/saturation.h"

/* The figures of a pool of replicas: pool 0, and with disaggregated prefill and
 * decode pool 1, which generates. */
struct pool_figures {
	uint32_t replicas;
	uint64_t kv_blocks;      /* per replica, or ENGINE_UNLIMITED */
	uint64_t kv_blocks_peak; /* in use, on the most loaded replica */
	uint64_t num_steps, scheduled_sequences, computed_tokens;
	uint64_t preemptions, prefix_hit_tokens, prefix_queried_tokens;
	int64_t busy_ns; /* GPU time of all steps, all replicas */
};

/* KV caches sent from pool 0 to pool 1. */
struct transfer_figures {
	uint64_t n;
	double bytes;
	struct stats_summary lasts; /* ns */
	/* ns from the end of a prompt until its blocks are free there. */
	struct stats_summary held;
};

/* Loads of KV from hosts, the first of each replica: how long their copies
 * took, and how long computing those tokens would have taken, each load as a
 * step of its own. */
struct offload_worth {
	uint64_t loads;
	double load_s, computing_s;
};

/* Copies of KV between GPUs and hosts; totals, but chunks_peak of the fullest
 * host. */
struct offload_sum {
	double is_on; /* 0: all others are 0 */
	double loads, stores, load_bytes, store_bytes, load_s, store_s;
	double loading_ms; /* of requests before their first token */
	double chunks_peak, evicted, refused, waited_steps, waited_s;
	double queries, hits; /* tokens */
};

/* Items (pictures, sound) of requests: how many were encoded, how many were
 * found in the cache of encoded items, and the time that steps took longer. */
struct encoder_sum {
	double is_on; /* 0: all others are 0 */
	double encoded, found, encoder_s;
};

/* Replicas that come, go and die, and their requests. */
struct fleet_sum {
	double is_on;   /* 0: all others are 0 */
	double retried; /* how often a request was sent again */
	double deaths, starts;
	double gpu_hours, gpu_hours_idle; /* idle: without any request */
	double cost;                      /* USD; 0: no price was given */
	/* Time of replicas between the first arrival and the last token. */
	double replica_s;
};

/* The GPUs of all replicas while they run steps; if the power of an idle GPU is
 * configured, joules are also those of the other time. */
struct energy_sum {
	double is_known; /* 1; 0: no step; -1: the power of a pool is unknown */
	double gpu_s;    /* GPUs times seconds */
	double pool_gpu_s[2]; /* the same by pool */
	double idle_s; /* GPUs times seconds without a step; 0: unknown */
	double joules;
	double usd;           /* of joules; 0: no price was given */
	double usd_per_joule; /* 0: no price was given; also if joules are not
				 known */
	/* Seconds of gpu_s that the work would take at the peak rates. */
	double memory_s, compute_s;
};

/* Plain data without pointers: crosses process borders. */
struct outcome {
	int64_t first_arrival_ns, last_token_ns; /* duration: last − first */
	int64_t arrival_span_ns; /* from the first arrival to the last        */
	/* = completed + rejected + unfinished + failed + cancelled */
	uint64_t requests;
	/* simulated and not counted; the time until the first one that is */
	struct warm_up warm_up;
	uint64_t completed, rejected, unfinished, failed, cancelled;
	struct rejections rejections;
	uint64_t total_input_tokens, total_output_tokens; /* of completed
							     requests */
	uint64_t num_steps;
	uint64_t scheduled_sequences; /* over all steps */
	uint64_t computed_tokens;     /* prompt and decode, over all steps */
	uint64_t preemptions;
	uint64_t prefix_hit_tokens, prefix_queried_tokens;
	/* in use by running requests, on the most loaded replica */
	uint64_t kv_blocks_peak;
	uint64_t kv_blocks; /* of that replica, or ENGINE_UNLIMITED */
	uint32_t n_pools;   /* 2: disaggregated prefill and decode */
	struct pool_figures pool[2];
	struct transfer_figures transfers;
	struct offload_sum offload;
	struct offload_worth loads;
	struct encoder_sum encoders;
	struct fleet_sum fleet;
	struct energy_sum energy;
	double gpu_usd; /* of the hours of all GPUs; 0: a price is unknown */
	/* Time of all steps on all replicas.  Several steps of a pipeline run
	 * at once, so each counts with the share of GPUs that it keeps busy. */
	int64_t busy_ns;
	/* GPUs times seconds between the first arrival and the last token, and
	 * those of them with a step. */
	double gpu_s, busy_gpu_s;
	uint32_t replicas, stages; /* stages of a pipeline, else 1 */
	uint32_t max_num_seqs;     /* of a replica; of the decode pool */
	uint64_t clients;          /* of a closed loop; 0: an open one */
	uint32_t drafts;           /* per sequence and step; 0: none */
	struct acceptance_sum accepted;
	double draft_us; /* spent on drafting, over all steps */
	/* For a pipeline: the total time by which steps began before the token
	 * that they continue was made. */
	int64_t early_ns;
	/* Steps without a captured graph, and their time, if the engine
	 * captures graphs. */
	uint64_t has_graphs, eager_steps;
	int64_t eager_ns;
	int64_t occupied_ns; /* time with a step running, sum over replicas */
	struct stats_summary ttft, tpot, itl, e2el, queueing; /* ns */
	double itl_above[OBSERVER_LIMITS]; /* for observer.itl_limit_ns */
	uint64_t good;                     /* completed within the SLO */
	uint64_t slo_given;                /* 1: an SLO was given */
	enum saturation saturation;
	int is_too_short; /* to tell: saturation_is_too_short()              */
	uint32_t n_guessed;
	/* Step time by provenance; shares: divide by their sum. */
	double coverage_us[COVERAGE_CLASSES];
	double total_us; /* Σ total_us over all steps */
	struct guessed_shape guessed[GUESSED_SHAPES]; /* heaviest first */
	struct floor_count faster;                    /* than the hardware */
	struct series series; /* all replicas together */
};

struct offload;  /* sim/offload/offload.h */
struct encoders; /* sim/encoders.h */
struct outcome_counter {
	const struct engine *e;
	const struct observer *o; /* may be NULL */
	/* By pool; NULL before outcome_set_hardware(). */
	const struct floor *floor[2];
	const struct power_law *power[2];
	int knows_power[2];
	struct outcome *out;
	struct problem *p;
	int64_t begun_ns, last_arrival_ns; /* of all requests */
	uint64_t arrived;                  /* with those of a warm-up */
	struct stats ttft, tpot, itl, e2el, queueing, transfer, held;
	struct delays delays;
	struct coverage coverage;
	struct series_buffer steps; /* buffered for out->series */
	int64_t token_after_ns;     /* from a token to the client */
	int out_of_memory;          /* outcome_finish() will say so */
};

struct sequence; /* sequence.h */
/* Returns 1 if a request that ended meets the SLO. */
int outcome_is_good(const struct slo *s, const struct request_event *e);
/* Zeroes *out. */
void outcome_begin(struct outcome_counter *c, const struct engine *e,
		   const struct observer *o, struct outcome *out,
		   struct problem *p);
/* Sets the floor of a pool's steps, and the power of its GPUs; limit_w 0: it is
 * not known.  Stages of a pipeline wait for each other, and nothing was
 * measured there. */
static inline void outcome_set_hardware(struct outcome_counter *c,
					uint32_t pool,
					const struct floor *floor,
					const struct power_law *power)
{
	c->floor[pool] = floor;
	c->power[pool] = power;
	c->knows_power[pool] =
	    power->limit_w > 0 && engine_of_pool(c->e, pool)->parallel.pp == 1;
}
/* A request arrived; sets r->is_warm_up. */
void outcome_arrived(struct outcome_counter *c, struct request *r);
/* A request will not be served, for that reason. */
int outcome_rejected(struct outcome_counter *c, const struct request *r,
		     enum rejection why);
/* A request takes part in a step for the first time; the step starts at
 * start_ns. */
void outcome_scheduled(struct outcome_counter *c, const struct sequence *q,
		       int64_t start_ns);
/* A step was priced. */
int outcome_step(struct outcome_counter *c, const struct step_event *e);
/* A step of a pipeline, in addition to outcome_step(). */
void outcome_early(struct outcome_counter *c, int64_t early_ns);
/* Returns 1 if the observer does not need each step of a run. */
int outcome_takes_runs(const struct outcome_counter *c);
/* A step was priced, and takes lasts_ns on the GPU. */
void outcome_priced(struct outcome_counter *c, const sc_step *step,
		    const sc_result *result, uint32_t pool, int64_t lasts_ns);
/* A run is complete.  The price of its first step was reported before; the gaps
 * before its first and its last token are reported separately. */
int outcome_run(struct outcome_counter *c, const struct decode_run *run);
/* Returns 0 while only requests of a warm-up have arrived. */
static inline int outcome_counts(const struct outcome *out)
{
	return out->requests || !out->warm_up.requests;
}
/* n tokens came gap_ns after the token before them. */
static inline void outcome_gap(struct outcome_counter *c, int64_t gap_ns,
			       uint64_t n)
{
	if (outcome_counts(c->out))
		stats_add(&c->itl, gap_ns + c->token_after_ns, n);
}
/* The results of the batch have come. */
static inline void outcome_results(struct outcome_counter *c,
				   const struct batch *b)
{
	outcome_gap(c, b->gap_ns, b->n_on_time);
	for (uint32_t i = 0; i < b->n_late; i++)
		outcome_gap(c, b->late_gap_ns[i], 1);
}
/* A KV cache of that size was sent to the other pool, and took that long. */
void outcome_transfer(struct outcome_counter *c, double bytes,
		      int64_t lasts_ns);
/* Blocks were held for the other pool for that long. */
void outcome_held(struct outcome_counter *c, int64_t ns);
/* The figures of one replica of the pool, at the end. */
struct replica_figures {
	uint64_t preemptions, hit_tokens, queried_tokens, blocks_peak;
	int64_t occupied_ns;
	uint32_t gpus;
	const struct acceptance_sum *accepted; /* NULL: none */
	const struct offload *offload;         /* NULL: none */
	const struct encoders *encoders;       /* NULL: none */
};
void outcome_replica(struct outcome *out, uint32_t pool,
		     const struct replica_figures *f);
/* A request has its last token, made by a step that ended at `now`; the client
 * gets it response_ns later.  If a text ended it, that token is its last. */
int outcome_ended(struct outcome_counter *c, const struct sequence *q,
		  int64_t now, int64_t response_ns);
/* Counts a request that had not ended when the run broke off. */
int outcome_unfinished(struct outcome_counter *c, const struct sequence *q);
/* Counts a request that its client gave up. */
int outcome_cancelled(struct outcome_counter *c, const struct sequence *q);
/* Counts a request that was lost with its replica, and is not sent again. */
int outcome_failed(struct outcome_counter *c, const struct sequence *q,
		   enum failure why);
/* Fills in the values of *out that need the whole run.  Returns 0, or -1 if
 * memory is out and samples are missing. */
int outcome_finish(struct outcome_counter *c);
void outcome_free(struct outcome_counter *c);
