/* fit_job.c -- Fits knobs in a job: the arm is open on every deployment, and an
 * instance is created for each point. */
#include "steps/fit_job.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cost/breakdown.h"

struct run {
	const struct fit *f;
	struct job *job;
	struct arm_at_work *at; /* [n_deployments] prepared */
	int *prepared;          /* [n_deployments] */
	double *us;             /* [set->n] of the last point */
	size_t *row;            /* [m] rows that are fitted to */
	double *weight;         /* [m] */
	int *held;              /* [n] */
	size_t m, fold;
	struct arrays arrays;
};

/* ---- prices ---- */

static int set_knobs(const struct run *r, struct config *c, const double *x,
		     struct problem *p)
{
	char text[300];
	for (size_t k = 0; x && k < r->f->n; k++) {
		snprintf(text, sizeof text, "%s.%s=%.17g", c->arm[0].section,
			 r->f->knob[k].name, x[k]);
		if (ini_override(&c->cfg, text, p) < 0)
			return -1;
	}
	return 0;
}

static void price_deployment(struct run *r, size_t d, int fold_only)
{
	const struct step_deployment *at = &r->f->set->deployment[d];
	struct problem why;
	sc_step step;
	for (size_t i = 0; i < at->n; i++) {
		size_t row = at->row[i];
		if (fold_only && r->f->fold_of[row] == r->fold)
			continue;
		const sc_result *is = step_price(
		    &r->at[d].arm, r->f->set->row[row].given, &step, &why);
		double us = is ? breakdown_exact_us(is) : (double)NAN;
		r->us[row] = us > 0 ? us : (double)NAN;
	}
}

/* Prices all rows, or those outside of the fold, at the knobs x; NULL: as
 * configured.  A deployment on which the plugin refuses the knobs has no
 * times. */
static int price(struct run *r, const double *x, int fold_only,
		 struct problem *p)
{
	for (size_t i = 0; i < r->f->set->n; i++)
		r->us[i] = (double)NAN;
	for (size_t d = 0; d < r->f->set->n_deployments; d++) {
		struct problem why;
		if (!r->prepared[d])
			continue;
		if (set_knobs(r, &r->f->arms->config[d], x, p) < 0)
			return -1;
		if (arm_work_create(&r->at[d], r->job->watch, &why) == 0)
			price_deployment(r, d, fold_only);
		arm_work_destroy(&r->at[d]);
		if (watch_look(r->job->watch) < 0) {
			*p = r->job->watch->violation;
			return -1;
		}
	}
	return 0;
}

static int residuals(void *ctx, const double *x, double *residual,
		     struct problem *p)
{
	struct run *r = ctx;
	if (price(r, x, 1, p) < 0)
		return -1;
	for (size_t i = 0; i < r->m; i++) {
		double ratio = r->us[r->row[i]] / r->f->measured[r->row[i]];
		residual[i] =
		    r->f->options.residual == FIT_LOG ? log(ratio) : ratio - 1;
	}
	return 0;
}

/* ---- rows and weights ---- */

static double weight_of(const struct run *r, size_t row)
{
	const struct given_step *g = r->f->set->row[row].given;
	double spread =
	    (steps_number(g, STEP_HIGH) - steps_number(g, STEP_LOW)) /
	    (2.563 * r->f->measured[row]);
	if (r->f->options.weight != FIT_BY_SPREAD)
		return 1;
	return 1 / ((isnan(spread) ? 0 : spread * spread) + 0.02 * 0.02);
}

/* Takes the rows that the arm prices at the start. */
static int choose_rows(struct run *r, struct problem *p)
{
	const struct step_set *set = r->f->set;
	double x[FIT_KNOBS];
	double *sum = calloc(set->n_deployments + 1, sizeof *sum);
	for (size_t k = 0; k < r->f->n; k++)
		x[k] = r->f->knob[k].start;
	if (!sum || price(r, x, 1, p) < 0) {
		free(sum);
		return sum ? -1 : problem_no_memory(p);
	}
	for (size_t i = 0; i < set->n; i++) {
		if (r->f->fold_of[i] == r->fold || isnan(r->us[i]) ||
		    isnan(r->f->measured[i]))
			continue;
		r->row[r->m] = i;
		r->weight[r->m] = weight_of(r, i);
		sum[set->row[i].deployment] += r->weight[r->m++];
	}
	for (size_t i = 0; r->f->options.weight != FIT_BY_STEP && i < r->m; i++)
		r->weight[i] /= sum[set->row[r->row[i]].deployment];
	free(sum);
	return r->m ? 0
		    : problem_set(p, EXIT_INPUT,
				  "the arm prices none of these steps at the "
				  "start of its knobs%s",
				  r->fold < r->f->n_folds
				      ? ", but those that cross-validation "
					"leaves out: measure more sizes"
				      : "");
}

