/* members.c -- Keeps the states of replicas, and their times. */
#include "sim/fleet/members.h"
#include <math.h>
#include <stdlib.h>
#include "base/grow.h"
#include "sim/front/api_server.h"

/* ---- construction ---- */

/* Draws when a replica dies that is ready now. */
static int64_t draw_death(struct members *m, uint32_t i, int64_t now_ns)
{
	if (!(m->is->mtbf_ns > 0))
		return MEMBER_NEVER;
	double wait_ns = rng_exponential(&m->of[i].rng) * m->is->mtbf_ns;
	return wait_ns < (double)(REPLICA_LAST_INSTANT - now_ns)
		   ? now_ns + llround(wait_ns)
		   : MEMBER_NEVER;
}

int members_init(struct members *m, const struct engine *e)
{
	*m = (struct members){.is = &e->fleet,
			      .n = e->replicas,
			      .of = calloc(e->replicas, sizeof *m->of)};
	for (uint32_t i = 0; m->of && i < m->n; i++) {
		m->of[i] = (struct fleet_member){
		    .next_ns = MEMBER_NEVER,
		    .dies_ns = MEMBER_NEVER,
		    .rng = rng_stream(e->seed, RNG_FAILURES, i)};
		if (i < e->fleet.start) {
			m->of[i].requested_ns = 0;
			members_ready(m, i, 0);
		}
	}
	return m->of ? 0 : -1;
}

void members_free(struct members *m)
{
	free(m->of);
	free(m->visit);
}

/* ---- all of them ---- */

static int is_asked_for(const struct members *m, const struct fleet_member *x)
{
	return x->state == MEMBER_STARTING || x->state == MEMBER_READY ||
	       (x->state == MEMBER_DEAD && m->is->restart);
}

uint64_t members_asked(const struct members *m)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < m->n; i++)
		n += (uint64_t)is_asked_for(m, &m->of[i]);
	return n;
}

int members_hope(const struct members *m)
{
	return m->is->metric != FLEET_METRIC_NONE || members_asked(m);
}

static int64_t next_of(const struct fleet_member *x)
{
	return x->dies_ns < x->next_ns ? x->dies_ns : x->next_ns;
}

int64_t members_next_ns(const struct members *m)
{
	int64_t next_ns = m->next_death < m->is->n_deaths
			      ? m->is->death[m->next_death].at_ns
			      : MEMBER_NEVER;
	for (uint32_t i = 0; i < m->n; i++)
		if (next_of(&m->of[i]) < next_ns)
			next_ns = next_of(&m->of[i]);
	return next_ns;
}

static enum member_event own_event(const struct fleet_member *x)
{
	switch (x->state) {
	case MEMBER_STARTING:
		return MEMBER_IS_READY;
	case MEMBER_DRAINING:
		return MEMBER_IS_GONE;
	case MEMBER_DEAD:
		return MEMBER_IS_KNOWN;
	default:
		return MEMBER_NOTHING;
	}
}

/* A death that was given finds only a replica that works. */
static enum member_event given_death(struct members *m, int64_t now_ns,
				     uint32_t *i)
{
	while (m->next_death < m->is->n_deaths &&
	       m->is->death[m->next_death].at_ns <= now_ns) {
		*i = (uint32_t)m->is->death[m->next_death++].replica;
		if (m->of[*i].state == MEMBER_READY ||
		    m->of[*i].state == MEMBER_DRAINING)
			return MEMBER_DIES;
	}
	return MEMBER_NOTHING;
}

enum member_event members_next_event(struct members *m, int64_t now_ns,
				     uint32_t *i)
{
	for (*i = 0; *i < m->n; ++*i) {
		struct fleet_member *x = &m->of[*i];
		if (x->next_ns <= now_ns) {
			x->next_ns = MEMBER_NEVER;
			return own_event(x);
		}
		if (x->dies_ns <= now_ns)
			return MEMBER_DIES;
	}
	return given_death(m, now_ns, i);
}

