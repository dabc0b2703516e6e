/* work.c -- Tries one configuration. */
#include "recommend/work.h"
#include <math.h>
#include <stdlib.h>
#include "arm/arm_gpus.h"
#include "engine/engine.h"
#include "recommend/simulation.h"
#include "sweep/prepared_arm.h"

struct worker_state {
	struct prepared_arm prepared_arm; /* the first: prepared_arm_of() */
	const struct work_task *task;
};

/* ---- what it takes ---- */

/* Returns the tokens that fit into the KV caches of all replicas. */
static double room(const struct engine *e)
{
	double tokens = 0;
	for (uint32_t pool = 0; pool < (e->prefill_replicas ? 2u : 1u);
	     pool++) {
		const struct engine *of = engine_of_pool(e, pool);
		uint32_t n = !e->prefill_replicas ? e->replicas
			     : pool ? e->replicas - e->prefill_replicas
				    : e->prefill_replicas;
		uint64_t blocks = of->num_gpu_blocks == ENGINE_UNLIMITED
				      ? of->kv_room_blocks
				      : of->num_gpu_blocks;
		tokens += (double)blocks * of->block_size * n;
	}
	return tokens;
}

/* Answers what needs no simulation: GPUs, KV tokens and prices of the point. */
static int survey(struct worker_state *d, struct work_answer *out,
		  struct problem *p)
{
	const struct arm *a = &d->prepared_arm.work.arm;
	uint64_t gpus = config_arm_gpus(a->config, a->index);
	double price = arm_usd_per_hour(a);
	if (gpus > d->task->gpus)
		return problem_set(p, EXIT_USAGE,
				   "needs %llu GPUs; there are %u",
				   (unsigned long long)gpus, d->task->gpus);
	out->survey = (struct work_survey){
	    .gpus = (uint32_t)gpus,
	    .kv_tokens = room(&a->engine),
	    .usd_per_hour = price > 0 ? price * (double)gpus : NAN,
	    .usd_per_joule = a->hardware.power.usd_per_joule};
	return 0;
}

/* ---- one question ---- */

static int answer_question(struct worker_state *d,
			   const struct work_question *q,
			   struct work_answer *out, struct problem *p)
{
	struct candidate_run t;
	if (q->ask == WORK_SURVEY)
		return survey(d, out, p);
	if (recommend_simulation_begin(&t, d->task, &d->prepared_arm,
				       q->race.requests, p) < 0)
		return -1;
	return q->ask == WORK_RACE
		   ? recommend_simulation_race(&t, &q->race, out, p)
	       : q->ask == WORK_MISS
		   ? recommend_simulation_miss(&t, q->race.scale, out, p)
		   : recommend_simulation_search(&t, out, p);
}

int work_do(struct pool_worker *w, void *user, const void *question,
	    void *answer, struct problem *p)
{
	const struct work_question *q = question;
	struct work_answer *out = answer;
	const struct work_task *t = user; /* *user begins with the task */
	struct worker_state *d =
	    prepared_arm_of(w, sizeof *d, t->plan, t->config, t->step_bytes, p);
	if (!d)
		return -1;
	d->task = t;
	*out = (struct work_answer){.served = {NAN, NAN, NAN, NAN}};
	if (prepared_arm_prepare(&d->prepared_arm, (size_t)q->point, p) < 0)
		return -1;
	int rc = prepared_arm_create(&d->prepared_arm, out->warning, p);
	int is_created = rc == 0;
	if (is_created)
		rc = answer_question(d, q, out, p);
	return prepared_arm_destroy(&d->prepared_arm, is_created, rc, p);
}
