/* hand_out.c -- Tells when clients have their tokens. */
#include "sim/hand_out.h"

/* A token after the first one also reaches the client after it, even if its
 * step hands out fewer tokens. */
int64_t hand_out_in_order(const struct sequence *q, int64_t now,
			  int64_t response_ns)
{
	int64_t first_ns = q->first_token_ns + q->first_response_ns - now;
	return q->first_token_ns >= 0 && response_ns < first_ns ? first_ns
								: response_ns;
}

/* A text may end the request at this token. */
static int look_for_stop(struct simulation *m, uint32_t sequence,
			 const struct batch *b, int64_t client_ns)
{
	struct sequence *q = &m->pool.item[sequence];
	if (!q->request.stop_tokens || q->stop_client_ns ||
	    q->made < q->request.stop_tokens)
		return 0;
	q->stop_ns = b->results_ns;
	q->stop_client_ns = client_ns;
	m->arrival_stale = 1;
	return notices_add(&m->notices,
			   &(struct notice){.ns = client_ns,
					    .kind = NOTICE_STOP,
					    .sequence = sequence,
					    .row = q->request.row});
}

/* Returns 1 if the tokens reach a client: the request is there, has not given
 * them up, and is not on its way to the pool that makes all its tokens. */
static int reaches_client(const struct simulation *m, const struct replica *r,
			  const struct batch *b, uint32_t k)
{
	const struct handed *h = &b->handed[k];
	const struct sequence *q = &m->pool.item[h->sequence];
	int is_lost = r->scheduler->policy->may_lose &&
		      b->member[k].sequence == NO_SEQUENCE;
	return h->tokens && !is_lost && q->in_use && !q->is_over &&
	       q->request.row == h->row &&
	       !(q->moves_on && engine_first_token_pool(m->e) == 1);
}

/* Tells who gets the tokens of the batch, and when. */
int hand_out_tokens(struct simulation *m, const struct replica *r,
		    const struct batch *b)
{
	for (uint32_t k = 0; !b->is_empty && k < b->n_handed; k++) {
		const struct handed *h = &b->handed[k];
		if (!reaches_client(m, r, b, k))
			continue;
		struct sequence *q = &m->pool.item[h->sequence];
		int64_t client_ns =
		    b->results_ns +
		    hand_out_in_order(q, b->results_ns, b->response_ns);
		q->made += h->tokens;
		if (m->o && m->o->on_tokens)
			m->o->on_tokens(m->o->ctx, h->row, h->tokens,
					client_ns);
		if (look_for_stop(m, h->sequence, b, client_ns))
			return problem_no_memory(m->p);
	}
	return 0;
}
