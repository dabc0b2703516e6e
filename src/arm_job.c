#include <config.h>
#include "arm_job.h"
#include "guard.h"
#include "simulation.h"

static int guarded(struct job *j, struct arm *a, arm_job_fn work, void *ctx,
		   struct problem *p)
{
	struct guard g = {0}, decode = {0};
	int rc = guard_install(&g, &a->cost, j->watch, j->printed, p);
	if (rc == 0 && a->decode)
		rc = guard_install(&decode, &a->decode->cost, j->watch,
				   j->printed, p);
	if (rc == 0)
		rc = work(j, a, ctx, p);
	if (rc == 0)
		rc = guard_finish(&g, p);
	if (rc == 0 && a->decode)
		rc = guard_finish(&decode, p);
	cost_destroy(&a->cost);
	if (a->decode)
		cost_destroy(&a->decode->cost);
	guard_free(&g);
	guard_free(&decode);
	return rc;
}

int arm_job_run(struct job *j, const struct config *c, size_t i,
		const sc_host *host, arm_job_fn work, void *ctx,
		struct problem *p)
{
	struct arm a;
	watch_enter(j->watch, IN_CREATE, c->arm[i].plugin);
	int rc = arm_open(&a, c, i, host, p);
	watch_enter(j->watch, IN_HOST, NULL);
	if (rc == 0)
		rc = guarded(j, &a, work, ctx, p);
	arm_close(&a);
	return rc;
}

size_t arm_job_step_bytes(const struct config *c)
{
	const struct engine e = {
	    .max_num_seqs = (uint32_t)c->engine_keys.max_num_seqs,
	    .max_num_batched_tokens =
		(uint32_t)c->engine_keys.max_num_batched_tokens,
	    .replicas = (uint32_t)c->engine_keys.replicas,
	    .async_scheduling = 1,
	};
	return simulation_step_bytes(&e);
}

void arm_job_costs(struct arm *a, struct cost *cost[2])
{
	cost[0] = &a->cost;
	cost[1] = a->decode ? &a->decode->cost : &a->cost;
}
