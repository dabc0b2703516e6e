/* engine/keys/fleet_keys.h -- the keys of [autoscaler], by Kubernetes' names
 * where it has them, and of [failures].
 *
 * Each field has a row in engine/keys/fleet_keys.c.  [any thread]; no printing.
 */
#pragma once
#include <stdint.h>
#include "base/ini.h"
#include "base/json/json_writer.h"
#include "base/problem.h"
#include "engine/fleet.h"
#include "stepcost/plugin.h"

struct autoscaler_keys {
	int64_t metric; /* FLEET_METRIC_*                                    */
	double target;
	int64_t min_replicas, max_replicas;
	double tolerance, sync_period_s, metric_delay_s;
	double scale_up_stabilization_s, scale_down_stabilization_s;
	int64_t scale_up_pods, scale_up_percent;
	double policy_period_s;
	double node_provision_s, image_pull_s;
	const char *weights_load_s; /* auto | seconds                        */
	double weights_bandwidth_gbs;
	double compile_s, graph_capture_s, warmup_s, drain_s;
	double gpu_hour_price;
};
struct failures_keys {
	const char *at; /* REPLICA:SECONDS,...; "": none                     */
	double mtbf_hours, detect_s;
	int64_t restart, max_retries;
};
extern const sc_knob *const autoscaler_key[];
extern const uint32_t autoscaler_n_keys;
extern const sc_knob *const failures_key[];
extern const uint32_t failures_n_keys;

/* Fills in the keys of both sections.  Returns 0, or -1 with *p filled in
 * (EXIT_USAGE): a value out of range, or keys that contradict each other. */
int fleet_keys_fill(struct autoscaler_keys *a, struct failures_keys *f,
		    const struct ini *c, struct problem *p);
/* Returns the number of replicas that there may be at once, those that end
 * their last requests included. */
int64_t fleet_most_replicas(const struct autoscaler_keys *a, int64_t start);
/* Writes the sections that change anything as objects. */
void fleet_keys_write(struct jw *j, const struct autoscaler_keys *a,
		      const struct failures_keys *f);

/* What a fleet needs to know beside its keys. */
struct fleet_facts {
	int64_t replicas; /* at the start                                 */
	/* Engines that one replica is, each with its own scheduler: those of
	 * data parallelism without experts. */
	uint32_t per_replica;
	double weight_bytes; /* of a GPU; 0: unknown                         */
	uint64_t gpus;       /* of a replica                                 */
	double usd_per_hour; /* of a GPU; 0: unknown                         */
	int is_apart;        /* prefill and decode apart                     */
	int has_ranks;       /* ranks of data parallelism                    */
	const struct ini *ini; /* for places; NULL: none                     */
};
/* Returns 0, or -1 with *p filled in (EXIT_USAGE). */
int fleet_resolve(struct fleet_rules *r, const struct autoscaler_keys *a,
		  const struct failures_keys *k, const struct fleet_facts *f,
		  struct problem *p);