uint32_t members_absent(const struct members *m)
{
	uint32_t i = 0;
	while (i < m->n && m->of[i].state != MEMBER_ABSENT)
		i++;
	return i;
}

uint32_t members_to_stop(const struct members *m)
{
	uint32_t best = m->n;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct fleet_member *x = &m->of[i];
		if ((x->state == MEMBER_READY || x->state == MEMBER_STARTING) &&
		    (best == m->n || x->load <= m->of[best].load))
			best = i;
	}
	return best;
}

/* ---- one of them ---- */

void members_load(struct members *m, uint32_t i, uint64_t load, int64_t now_ns)
{
	struct fleet_member *x = &m->of[i];
	if (x->state == MEMBER_DEAD)
		return;
	x->load = load;
	if (load && x->idle_since_ns >= 0) {
		m->idle_ns += now_ns - x->idle_since_ns;
		x->idle_since_ns = -1;
	} else if (!load && x->idle_since_ns < 0 && x->state != MEMBER_ABSENT) {
		x->idle_since_ns = now_ns;
	}
	if (!load && x->state == MEMBER_DRAINING)
		x->next_ns = now_ns;
}

void members_start(struct members *m, uint32_t i, int64_t now_ns)
{
	struct fleet_member *x = &m->of[i];
	x->state = MEMBER_STARTING;
	x->requested_ns = x->idle_since_ns = now_ns;
	x->ready_ns = x->drain_ns = -1;
	x->next_ns = now_ns + m->is->cold_start_ns;
	m->starts++;
}

void members_ready(struct members *m, uint32_t i, int64_t now_ns)
{
	struct fleet_member *x = &m->of[i];
	x->state = MEMBER_READY;
	x->ready_ns = now_ns;
	x->drain_ns = -1;
	x->dies_ns = draw_death(m, i, now_ns);
}

void members_drain(struct members *m, uint32_t i, int64_t now_ns)
{
	struct fleet_member *x = &m->of[i];
	x->state = MEMBER_DRAINING;
	x->drain_ns = now_ns;
	x->next_ns = x->load ? now_ns + m->is->drain_ns : now_ns;
}

/* Ends the GPU time of a member, and forgets its state. */
static void end(struct members *m, uint32_t i, int64_t now_ns)
{
	struct fleet_member *x = &m->of[i];
	m->gpu_ns += now_ns - x->requested_ns;
	if (MAKE_ROOM(m->visit, m->n_visits, m->cap_visits))
		m->visit[m->n_visits++] =
		    (struct member_visit){x->requested_ns, now_ns};
	else
		m->out_of_memory = 1;
	if (x->idle_since_ns >= 0)
		m->idle_ns += now_ns - x->idle_since_ns;
	x->next_ns = x->dies_ns = MEMBER_NEVER;
	x->load = 0;
}

void members_die(struct members *m, uint32_t i, int64_t now_ns)
{
	int was_draining = m->of[i].state == MEMBER_DRAINING;
	end(m, i, now_ns);
	m->deaths++;
	m->of[i].idle_since_ns = now_ns;
	m->of[i].state = was_draining ? MEMBER_ABSENT : MEMBER_DEAD;
	if (!was_draining)
		m->of[i].next_ns = now_ns + m->is->detect_ns;
}

void members_gone(struct members *m, uint32_t i, int64_t now_ns)
{
	if (m->of[i].state != MEMBER_DEAD)
		end(m, i, now_ns);
	m->of[i].state = MEMBER_ABSENT;
}

int64_t members_gpu_ns(const struct members *m, int64_t from_ns, int64_t to_ns)
{
	int64_t sum = 0;
	for (size_t i = 0; i < m->n_visits; i++) {
		struct member_visit x = m->visit[i];
		x.from_ns = x.from_ns > from_ns ? x.from_ns : from_ns;
		x.to_ns = x.to_ns < to_ns ? x.to_ns : to_ns;
		if (x.to_ns > x.from_ns)
			sum += x.to_ns - x.from_ns;
	}
	return sum;
}
