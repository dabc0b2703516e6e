/* setup.c -- Makes, renews and frees the parts of a simulation. */
#include "sim/setup.h"
#include "sim/step/decode_run.h"
#include "sim/step_memory.h"

static void add_up(struct simulation *m, uint32_t i)
{
	const struct replica *r = &m->replica[i];
	outcome_replica(m->counter.out, r->pool,
			&(struct replica_figures){
			    .preemptions = r->scheduler->preemptions,
			    .hit_tokens = r->scheduler->hit_tokens,
			    .queried_tokens = r->scheduler->queried_tokens,
			    .blocks_peak = r->scheduler->kv.pool.peak,
			    .gpus = r->e->parallel.tp,
			    .occupied_ns = r->occupied_ns,
			    .accepted = &r->scheduler->accepted,
			    .offload = r->scheduler->offload,
			    .encoders = r->scheduler->encoders,
			});
}

void setup_add_up(struct simulation *m)
{
	for (uint32_t i = 0; i < m->e->replicas; i++)
		add_up(m, i);
}

static int make_replica(struct simulation *m, uint32_t i,
			const struct step_columns *column)
{
	struct replica *r = &m->replica[i];
	uint32_t pool = engine_pool_of(m->e, i);
	if (replica_make(r, &m->shared, engine_of_pool(m->e, pool),
			 m->cost[pool], i, pool, column))
		return problem_no_memory(m->p);
	offload_report(r->scheduler->offload, i, m->o);
	if (encoders_make(&r->scheduler->encoders, r->e,
			  workload_longest_item(m->w)))
		return problem_no_memory(m->p);
	r->rank = engine_rank_of(m->e, i);
	r->group = &m->group[engine_group_of(m->e, i)];
	r->takes_runs = decode_run_is_possible(r);
	r->scheduler->kv.pool.listener = router_listener(&m->router, i);
	r->scheduler->kv.first_listener = router_first_listener(&m->router, i);
	if (m->o && m->o->on_blocks) {
		r->watcher =
		    (struct block_watcher){m->o->on_blocks, m->o->ctx, i};
		r->scheduler->kv.pool.watcher = &r->watcher;
	}
	return 0;
}

static int make_replicas(struct simulation *m,
			 const struct step_columns *column)
{
	for (uint32_t i = 0; i < m->e->replicas; i++)
		if (make_replica(m, i, &column[i]) < 0)
			return -1;
	return 0;
}

int setup_renew(struct simulation *m, uint32_t replica)
{
	struct replica *r = &m->replica[replica];
	const struct step_columns column = r->scheduler->columns;
	uint64_t steps = r->steps;
	add_up(m, replica);
	*r->group = (struct replica_group){0};
	replica_free(r);
	if (make_replica(m, replica, &column) < 0)
		return -1;
	r->steps = steps;
	replica_tell_blocks(r, BLOCKS_CLEARED);
	return 0;
}

/* Makes the ranks of a group take their steps together. */
static int make_lockstep(struct simulation *m, uint32_t group)
{
	struct replica *r = &m->replica[engine_first_of(m->e, group)];
	if (r->e->lockstep_ranks == 1)
		return 0;
	m->lockstep[group] = lockstep_new(r);
	if (!m->lockstep[group])
		return problem_no_memory(m->p);
	for (uint32_t k = 0; k < r->e->ranks; k++)
		r[k].lockstep = m->lockstep[group];
	return 0;
}

/* For replicas with ranks: makes the routers of requests to ranks, and the
 * groups that take steps together. */
static int make_ranks(struct simulation *m)
{
	uint32_t n = engine_groups(m->e);
	if (n == m->e->replicas)
		return 0;
	m->rank_router = arrays_add(&m->arrays, n, sizeof *m->rank_router);
	m->lockstep = arrays_add(&m->arrays, n, sizeof(struct lockstep *));
	if (!m->rank_router || !m->lockstep)
		return problem_no_memory(m->p);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t first = engine_first_of(m->e, i);
		if (rank_router_init(&m->rank_router[i],
				     engine_of_replica(m->e, first)))
			return problem_no_memory(m->p);
		if (make_lockstep(m, i))
			return -1;
	}
	return 0;
}

int setup_make(struct simulation *m, void *step_memory)
{
	size_t n = m->e->replicas;
	struct step_columns *column = arrays_add(&m->arrays, n, sizeof *column);
	int rc = -1;
	pool_init(&m->pool);
	m->shared = (struct replica_shared){
	    .sequences = &m->pool,
	    .counter = &m->counter,
	    .step = step_memory,
	    .n_replicas =
		m->e->replicas + (uint32_t)fleet_changes(&m->e->fleet),
	    .may_leave = m->is_open || workload_may_leave(m->w),
	    .p = m->p};
	if (m->o && m->o->on_tokens && simulation_list_tokens(m) < 0)
		problem_no_memory(m->p);
	if (m->o && m->o->wants_scheduled) {
		m->shared.scheduled =
		    arrays_add(&m->arrays, step_memory_max_seqs(m->e),
			       sizeof *m->shared.scheduled);
		if (m->o->on_results)
			m->shared.is_lost = arrays_add(
			    &m->arrays, step_memory_max_seqs(m->e), 1);
	}
	m->replica = arrays_add(&m->arrays, n, sizeof *m->replica);
	m->group =
	    arrays_add(&m->arrays, engine_groups(m->e), sizeof *m->group);
	m->handover = (struct handover){.e = m->e,
					.sequences = &m->pool,
					.replica = m->replica,
					.counter = &m->counter,
					.p = m->p};
	if (m->arrays.out_of_memory ||
	    agenda_make(&m->shared.agenda, m->e->replicas) ||
	    router_init(&m->router, m->e)) {
		problem_no_memory(m->p);
	} else {
		step_memory_lay_out(m->e, step_memory, column);
		*m->shared.step = (sc_step){.size = sizeof *m->shared.step};
		rc = make_replicas(m, column);
		if (rc == 0)
			rc = make_ranks(m);
		m->wants_first_tokens = router_wants_first_tokens(&m->router);
	}
	return rc;
}

void setup_free(struct simulation *m)
{
	for (uint32_t i = 0; m->replica && i < m->e->replicas; i++)
		replica_free(&m->replica[i]);
	for (uint32_t i = 0; i < engine_groups(m->e); i++) {
		if (m->lockstep)
			lockstep_free(m->lockstep[i]);
		if (m->rank_router)
			rank_router_free(&m->rank_router[i]);
	}
	agenda_free(&m->shared.agenda);
	queue_free(&m->joining);
	queue_free(&m->shared.dropped);
	notices_free(&m->notices);
	router_free(&m->router);
	pool_free(&m->pool);
	outcome_free(&m->counter);
	arrays_free(&m->arrays);
}
