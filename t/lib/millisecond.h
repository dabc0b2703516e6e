/* millisecond.h -- a service of 1 ms for each request, one at a time, so its
 * capacity is known by hand.  Included once per program. */
#ifndef T_MILLISECOND_H
#define T_MILLISECOND_H
#include <stdlib.h>
#include "engine/engine.h"
#include "capacity/search.h"
#include "tap.h"
#include "workload_of.h"

static int32_t millisecond_eval(void *inst, const sc_step *step, sc_result *out,
				sc_error *err)
{
	(void)inst, (void)step, (void)err;
	out->total_us = 1000;
	return SC_OK;
}
static void millisecond_destroy(void *inst)
{
	(void)inst;
}
static const sc_plugin millisecond_plugin = {.size = sizeof millisecond_plugin,
					     .abi_major = SC_ABI_MAJOR,
					     .name = "millisecond",
					     .destroy = millisecond_destroy,
					     .eval = millisecond_eval};

static struct engine e = {.parallel = {.tp = 1, .pp = 1, .ep = 1, .dp = 1},
			  .step_ranks = 1,
			  .max_num_seqs = 1,
			  .max_num_batched_tokens = 2048,
			  .block_size = 16,
			  .num_gpu_blocks = ENGINE_UNLIMITED,
			  .graph_max_tokens = 512,
			  .replicas = 1,
			  .ranks = 1,
			  .per_replica = 1,
			  .lockstep_ranks = 1};
static struct workload_keys k;
static struct ini c;
static struct bounds wanted;
static struct problem p;
static struct cost millisecond_cost = {.p = &millisecond_plugin};
static struct cost *both[] = {&millisecond_cost, &millisecond_cost};

/* A search with the program's own limits.  Memory for a step has the size that
 * the engine needs now, and lives until the next task. */
static struct capacity_task task(const char *slo)
{
	static void *memory;
	if (bounds_parse(&wanted, "--slo", slo, &p) < 0)
		bail_out(p.text);
	free(memory);
	memory = calloc(1, simulation_step_bytes(&e));
	return (struct capacity_task){.engine = &e,
				      .cost = both,
				      .workload = &k,
				      .cfg = &c,
				      .bounds = &wanted,
				      .precision = 0.03,
				      .confidence = 0.9,
				      .request_limit = 2000000,
				      .step_memory = memory,
				      .step_bytes = simulation_step_bytes(&e)};
}
#endif
