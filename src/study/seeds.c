/* seeds.c -- Repeats a study with other seeds, and compares its metrics. */
#include "study/seeds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "math/holm.h"
#include "workload/trace/named_trace.h"

/* Seeds that are run at once while a goal is not met. */
enum { AHEAD = 4, MOST_SEEDS = 1000 };

/* ---- how many ---- */

static int read_range(struct seeds_plan *plan, const char *text)
{
	char *end;
	plan->low = plan->high = strtoul(text, &end, 10);
	if (!strncmp(end, "..", 2))
		plan->high = strtoul(end + 2, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && plan->low >= 1 &&
		       plan->high >= plan->low && plan->high <= MOST_SEEDS
		   ? 0
		   : -1;
}

static int read_goal(struct seeds_plan *plan, const char *text)
{
	char name[80], *end;
	size_t n = strcspn(text, "=");
	snprintf(name, sizeof name, "%.*s", (int)n, text);
	plan->metric = metric_find(name);
	if (!text[n] || !plan->metric)
		return -1;
	plan->within = strtod(text + n + 1, &end) / 100;
	return !strcmp(end, "%") && plan->within > 0 ? 0 : -1;
}

int seeds_plan(struct seeds_plan *plan, const char *seeds, const char *until,
	       struct problem *p)
{
	if (seeds && read_range(plan, seeds) < 0)
		return problem_set(p, EXIT_USAGE,
				   "--seeds %s: not a number from 1 to %d, nor "
				   "LOW..HIGH, as in 5..64",
				   seeds, MOST_SEEDS);
	if (until && read_goal(plan, until) < 0)
		return problem_set(p, EXIT_USAGE,
				   "--until %s: not METRIC=PERCENT%%, as in "
				   "mean_ttft_ms=2%%",
				   until);
	if (until && (!seeds || plan->low < 2 || plan->high == plan->low))
		return problem_set(p, EXIT_USAGE,
				   "--until %s: give --seeds LOW..HIGH, as in "
				   "5..64, with LOW of 2 or more",
				   until);
	if (!until && plan->high != plan->low)
		return problem_set(p, EXIT_USAGE,
				   "--seeds %s: a range needs --until "
				   "METRIC=PERCENT%%",
				   seeds);
	return 0;
}

/* ---- runs ---- */

static const struct job *job_of(const struct seeds *s, size_t seed, size_t arm)
{
	size_t n = s->study->n;
	return s->plan.unpaired ? &s->job[seed * n + arm]
	       : seed == 0      ? &s->study->job[arm]
				: &s->job[(seed - 1) * n + arm];
}

/* Returns how many jobs the seeds below `end` have. */
static size_t jobs_below(const struct seeds *s, size_t end)
{
	return (end - (s->plan.unpaired ? 0 : 1)) * s->study->n;
}

/* Makes a job for each arm and seed. */
static int make(struct seeds *s, struct problem *p)
{
	size_t n = jobs_below(s, s->plan.high), arms = s->study->n;
	size_t first = s->plan.unpaired ? 0 : 1;
	s->job = calloc(n + 1, sizeof *s->job);
	s->task = calloc(n + 1, sizeof *s->task);
	s->arms = calloc(s->plan.high + 1, sizeof *s->arms);
	if (!s->job || !s->task || !s->arms)
		return problem_no_memory(p);
	for (size_t i = 0; i < n; i++) {
		size_t arm = i % arms;
		s->task[i] = s->study->task[arm];
		s->task[i].seed_shift =
		    i / arms + first +
		    (s->plan.unpaired ? arm * s->plan.high : 0);
		s->job[i] = (struct job){.name = s->study->job[arm].name,
					 .user = &s->task[i]};
	}
	return 0;
}

/* Runs the seeds from `from` up to `end`. */
static int run_batch(struct seeds *s, size_t from, size_t end,
		     struct problem *p)
{
	size_t at = from ? jobs_below(s, from) : 0;
	size_t n = jobs_below(s, end) - at;
	if (!n)
		return 0;
	return jobs_run(&s->arms[s->n_batches++], s->job + at, n, study_job,
			&s->study->how, p);
}

/* The widest half-width of the goal's metric, as a share of the first arm's
 * mean: of differences, or of the mean of the only arm; NaN: not known. */
static double widest(const struct seeds *s)
{
	double *x = calloc(2 * s->n_seeds, sizeof *x), *first = x + s->n_seeds;
	double most = 0;
	if (!x || seeds_values(s, s->plan.metric, 0, first) < 0) {
		free(x);
		return (double)NAN;
	}
	double mean = fabs(student_mean(first, s->n_seeds).mean);
	for (size_t arm = s->study->n > 1; arm < s->study->n; arm++) {
		struct student_mean m = {(double)NAN, (double)NAN, 0};
		if (seeds_values(s, s->plan.metric, arm, x) == 0) {
			for (size_t k = 0;
			     arm && !s->plan.unpaired && k < s->n_seeds; k++)
				x[k] -= first[k];
			m = arm && s->plan.unpaired
				? student_difference(x, s->n_seeds, first,
						     s->n_seeds)
				: student_mean(x, s->n_seeds);
		}
		if (!(m.half / mean <= most))
			most = m.half / mean;
	}
	free(x);
	return most;
}

/* Adds seeds until the goal is met twice in a row. */
static int run_until(struct seeds *s, struct problem *p)
{
	size_t done = s->plan.low, high = s->plan.high;
	int met = 0;
	for (s->n_seeds = s->plan.low;; s->n_seeds++) {
		if (s->n_seeds > done) {
			size_t end = done + AHEAD < high ? done + AHEAD : high;
			if (run_batch(s, done, end, p) < 0)
				return -1;
			done = end;
		}
		s->half_width = widest(s);
		int meets = s->half_width <= s->plan.within;
		s->reached = met && meets;
		met = meets;
		if (s->reached || s->n_seeds == high)
			return 0;
	}
}

int seeds_vary(const struct seeds *s)
{
	double *x = calloc(s->n_seeds, sizeof *x);
	int differs = !x, has_figure = 0;
	for (size_t arm = 0; !differs && arm < s->study->n; arm++)
		for (size_t m = 0; !differs && m < n_metrics; m++) {
			if (seeds_values(s, &metric[m], arm, x) < 0)
				continue;
			has_figure |= !strcmp(metric[m].name, "mean_e2el_ms");
			for (size_t k = 1; k < s->n_seeds; k++)
				differs |= !(x[k] == x[0]) && !isnan(x[0]);
		}
	free(x);
	return differs || !has_figure;
}

/* Returns options that make the requests random; NULL: none are known. */
static const char *redraw_of(const struct config *c)
{
	const struct workload_keys *k = &c->workload_keys;
	enum workload_unused why =
	    named_trace_ignores(k, &c->cfg, "request_rate");
	if (why == WORKLOAD_OWN_TIMES)
		return "--set workload.retime=true --set "
		       "workload.arrival=poisson --set "
		       "workload.request_rate=10";
	if (why == WORKLOAD_OWN_REQUESTS)
		return NULL;
	if (k->concurrency)
		return "--set workload.think_time_s=exponential:1";
	return isinf(k->request_rate) ? "--set workload.arrival=poisson --set "
					"workload.request_rate=10"
				      : "--set workload.arrival=poisson";
}

int seeds_refuse_equal(const struct config *c, size_t n_seeds,
		       struct problem *p)
{
	const char *redraw = redraw_of(c);
	return problem_set(
	    p, EXIT_USAGE,
	    "--seeds %zu: each seed gave the same run: an interval would have "
	    "width 0; run without --seeds%s%s",
	    n_seeds, redraw ? ", or draw other requests, as with " : "",
	    redraw ? redraw : "");
}

int seeds_run(struct seeds *s, const struct study *study,
	      const struct seeds_plan *plan, struct problem *p)
{
	*s = (struct seeds){.study = study,
			    .plan = *plan,
			    .n_seeds = plan->low,
			    .half_width = (double)NAN};
	if (make(s, p) < 0 || run_batch(s, 0, plan->low, p) < 0)
		return -1;
	return plan->metric ? run_until(s, p) : 0;
}

int seeds_code(const struct seeds *s)
{
	return s->n_seeds ? study_code_of(s->job, jobs_below(s, s->n_seeds))
			  : EXIT_DONE;
}

int seeds_interrupted(const struct seeds *s)
{
	for (size_t i = 0; i < s->n_batches; i++)
		if (s->arms[i].interrupted)
			return s->arms[i].interrupted;
	return 0;
}

struct rejections seeds_rejections(const struct seeds *s, size_t arm)
{
	struct rejections all = {0};
	size_t n = jobs_below(s, s->n_seeds);
	for (size_t i = arm; i < n; i += s->study->n)
		if (!s->job[i].complaint)
			rejections_join(
			    &all,
			    &study_record(&s->job[i])->outcome.rejections);
	return all;
}

void seeds_free(struct seeds *s)
{
	for (size_t i = 0; i < s->n_batches; i++)
		jobs_free(&s->arms[i]);
	free(s->arms);
	free(s->job);
	free(s->task);
	*s = (struct seeds){0};
}

/* ---- figures ---- */

int seeds_values(const struct seeds *s, const struct metric *m, size_t arm,
		 double *value)
{
	for (size_t k = 0; k < s->n_seeds; k++) {
		const struct job *j = job_of(s, k, arm);
		if (j->complaint)
			return -1;
		value[k] = metric_value(m, &study_record(j)->outcome);
		if (isnan(value[k]))
			return -1;
	}
	return 0;
}

/* x, y: room for the values of two arms. */
static void compare(const struct seeds *s, const struct metric *m,
		    struct seeds_pair *to, double *x, double *y)
{
	size_t n = s->n_seeds;
	if (seeds_values(s, m, to->a, y) < 0 ||
	    seeds_values(s, m, to->b, x) < 0)
		return;
	to->is_known = 1;
	for (size_t k = 0; !s->plan.unpaired && k < n; k++)
		x[k] -= y[k];
	to->is = s->plan.unpaired ? bootstrap_difference(x, n, y, n)
				  : bootstrap_mean(x, n);
	to->p = (s->plan.unpaired ? student_difference(x, n, y, n)
				  : student_mean(x, n))
		    .p;
}

size_t seeds_n_pairs(const struct seeds *s)
{
	size_t n = s->study->n;
	return s->plan.all_pairs ? n * (n - 1) / 2 : n - 1;
}

/* Corrects the p-values of a metric's pairs. */
static int adjust(struct seeds_pair *pair, size_t n)
{
	double *p = calloc(2 * n + 1, sizeof *p);
	size_t known = 0;
	if (!p)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (pair[i].is_known)
			p[known++] = pair[i].p;
	int rc = holm_adjust(p, known, p + n);
	known = 0;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (!pair[i].is_known)
			continue;
		pair[i].p_adjusted = p[n + known++];
		if (n > 1 && !(pair[i].p_adjusted < .05))
			pair[i].is.distinguishable = 0;
	}
	free(p);
	return rc;
}

int seeds_compare(const struct seeds *s, const struct metric *m,
		  struct seeds_pair *pair)
{
	double *x = calloc(2 * s->n_seeds, sizeof *x);
	size_t n = 0, first = s->plan.all_pairs ? s->study->n : 1;
	if (!x)
		return -1;
	for (size_t a = 0; a < first; a++)
		for (size_t b = a + 1; b < s->study->n; b++) {
			pair[n] = (struct seeds_pair){.a = a, .b = b};
			compare(s, m, &pair[n++], x, x + s->n_seeds);
		}
	free(x);
	return adjust(pair, n);
}

struct student_mean seeds_mean(const struct seeds *s, const struct metric *m,
			       size_t arm)
{
	struct student_mean is = {(double)NAN, (double)NAN, (double)NAN};
	double *x = calloc(s->n_seeds + 1, sizeof *x);
	if (x && seeds_values(s, m, arm, x) == 0)
		is = student_mean(x, s->n_seeds);
	free(x);
	return is;
}
