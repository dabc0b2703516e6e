/* busy.c -- Collects when steps with prompts ran. */
#include "record/busy.h"
#include <stdlib.h>
#include "engine/engine.h"
#include "record/clocks.h"

struct busy_stretch {
	int64_t from_ns, to_ns;
	int64_t before_ns; /* length of all stretches before it */
};

static int add_stretch(struct busy_clock *c, int64_t from_ns, int64_t to_ns)
{
	struct busy_stretch *last = c->n ? &c->stretch[c->n - 1] : NULL;
	if (last && last->to_ns == from_ns) {
		last->to_ns = to_ns;
		return 0;
	}
	if (c->n == c->room) {
		size_t room = c->room ? 2 * c->room : 64;
		void *more = realloc(c->stretch, room * sizeof *c->stretch);
		if (!more)
			return -1;
		c->stretch = more;
		c->room = room;
		last = c->n ? &c->stretch[c->n - 1] : NULL;
	}
	c->stretch[c->n++] = (struct busy_stretch){
	    from_ns, to_ns,
	    last ? last->before_ns + last->to_ns - last->from_ns : 0};
	return 0;
}

static int add_step(struct busy_clock *c, const struct logged_step *s,
		    int has_prompts)
{
	int64_t from_ns = s->start_ns > c->end_ns ? s->start_ns : c->end_ns;
	if (from_ns >= s->end_ns)
		return 0;
	c->end_ns = s->end_ns;
	return has_prompts ? add_stretch(c, from_ns, s->end_ns) : 0;
}

int busy_read(struct busy *b, const struct engine *e, const struct steplog *l,
	      struct problem *p)
{
	struct logged_step s;
	*b = (struct busy){.n = e->replicas};
	b->clock = calloc(b->n, sizeof *b->clock);
	if (!b->clock)
		return problem_no_memory(p);
	for (size_t at = 0; at < l->bytes;) {
		size_t end = clock_step_end(e, l, at);
		int has_prompts = 0;
		while (at < end && steplog_next_step(l, &at, &s))
			has_prompts |= s.step.n_prefill > 0;
		uint32_t clock = clock_of_replica(e, s.step.replica);
		if (add_step(&b->clock[clock], &s, has_prompts) < 0)
			return problem_no_memory(p);
	}
	return 0;
}

/* Returns how long steps with prompts ran before that time. */
static int64_t before(const struct busy_clock *c, int64_t at_ns)
{
	size_t low = 0, high = c->n; /* stretches below `low` begin before it */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (c->stretch[middle].from_ns < at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return 0;
	const struct busy_stretch *s = &c->stretch[low - 1];
	int64_t to_ns = at_ns < s->to_ns ? at_ns : s->to_ns;
	return s->before_ns + to_ns - s->from_ns;
}

int64_t busy_with_prompts(const struct busy *b, uint32_t clock, int64_t from_ns,
			  int64_t to_ns)
{
	const struct busy_clock *c = &b->clock[clock];
	return to_ns > from_ns ? before(c, to_ns) - before(c, from_ns) : 0;
}

void busy_free(struct busy *b)
{
	for (uint32_t i = 0; b->clock && i < b->n; i++)
		free(b->clock[i].stretch);
	free(b->clock);
	*b = (struct busy){0};
}
