/* subject.c -- Asks a plugin under check, and notes the place of its code. */
#include "plugin/subject.h"
#include <stdlib.h>
#include <string.h>

void subject_note_step(struct subject *s, const sc_step *step)
{
	owned_step_from(s->at, step);
	struct job_status *status = s->watch->status;
	status->step = owned_step_step(s->at);
	status->step.step_index = step->step_index;
	status->step.n_sampled = step->n_sampled;
	status->has_step = 1;
}

int subject_ask(struct subject *s, struct cost *c, const sc_step *step,
		sc_result *out, struct problem *p)
{
	subject_note_step(s, step);
	watch_enter(s->watch, JOB_IN_EVAL, s->plugin->p.name);
	const sc_result *r = cost_eval(c, step, p);
	watch_leave(s->watch);
	if (r) {
		*out = *r;
		return ANSWER_PRICED;
	}
	p->code = EXIT_SAYS_NO;
	return c->code == SC_EUNSUP || c->code == SC_ENODATA ? ANSWER_REFUSED
							     : -1;
}

int subject_create(struct subject *s, struct cost *c, struct problem *p)
{
	watch_enter(s->watch, JOB_IN_CREATE, s->plugin->p.name);
	int rc = cost_create(c, &s->plugin->p, s->setup, s->knobs, p);
	/* Bits are compared in all fields, so plugins fill in all of them. */
	c->checks_figures = 1;
	return watch_leave(s->watch) < 0 ? -1 : rc;
}

void subject_destroy(struct subject *s, struct cost *c)
{
	watch_enter(s->watch, JOB_IN_DESTROY, s->plugin->p.name);
	cost_destroy(c);
	watch_leave(s->watch);
}

sc_result *subject_ask_all(struct subject *s, struct cost *c, struct problem *p)
{
	sc_result *r = calloc(s->steps->n + 1, sizeof *r);
	int rc = r ? ANSWER_PRICED : problem_no_memory(p);
	for (size_t i = 0; rc >= 0 && i < s->steps->n; i++) {
		rc = subject_ask(s, c, &s->steps->item[i].step, &r[i], p);
		if (rc == ANSWER_REFUSED)
			r[i] = cost_blank;
	}
	if (rc < 0) {
		free(r);
		return NULL;
	}
	return r;
}

int answers_compare(const sc_result *a, const sc_result *b, struct problem *p)
{
	if (!memcmp(a, b, sizeof *a))
		return 0;
	if (a->total_us != b->total_us)
		return problem_set(p, EXIT_SAYS_NO,
				   "total_us is %.17g, then %.17g", a->total_us,
				   b->total_us);
	return problem_set(p, EXIT_SAYS_NO,
			   "total_us is the same, the breakdown is not");
}

int subject_ask_again(struct subject *s, struct cost *c, size_t i,
		      const sc_result *before, struct problem *p)
{
	sc_result now = cost_blank;
	int rc = subject_ask(s, c, &s->steps->item[i].step, &now, p);
	return rc < 0
		   ? -1
		   : answers_compare(
			 before, rc == ANSWER_REFUSED ? &cost_blank : &now, p);
}

void subject_note_row(FILE *f, const sc_step *step)
{
	steps_write_row(f, step);
	fputc('\n', f);
}
