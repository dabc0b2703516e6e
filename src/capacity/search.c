/* search.c -- Leads a capacity search through its stages. */
#include <config.h>
#include "capacity/search.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "capacity/stages.h"

static int open_search(struct searching *g, const struct capacity_task *t,
		       struct capacity_search *s, struct problem *p)
{
	*g = (struct searching){.task = t, .s = s, .p = p};
	return rated_open(&g->rated, t->workload, t->cfg, t->traces, p);
}

static void close_search(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	c->requests_per_replication = g->s->requests;
	c->confidence = g->task->confidence;
	if (c->verdict == CAPACITY_FOUND)
		c->scale =
		    g->rated.is_closed ? NAN : c->request_rate / g->rated.base;
	rated_free(&g->rated);
}

int capacity_pilot(const struct capacity_task *t, struct capacity_search *s,
		   struct problem *p)
{
	struct searching g;
	memset(s, 0, sizeof *s);
	s->answer.limited_by = LIMITED_BY_SATURATION;
	int rc = open_search(&g, t, s, p);
	if (rc == 0)
		rc = g.rated.is_timed    ? stretches(&g)
		     : g.rated.is_closed ? closed_loop(&g)
					 : pilot(&g);
	if (rc == 0)
		close_search(&g);
	return rc;
}

int capacity_refine(const struct capacity_task *t, struct capacity_search *s,
		    double half_width, struct problem *p)
{
	struct searching g;
	if (s->is_over)
		return 0;
	int rc = open_search(&g, t, s, p);
	if (rc == 0)
		rc = refine(&g, fmax(half_width, t->precision));
	if (rc == 0)
		close_search(&g);
	return rc;
}

int capacity_find(const struct capacity_task *t, struct capacity *out,
		  struct problem *p)
{
	struct capacity_search *s = calloc(1, sizeof *s);
	if (!s)
		return problem_no_memory(p);
	int rc = capacity_pilot(t, s, p);
	if (rc == 0)
		rc = capacity_refine(t, s, t->precision, p);
	*out = s->answer;
	free(s);
	return rc;
}
