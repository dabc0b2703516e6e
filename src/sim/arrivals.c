/* arrivals.c -- Lets requests arrive, and sends them to their replicas. */
#include "sim/arrivals.h"
#include <inttypes.h>
#include "sim/encoders.h"
#include "sim/fleet/fleet.h"
#include "sim/rejections.h"
#include "sim/routing.h"

/* The request is in the queue of the process in front from then on. */
static int join(struct simulation *m, uint32_t sequence, int64_t joins_ns)
{
	struct sequence *q = &m->pool.item[sequence];
	struct replica *to = &m->replica[q->replica];
	q->first_seen_ns =
	    api_server_take(&to->group->api_server, m->e, &q->request,
			    joins_ns) +
	    engine_request_before_ns(m->e, q->request.input_tokens);
	return replica_deliver(to, sequence, q->first_seen_ns);
}

/* A process that also hands out tokens takes requests and tokens in the order
 * of time: the request waits until it is its time. */
static int await_api_server(struct simulation *m, uint32_t sequence,
			    int64_t joins_ns)
{
	m->pool.item[sequence].seen_ns = joins_ns;
	return queue_push(&m->joining, &m->pool, sequence)
		   ? problem_no_memory(m->p)
		   : 0;
}

int64_t arrivals_joins_ns(const struct simulation *m)
{
	return m->joining.n ? m->pool.item[queue_first(&m->joining)].seen_ns
			    : REPLICA_NEVER;
}

int arrivals_join(struct simulation *m)
{
	uint32_t sequence = queue_first(&m->joining);
	queue_pop(&m->joining, &m->pool);
	return join(m, sequence, m->pool.item[sequence].seen_ns);
}

int simulation_send(struct simulation *m, uint32_t sequence, int64_t now,
		    int64_t joins_ns)
{
	if (!routing_send(m, &m->pool.item[sequence], 0, now))
		return -1;
	return api_server_is_shared(m->e)
		   ? await_api_server(m, sequence, joins_ns)
		   : join(m, sequence, joins_ns);
}

static int reject(struct simulation *m, const struct request *r,
		  enum rejection why)
{
	int rc = outcome_rejected(&m->counter, r, why);
	workload_finished(m->w, r->row, r->arrival_ns);
	return rc;
}

/* The request may leave before its last token.  Returns 0, or -1 with *p filled
 * in. */
static int expect_leaving(struct simulation *m, uint32_t sequence,
			  const struct request *r)
{
	const struct notice cancel = {.ns = r->cancel_ns,
				      .kind = NOTICE_CANCEL,
				      .sequence = sequence,
				      .row = r->row};
	if ((r->cancel_ns && notices_add(&m->notices, &cancel)) ||
	    (r->stop_tokens && simulation_list_tokens(m) < 0))
		return problem_no_memory(m->p);
	return 0;
}

int arrivals_take(struct simulation *m)
{
	struct request r;
	m->arrival_stale = 1;
	if (workload_pop(m->w, &r, m->p))
		return -1;
	if (r.arrival_ns < 0 || r.arrival_ns > REPLICA_LAST_INSTANT)
		return problem_set(m->p, EXIT_INPUT,
				   "request %" PRIu64
				   " arrives outside the clock, at %" PRId64
				   " ns",
				   r.row, r.arrival_ns);
	if (r.adapter && m->e->lora.max_loras == 0)
		return problem_set(m->p, EXIT_USAGE,
				   "request %" PRIu64
				   " has an adapter; set enable_lora = true",
				   r.row);
	if (r.n_items &&
	    encoders_check(m->replica[0].scheduler->encoders, &r, m->p))
		return -1;
	if (r.pinned > m->e->replicas)
		return problem_set(m->p, EXIT_INPUT,
				   "request %" PRIu64
				   " is for replica %u, but there are %u",
				   r.row, r.pinned - 1, m->e->replicas);
	outcome_arrived(&m->counter, &r);
	enum rejection why = rejection_of(m->e, &r, handover_is_due(m->e, &r));
	if (why != N_REJECTIONS)
		return reject(m, &r, why);
	uint32_t sequence = pool_take(&m->pool);
	if (sequence == NO_SEQUENCE)
		return problem_no_memory(m->p);
	struct sequence *q = &m->pool.item[sequence];
	q->order = m->counter.arrived - 1;
	q->moves_on = (uint16_t)handover_is_due(m->e, &r);
	q->quota = q->moves_on ? 1 : r.output_tokens;
	q->early = q->moves_on ? 0 : request_planned(&r) - r.output_tokens;
	if (expect_leaving(m, sequence, &r) < 0)
		return -1;
	if (sequence_begin(q, &r, m->o && m->o->on_request,
			   m->e->prefix_caching || m->e->offload.chunks ||
			       engine_of_pool(m->e, 1)->prefix_caching ||
			       router_reads_prompts(&m->router)))
		return problem_no_memory(m->p);
	int64_t joins_ns =
	    r.arrival_ns + m->e->api_overhead_ns + engine_fixed_before_ns(m->e);
	return m->fleet ? fleet_send(m, sequence, r.arrival_ns)
			: simulation_send(m, sequence, r.arrival_ns, joins_ns);
}
