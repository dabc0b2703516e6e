/* recommend/simulation.h -- simulations of one configuration under one arm with
 * an instance.  [a worker] */
#pragma once
#include "recommend/question.h"
#include "capacity/draw.h"
#include "sweep/prepared_arm.h"

/* Must not be moved once begun. */
struct candidate_run {
	const struct work_task *of;
	struct arm *arm;
	struct workload_keys keys;
	struct cost *cost[2];
	struct capacity_task task;
	struct draw_rules rules;
};

/* requests: of a run, at least.  Returns 0, or -1 with *p: no memory. */
int recommend_simulation_begin(struct candidate_run *t,
			       const struct work_task *task,
			       struct prepared_arm *b, uint64_t requests,
			       struct problem *p);
/* Both return 0, or -1 with *p: the workload or the cost model failed. */
int recommend_simulation_race(const struct candidate_run *t,
			      const struct race_question *q,
			      struct work_answer *out, struct problem *p);
/* Runs a few requests to the end at that scale (0: nearly unloaded): by how
 * much the bounds are missed. */
int recommend_simulation_miss(struct candidate_run *t, double scale,
			      struct work_answer *out, struct problem *p);
/* Searches in full, and where the arm errs by as much as elsewhere. */
int recommend_simulation_search(struct candidate_run *t,
				struct work_answer *out, struct problem *p);
