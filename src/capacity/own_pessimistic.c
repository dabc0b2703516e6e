/* own_pessimistic.c -- Prices steps as slow as a model takes them to be. */
#include "capacity/own_pessimistic.h"
#include <math.h>
#include <stdio.h>
#include "math/own_coverage.h"
#include "record/uncertainty.h"

double own_pessimistic_factor(const sc_result *r, uint32_t n_sigma, double z)
{
	sc_result common = *r;
	common.noise_us = 0;
	double c = sqrt(uncertainty_step_variance(&common, n_sigma));
	return c > 0 && r->total_us > 0 ? exp(z * c / r->total_us) : 1;
}

static int32_t pessimistic_eval(void *instance, const sc_step *step,
				sc_result *out, sc_error *err)
{
	struct own_pessimistic_pool *at = instance;
	struct problem why = {0};
	const sc_result *r = cost_eval(at->from, step, &why);
	if (!r) {
		snprintf(err->text, sizeof err->text, "%.240s", why.text);
		return at->from->code ? at->from->code : SC_EINVAL;
	}
	double x = own_pessimistic_factor(r, at->from->p->n_sigma, at->f->z);
	at->f->is_known |= x > 1;
	*out = *r;
	out->total_us *= x;
	out->exact_us *= x;
	out->ready_us *= x;
	out->host_us *= x;
	return SC_OK;
}

/* Returns 1 if the model tells how sure its times are, or may: it has sources
 * of errors, gives a decode quantiles, or cannot price that decode. */
static int may_tell(struct cost *c)
{
	const uint32_t context = 1;
	const sc_step decode = {.size = sizeof decode,
				.n_decode = 1,
				.n_sampled = 1,
				.decode_ctx = &context,
				.decode_ctx_sum = context};
	struct problem refused;
	const sc_result *r =
	    c->p->n_sigma ? NULL : cost_eval(c, &decode, &refused);
	return !r || uncertainty_is_known(r, 0);
}

int own_pessimistic_begin(struct own_pessimistic *f, struct cost *const cost[2],
			  struct problem *p)
{
	*f = (struct own_pessimistic){
	    .z = normal_quantile(UNCERTAINTY_COVERAGE)};
	if (!may_tell(cost[0]) && !may_tell(cost[1]))
		return 0;
	for (int i = 0; i < 2; i++) {
		if (cost_ask_figures(cost[i], p) < 0)
			return -1;
		f->pool[i] = (struct own_pessimistic_pool){f, cost[i]};
		f->plugin[i] = *cost[i]->p;
		f->plugin[i].eval = pessimistic_eval;
		f->plugin[i].eval_batch = NULL;
		f->plugin[i].n_parts = f->plugin[i].n_sigma = 0;
		f->cost[i] = *cost[i];
		f->cost[i].p = &f->plugin[i];
		f->cost[i].inst = &f->pool[i];
		f->cost[i].answers_end = NULL;
		f->cost[i].part_us = f->cost[i].sigma_us = NULL;
		f->cost[i].is_asked_more = f->cost[i].checks_figures = 0;
		f->of[i] = &f->cost[i];
	}
	return 1;
}