/* ---- the fit ---- */

/* Returns the problem for the solver, with all knobs at their starts. */
static struct fit_solve question(struct run *r, double low[FIT_KNOBS],
				 double high[FIT_KNOBS],
				 double start[FIT_KNOBS])
{
	for (size_t k = 0; k < r->f->n; k++) {
		low[k] = r->f->knob[k].low;
		high[k] = r->f->knob[k].high;
		start[k] = r->f->knob[k].start;
	}
	return (struct fit_solve){.n = r->f->n,
				  .m = r->m,
				  .low = low,
				  .high = high,
				  .start = start,
				  .held = r->held,
				  .weight = r->weight,
				  .soft_l1 = r->f->options.soft_l1,
				  .residuals = residuals,
				  .ctx = r};
}

/* Columns in logarithms of the knobs. */
static void to_logarithms(const struct fit_solve *q, const double *x, double *j)
{
	for (size_t k = 0; k < q->n; k++)
		for (size_t i = 0; i < q->m; i++)
			j[k * q->m + i] *= x[k];
}

static void find_bounds(const struct fit_solve *q, struct fit_found *to)
{
	for (size_t k = 0; k < q->n; k++)
		to->at_bound[k] = !to->held[k] && (to->x[k] <= q->low[k] ||
						   to->x[k] >= q->high[k]);
}

/* Returns the knob of the first set with the least effect; of several that
 * differ by rounding alone, the last one. */
static size_t least_of(const struct fit_apart *apart, size_t n)
{
	size_t least = FIT_KNOBS;
	for (size_t k = 0; k < n; k++)
		if (apart->set[0] >> k & 1 &&
		    (least == FIT_KNOBS ||
		     apart->norm[k] <= apart->norm[least] * (1 + 1e-6)))
			least = k;
	return least;
}

/* Marks knobs without an effect, and holds knobs until the others are told
 * apart.  Returns 1 if a knob was held. */
static int hold_knobs(const struct fit_solve *q, const double *j,
		      const struct fit_apart *at_start, struct fit_found *to)
{
	unsigned among = 0;
	int any = 0;
	struct fit_apart apart;
	fit_apart(&apart, j, q->weight, q->n, q->m, 0);
	for (size_t k = 0; k < q->n; k++) {
		int none = !(apart.norm[k] >= FIT_IDLE);
		if (to->held[k] || to->at_bound[k])
			continue;
		if (none && !(at_start->norm[k] >= FIT_IDLE)) {
			to->idle[k] = to->held[k] = any = 1;
		} else if (none) {
			to->no_effect[k] = 1;
		} else {
			among |= 1u << k;
		}
	}
	fit_apart(&apart, j, q->weight, q->n, q->m, among);
	if (!to->apart.n_sets)
		to->apart = apart;
	while (apart.n_sets) {
		size_t least = least_of(&apart, q->n);
		to->held[least] = any = 1;
		among &= ~(1u << least);
		fit_apart(&apart, j, q->weight, q->n, q->m, among);
	}
	return any;
}

static void restart(const struct run *r, struct fit_found *to)
{
	for (size_t k = 0; k < r->f->n; k++)
		to->x[k] = r->f->knob[k].start;
}

/* Standard errors of the knobs that were fitted: a sandwich over deployments.
 * r: residuals at the optimum, j: derivatives in the knobs themselves. */
static void find_errors(const struct run *r, const struct fit_solve *q,
			const double *residual, const double *j,
			struct fit_found *to)
{
	size_t at[FIT_KNOBS], n = 0, units = 0;
	double h[FIT_KNOBS * FIT_KNOBS], b[FIT_KNOBS], v[FIT_KNOBS] = {0};
	for (size_t k = 0; k < q->n; k++) {
		to->error[k] = (double)NAN;
		if (!to->held[k] && !to->at_bound[k] && !to->no_effect[k])
			at[n++] = k;
	}
	for (size_t d = 0; d < r->f->set->n_deployments; d++) {
		size_t seen = 0;
		memset(b, 0, sizeof b);
		for (size_t i = 0; i < q->m; i++) {
			if (r->f->set->row[r->row[i]].deployment != d)
				continue;
			seen++;
			for (size_t k = 0; k < n; k++)
				b[k] += q->weight[i] * residual[i] *
					j[at[k] * q->m + i];
		}
		units += seen > 0;
		for (size_t k = 0; k < n; k++)
			for (size_t c = 0; c < n; c++) {
				double sum = 0;
				for (size_t i = 0; i < q->m; i++)
					sum += q->weight[i] *
					       j[at[k] * q->m + i] *
					       j[at[c] * q->m + i];
				h[k * n + c] = sum;
			}
		if (!seen || fit_linear(h, b, n) < 0)
			continue;
		for (size_t k = 0; k < n; k++)
			v[k] += b[k] * b[k];
	}
	for (size_t k = 0; units >= 3 && units > n && k < n; k++)
		to->error[at[k]] =
		    sqrt(v[k] * (double)units / (double)(units - 1));
}

