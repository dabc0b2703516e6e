/* recommend/shapes.h -- the ways to use up to N GPUs: how a replica is split,
 * how many there are, and whether prefill and decode are apart.  Plain
 * arithmetic on domains (domain.h).  [any thread] */
#pragma once
#include <stdint.h>
#include "recommend/domain.h"

/* Values of the keys that use GPUs; 0: the shape leaves the key out. */
struct shape {
	uint32_t tp, pp, dp, replicas; /* of replicas that do both            */
	int ep; /* -1: left out                         */
	uint32_t role_tp[2], role_replicas[2]; /* prefill, decode             */
};
struct shapes {
	struct shape *item;
	size_t n, cap;
	const struct config *base; /* for keys that are not tried            */
	const struct domains *domain;
	uint32_t gpus; /* at most                                            */
	size_t most;   /* shapes; 0: no limit                                */
	struct problem *p;
};

/* Lists them in s->item, first those with replicas that do both.  *s has base,
 * domain, gpus and p.  Returns 0, or -1 with *s->p: a value that is no whole
 * number, too many values or shapes, or memory is out.  The caller frees
 * s->item in either case. */
int shapes_list(struct shapes *s, int aggregated, int roles);
/* Returns 1 with the value of that domain's key as a text in buf; 0: the shape
 * or the domain leaves it out. */
int shape_value(const struct shape *x, int which, char buf[16]);
