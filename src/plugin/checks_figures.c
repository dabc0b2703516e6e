/* checks_figures.c -- Notes the coverage of a plugin's lookups and its
 * speed. */
#include <config.h>
#include "plugin/checks_figures.h"
#include <inttypes.h>
#include <math.h>
#include "base/clock.h"
#include "cost/breakdown.h"

/* ---- figures ---- */

int check_coverage(struct subject *s, struct problem *p)
{
	size_t n[SC_N_PROVENANCE] = {0}, first[SC_N_PROVENANCE] = {0};
	size_t none = 0;
	for (size_t i = 0; i < s->steps->n; i++) {
		sc_result r;
		int worst = -1;
		int rc = subject_ask(s, &s->a, &s->steps->item[i].step, &r, p);
		if (rc < 0)
			return -1;
		for (int k = 0; rc == ANSWER_PRICED && k < SC_N_PROVENANCE; k++)
			if (r.lookups[k])
				worst = k;
		none += worst < 0;
		if (worst >= 0 && n[worst]++ == 0)
			first[worst] = i;
	}
	if (none == s->steps->n) {
		fputs("looks nothing up in tables\n", s->notes);
		return 0;
	}
	for (int k = 0; k < SC_N_PROVENANCE; k++)
		if (n[k]) {
			fprintf(s->notes, "%zu of %zu steps %s at worst", n[k],
				s->steps->n, provenance_name[k]);
			if (k >= SC_CLAMPED)
				fputs(", the first: ", s->notes);
			if (k >= SC_CLAMPED)
				subject_note_row(
				    s->notes, &s->steps->item[first[k]].step);
			else
				fputc('\n', s->notes);
		}
	return 0;
}

static double now_ns(void)
{
	return (double)clock_now_ns();
}

/* Measures the best of several rounds; contexts differ from step to step. */
static int time_batch(struct subject *s, uint32_t batch, double *ns,
		      struct problem *p)
{
	static struct owned_step batched;
	double best = INFINITY, until = now_ns() + 2e7;
	batched.n_decode = batch;
	for (uint32_t i = 0; i < batch; i++)
		batched.decode_ctx[i] = 100 + 37 * i;
	sc_step step = owned_step_step(&batched);
	subject_note_step(s, &step);
	for (uint32_t round = 0; round < 3 || now_ns() < until; round++) {
		double from = now_ns();
		for (uint32_t i = 0; i < 20; i++) {
			batched.decode_ctx[i % batch]++;
			step.step_index++;
			watch_enter(s->watch, JOB_IN_EVAL, s->plugin->p.name);
			const sc_result *r = cost_eval(&s->a, &step, p);
			watch_leave(s->watch);
			if (!r)
				return -1;
		}
		double each = (now_ns() - from) / 20;
		best = each < best ? each : best;
	}
	*ns = best;
	return 0;
}

int check_speed(struct subject *s, struct problem *p)
{
	for (uint32_t batch = 1; batch <= 1024; batch *= 4) {
		double ns;
		if (time_batch(s, batch, &ns, p) == 0)
			fprintf(s->notes,
				"%.0f ns a step of %" PRIu32 " decodes\n", ns,
				batch);
	}
	return 0;
}
