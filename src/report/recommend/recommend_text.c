/* recommend_text.c -- Writes a recommendation for a reader. */
#include <config.h>
#include <inttypes.h>
#include <math.h>
#include "report/capacity_parts.h"
#include "report/recommend/front_rows.h"
#include "report/recommend/parts.h"
#include "report/recommend/recommend.h"
#include "report/results/simulated.h"

/* ---- the question ---- */

static void text_question(const struct recommend *r, FILE *f)
{
	const struct bounds *b = &r->sweep.bounds;
	struct recommend_counts c = recommend_count(r);
	fprintf(f, "GPUs: at most %s; ", r->from->gpus);
	for (size_t i = 0; i < b->n; i++)
		fprintf(f, "%s%s <= %g", i ? ", " : "",
			slo_bound_name(&b->bound[i]), b->bound[i].limit);
	if (r->from->rate > 0)
		fprintf(f, "; %g requests/s to serve", r->from->rate);
	if (r->max_model_len)
		fprintf(f,
			"\nmax_model_len = %" PRIu64
			", the longest request of the workload",
			r->max_model_len);
	fprintf(f,
		"\n%" PRIu64 " configurations; %" PRIu64
		" simulations to race, %" PRIu64 " to search\n\n",
		c.points, c.race, c.search);
}

/* ---- the winners ---- */

static void text_value(FILE *f, int width, int decimals, double v)
{
	if (isfinite(v))
		fprintf(f, " %*.*f", width, decimals, v);
	else
		fprintf(f, " %*s", width, "-");
}

/* k: of the shortlist. */
static void text_row(const struct recommend *r, size_t arm, size_t k, FILE *f)
{
	const struct capacity *c = &recommend_found(r, arm, k)->capacity;
	char rate[32], range[80];
	double v[RECOMMEND_FIGURES];
	recommend_figures(r, arm, k, v);
	fprintf(f, "%-18s %10s  %-15s", recommend_arm_name(r, arm),
		isfinite(v[RECOMMEND_RATE]) ? capacity_rate(rate, c) : "-",
		isfinite(v[RECOMMEND_RATE]) ? capacity_range(range, c) : "-");
	text_value(f, 9, 0, v[RECOMMEND_TOKENS_PER_GPU]);
	text_value(f, 10, 0, v[RECOMMEND_TOKENS_PER_USER]);
	text_value(f, 8, 3, v[RECOMMEND_USD_PER_MTOK]);
	text_value(f, 4, 0, v[RECOMMEND_GPUS]);
	fprintf(f, "  %-14s  ", recommend_limit(r, c));
	recommend_point(r, r->shortlist[k], f);
	fputc('\n', f);
}

static void text_head(FILE *f)
{
	fprintf(f, "%-18s %10s  %-15s %9s %10s %8s %4s  %-14s  %s\n", "arm",
		"requests/s", "interval", "tok/s/GPU", "tok/s/user", "USD/Mtok",
		"GPUs", "limited by", "configuration");
}

static void text_winners(const struct recommend *r, FILE *f)
{
	int any = 0;
	text_head(f);
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		if (r->best[i] != SIZE_MAX) {
			text_row(r, i, r->best[i], f);
			continue;
		}
		recommend_nearest(r, i, f);
		fputc('\n', f);
	}
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		for (size_t k = 0; k < r->n_shortlist; k++) {
			if (r->shortlist[k] != r->arm[i].runner_up)
				continue;
			if (!any++)
				fputs("the best of another shape\n", f);
			text_row(r, i, k, f);
		}
	fputc('\n', f);
}

/* ---- other arms ---- */

static void text_regret(const struct recommend *r, FILE *f)
{
	size_t n = r->sweep.arms.n;
	if (n < 2 || recommend_is_none(r))
		return;
	fputs("Served as the arm of the row chose, if the arm of the column is "
	      "right, this share is lost:\n",
	      f);
	fprintf(f, "%-18s", "");
	for (size_t k = 0; k < n; k++)
		fprintf(f, " %18.18s", recommend_arm_name(r, k));
	fputc('\n', f);
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "%-18s", recommend_arm_name(r, i));
		for (size_t k = 0; k < n; k++) {
			double lost = 100 * regret_of(&r->regret, i, k);
			text_value(f, 16, 1, lost);
			fputs(isfinite(lost) ? " %" : "  ", f);
		}
		fputc('\n', f);
	}
	fputc('\n', f);
}

static void text_reasons(const struct recommend *r, FILE *f)
{
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		const struct recommend_arm *a = &r->arm[i];
		if (!a->reasons.n)
			continue;
		fprintf(f, "%s: ", recommend_arm_name(r, i));
		recommend_reasons(a, f);
		fputc('\n', f);
	}
}

static void text_untried(const struct recommend *r, FILE *f)
{
	struct recommend_counts c = recommend_count(r);
	if (c.untried)
		fprintf(f,
			"--budget left %" PRIu64
			" configurations untried (all arms together).\n",
			c.untried);
	if (r->candidates.has_no_roles)
		fputs("This engine has no connector between prefill and "
		      "decode: only replicas that do both were tried.\n",
		      f);
}

void recommend_text(const struct recommend *r, FILE *f)
{
	text_question(r, f);
	text_winners(r, f);
	text_regret(r, f);
	front_text(r, f);
	recommend_energy(r, f);
	recommend_agreement(r, f);
	recommend_far_ends(r, f);
	recommend_loops(r, f);
	recommend_short(r, f);
	recommend_assumption(r, f);
	text_untried(r, f);
	text_reasons(r, f);
}
