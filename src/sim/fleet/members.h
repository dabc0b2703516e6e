/* sim/fleet/members.h -- which replicas there are: each is absent, starts, is
 * ready, ends its last requests, or is dead without anyone knowing; when that
 * changes next; and the GPU time that they take.
 *
 * A member is a place for a replica, and may hold several of them one after
 * another.  Deaths are drawn from a stream for each member, or given.  Times
 * are integer ns.  [one thread] */
#pragma once
#include <stdint.h>
#include "engine/engine.h"
#include "math/rng.h"

enum member_state {
	MEMBER_ABSENT,
	MEMBER_STARTING,
	MEMBER_READY,
	MEMBER_DRAINING, /* gets no more requests */
	MEMBER_DEAD,     /* and it is not known yet */
};
#define MEMBER_NEVER INT64_MAX

struct fleet_member {
	enum member_state state;
	/* -1: not yet */
	int64_t requested_ns, ready_ns, drain_ns;
	int64_t
	    next_ns; /* when it is ready, must be gone, is known to be dead */
	int64_t dies_ns;
	struct rng rng;        /* of its deaths */
	uint64_t load;         /* requests that it has */
	int64_t idle_since_ns; /* -1: it has requests */
};

/* The GPU time of one replica. */
struct member_visit {
	int64_t from_ns, to_ns;
};

struct members {
	const struct fleet_rules *is;
	struct fleet_member *of; /* [n] */
	uint32_t n;
	uint64_t next_death;        /* of is->death[] */
	int64_t gpu_ns, idle_ns;    /* of replicas, not of GPUs */
	struct member_visit *visit; /* [n_visits]: of those that are gone */
	size_t n_visits, cap_visits;
	int out_of_memory;
	uint64_t deaths, starts;
};
/* The first of them are ready at 0.  Returns 0, or -1 if memory is out; the
 * caller calls members_free() in either case. */
int members_init(struct members *m, const struct engine *e);
void members_free(struct members *m);
/* How many are asked for: starting, ready, or dead and to be started again. */
uint64_t members_asked(const struct members *m);
/* 1: some member is or will be ready without a decision. */
int members_hope(const struct members *m);
/* Returns when something happens to a member next. */
int64_t members_next_ns(const struct members *m);
/* What happens to a member at that time: */
enum member_event {
	MEMBER_NOTHING,
	MEMBER_IS_READY,
	MEMBER_IS_GONE, /* its time to drain is over, or it has no requests */
	MEMBER_DIES,
	MEMBER_IS_KNOWN, /* to be dead */
};
/* Returns the next event at now_ns; *i: the member.  The caller carries it out
 * with the functions below. */
enum member_event members_next_event(struct members *m, int64_t now_ns,
				     uint32_t *i);
/* Returns a member that is absent, or m->n if there is none. */
uint32_t members_absent(const struct members *m);
/* Returns the member to stop, the one with the fewest requests (of equals the
 * last), or m->n if there is none. */
uint32_t members_to_stop(const struct members *m);
void members_start(struct members *m, uint32_t i, int64_t now_ns);
void members_ready(struct members *m, uint32_t i, int64_t now_ns);
/* Begins to drain a ready one. */
void members_drain(struct members *m, uint32_t i, int64_t now_ns);
void members_die(struct members *m, uint32_t i, int64_t now_ns);
/* The replica is gone: its GPU time ends. */
void members_gone(struct members *m, uint32_t i, int64_t now_ns);
/* Returns the GPU time between two times of all that are gone. */
int64_t members_gpu_ns(const struct members *m, int64_t from_ns, int64_t to_ns);
/* The member has that many requests from now on. */
void members_load(struct members *m, uint32_t i, uint64_t load, int64_t now_ns);
/* 1: the router may choose it: it is ready, or dead without being known. */
static inline int member_is_choice(const struct fleet_member *x)
{
	return x->state == MEMBER_READY || x->state == MEMBER_DEAD;
}