/* Solves, and for the whole fit again until the knobs are told apart. */
static int solve(struct run *r, struct fit_found *to, int is_whole,
		 struct problem *p)
{
	double low[FIT_KNOBS], high[FIT_KNOBS], start[FIT_KNOBS];
	const struct fit_solve q = question(r, low, high, start);
	double *residual = calloc(q.m + 1, sizeof *residual);
	double *j = calloc(q.n * q.m + 1, sizeof *j);
	struct fit_apart at_start = {0};
	uint32_t more = 0, evaluations = 0;
	int again = 1;
	int rc = residual && j ? 0 : problem_no_memory(p);
	restart(r, to);
	if (rc == 0 && is_whole) {
		rc = residuals(r, to->x, residual, p);
		if (rc == 0)
			rc = fit_derivatives(&q, to->x, residual, j, &more, p);
		to_logarithms(&q, to->x, j);
		fit_apart(&at_start, j, q.weight, q.n, q.m, 0);
	}
	while (rc == 0 && again) {
		restart(r, to);
		memcpy(r->held, to->held, q.n * sizeof *r->held);
		rc = fit_solve(&q, to->x, residual, &to->solved, p);
		evaluations += to->solved.evaluations;
		again = 0;
		if (rc < 0 || !is_whole)
			break;
		find_bounds(&q, to);
		rc = fit_derivatives(&q, to->x, residual, j, &more, p);
		if (rc < 0)
			break;
		find_errors(r, &q, residual, j, to);
		to_logarithms(&q, to->x, j);
		again = hold_knobs(&q, j, &at_start, to);
	}
	if (rc == 0)
		find_bounds(&q, to);
	to->solved.evaluations = evaluations + more;
	free(residual);
	free(j);
	return rc;
}

/* ---- the job ---- */

/* Prepares the arm of each deployment once; each question then only changes
 * knobs. */
static int prepare(struct run *r)
{
	const struct step_set *set = r->f->set;
	size_t n = set->n_deployments;
	r->at = arrays_add(&r->arrays, n, sizeof *r->at);
	r->prepared = arrays_add(&r->arrays, n, sizeof *r->prepared);
	r->us = arrays_add(&r->arrays, set->n, sizeof *r->us);
	r->row = arrays_add(&r->arrays, set->n, sizeof *r->row);
	r->weight = arrays_add(&r->arrays, set->n, sizeof *r->weight);
	r->held = arrays_add(&r->arrays, FIT_KNOBS, sizeof *r->held);
	if (r->arrays.out_of_memory)
		return -1;
	for (size_t d = 0; d < n; d++) {
		struct problem why;
		r->prepared[d] =
		    !r->f->arms->refused[d] &&
		    arm_prepare(&r->at[d].arm, &r->f->arms->config[d], 0, NULL,
				&why) == 0;
	}
	return 0;
}

static void release(struct run *r)
{
	for (size_t d = 0; r->at && d < r->f->set->n_deployments; d++)
		arm_work_close(&r->at[d]);
	arrays_free(&r->arrays);
}

int fit_job(struct job *j, struct problem *p)
{
	const struct fit_task *t = j->user;
	const size_t n = t->fit->set->n;
	struct fit_answer *out = j->shared;
	struct run r = {.f = t->fit, .job = j, .fold = t->fold};
	int is_whole = t->fold == SIZE_MAX;
	int rc = prepare(&r) < 0 ? problem_no_memory(p) : 0;
	if (rc == 0 && is_whole) {
		rc = price(&r, NULL, 0, p);
		memcpy(out->us + n, r.us, n * sizeof *r.us);
	}
	if (rc == 0)
		rc = choose_rows(&r, p);
	if (rc == 0 && !is_whole)
		memcpy(out->found.held, t->fit->found.held,
		       sizeof out->found.held);
	if (rc == 0)
		rc = solve(&r, &out->found, is_whole, p);
	if (rc == 0)
		rc = price(&r, out->found.x, 0, p);
	if (rc == 0)
		memcpy(out->us, r.us, n * sizeof *r.us);
	release(&r);
	return rc;
}
