/* support.c -- Decides how far a prediction can be trusted. */
#include "trust/support.h"
#include <math.h>
#include <string.h>

const char *const support_name[] = {"not scored", "extrapolated", "measured",
				    "known wrong"};

enum { ENOUGH = 5, ENOUGH_TO_CONDEMN = 3 };
#define WRONG 0.15

/* ---- dimensions in which places differ ---- */

enum dimension {
	FAMILY,
	CLASS,
	FORMAT,
	SPLIT,
	ENGINE,
	DRAFTS,
	SHARE,
	N_DIMENSIONS
};

static int share_class(double share)
{
	return share < .25 ? 0 : share <= .75 ? 1 : 2;
}

/* Returns 1 if two places are equal in a dimension. */
static int same(enum dimension d, const struct trust_place *a,
		const struct trust_place *b)
{
	switch (d) {
	case FAMILY:
		return !strcmp(a->gpu_family, b->gpu_family);
	case CLASS:
		return !strcmp(a->model_class, b->model_class);
	case FORMAT:
		return !strcmp(a->weight_format, b->weight_format);
	case SPLIT:
		return !(a->tp < b->tp) && !(a->tp > b->tp) &&
		       !(a->ep < b->ep) && !(a->ep > b->ep) &&
		       !(a->pp < b->pp) && !(a->pp > b->pp);
	case ENGINE:
		return !strcmp(a->engine, b->engine);
	case DRAFTS:
		return !a->drafts == !b->drafts;
	default:
		return share_class(a->computed_share) ==
		       share_class(b->computed_share);
	}
}

/* Writes the value of a place in a dimension. */
static void describe(enum dimension d, const struct trust_place *at, char *to,
		     size_t size)
{
	static const char *const shares[] = {"below 25 %", "25 to 75 %",
					     "above 75 %"};
	switch (d) {
	case FAMILY:
		snprintf(to, size, "%s", at->gpu_family);
		break;
	case CLASS:
		snprintf(to, size, "%s", at->model_class);
		break;
	case FORMAT:
		snprintf(to, size, "%s", at->weight_format);
		break;
	case SPLIT:
		snprintf(to, size,
			 at->ep > 1 || at->pp > 1 ? "tp %g ep %g pp %g"
						  : "tp %g",
			 at->tp, at->ep, at->pp);
		break;
	case ENGINE:
		snprintf(to, size, "%s", at->engine);
		break;
	case DRAFTS:
		snprintf(to, size, at->drafts ? "%u drafts" : "no drafts",
			 at->drafts);
		break;
	default:
		snprintf(to, size, "computed share of prompts %s",
			 shares[share_class(at->computed_share)]);
	}
}

static double context_of(const struct trust_place *at)
{
	return at->input_tokens + at->output_tokens;
}

static double billions_of(const struct trust_place *at)
{
	return (double)at->n_params / 1e9;
}

/* ---- rows ---- */

/* Returns 1 for the one figure of a measured run that counts: that metric, or
 * for NULL its latency. */
static int counts(const struct scored *s, const char *metric,
		  const struct scored_row *x)
{
	if (x->saturated || x->is_derived)
		return 0;
	if (metric)
		return !strcmp(x->metric, metric);
	if (!strcmp(x->metric, "mean_e2el_ms"))
		return 1;
	if (strcmp(x->metric, "mean_tpot_ms") != 0)
		return 0;
	for (size_t i = 0; i < s->n; i++)
		if (!s->row[i].is_derived &&
		    !strcmp(s->row[i].metric, "mean_e2el_ms") &&
		    !strcmp(s->row[i].source_row, x->source_row))
			return 0;
	return 1;
}

/* Returns how near a row is; a dimension outweighs all later ones together. */
static uint32_t nearness(const struct scored_row *x,
			 const struct trust_place *at)
{
	uint32_t near = 0;
	for (int d = 0; d < N_DIMENSIONS; d++)
		near =
		    near << 1 | (uint32_t)same((enum dimension)d, &x->at, at);
	return near;
}

struct near_rows {
	const struct trust_place *one; /* one of these rows */
	uint32_t nearness, n;
	double error; /* sum */
	double context[2], load[2];
	double billions[2];    /* parameters; 0: unknown */
	double versions_apart; /* the most; below 0: unknown */
};

/* Counts a scored row that is near: its error, and the ranges of near rows. */
static void take(struct near_rows *r, const struct scored_row *x)
{
	double context = context_of(&x->at), load = x->at.load;
	double billions = billions_of(&x->at);
	if (!r->n++) {
		r->billions[0] = r->billions[1] = billions;
		r->one = &x->at;
		r->context[0] = r->context[1] = context;
		r->load[0] = r->load[1] = load;
		r->versions_apart = -1;
	}
	r->error += fabs(x->predicted / x->measured - 1);
	r->context[0] = fmin(r->context[0], context);
	r->context[1] = fmax(r->context[1], context);
	r->load[0] = fmin(r->load[0], load);
	r->load[1] = fmax(r->load[1], load);
	r->billions[0] = fmin(r->billions[0], billions);
	r->billions[1] = fmax(r->billions[1], billions);
	r->versions_apart = fmax(r->versions_apart, x->at.versions_apart);
}

static struct near_rows nearest_rows(const struct scored *s, const char *metric,
				     const struct trust_place *at)
{
	struct near_rows r = {0};
	for (size_t i = 0; i < s->n; i++) {
		const struct scored_row *x = &s->row[i];
		uint32_t near = nearness(x, at);
		if ((r.n && near < r.nearness) || !counts(s, metric, x))
			continue;
		if (near > r.nearness)
			r = (struct near_rows){0};
		r.nearness = near;
		take(&r, x);
	}
	return r;
}

/* ---- the verdict ---- */

static void add(struct support *s, const char *what)
{
	size_t n = strlen(s->detail);
	s->n_unlike++;
	snprintf(s->detail + n, sizeof s->detail - n, "%s%s", n ? ", " : "",
		 what);
}

static int out_of(double v, const double range[2])
{
	return v < range[0] || v > range[1];
}

static void name_range(struct support *s, const char *what, double v,
		       const double range[2])
{
	char text[120];
	if (!out_of(v, range))
		return;
	int n = snprintf(text, sizeof text, "%s %.4g (scored: %.4g", what, v,
			 range[0]);
	if (range[0] < range[1])
		n += snprintf(text + n, sizeof text - (size_t)n, " to %.4g",
			      range[1]);
	snprintf(text + n, sizeof text - (size_t)n, ")");
	add(s, text);
}

/* Kernels change with the versions of an engine.  Errors of runs that are
 * nearer to their kernels say nothing of one that is farther. */
static void name_versions(struct support *s, const struct trust_place *at,
			  double scored)
{
	char text[160];
	if (!(at->versions_apart > 0) || at->versions_apart <= scored)
		return;
	int n = snprintf(
	    text, sizeof text,
	    "kernels of %s %s for %s: %g version%s apart (scored: ", at->engine,
	    at->kernels_version, at->engine_version, at->versions_apart,
	    at->versions_apart > 1 ? "s" : "");
	if (scored < 0)
		snprintf(text + n, sizeof text - (size_t)n, "not known)");
	else
		snprintf(text + n, sizeof text - (size_t)n, "%s%g)",
			 scored > 0 ? "at most " : "", scored);
	add(s, text);
}

/* Names the dimensions in which the nearest rows differ. */
static void name_differences(struct support *s, const struct near_rows *r,
			     const struct trust_place *at, const char *unlike)
{
	char text[160], is[64], nearest[64];
	for (int d = 0; d < N_DIMENSIONS; d++) {
		if (same((enum dimension)d, r->one, at))
			continue;
		describe((enum dimension)d, at, is, sizeof is);
		describe((enum dimension)d, r->one, nearest, sizeof nearest);
		snprintf(text, sizeof text, "%s (nearest: %s)", is, nearest);
		add(s, text);
	}
	name_range(s, "context", context_of(at), r->context);
	name_range(s, "load", at->load, r->load);
	/* Rows of unknown models have no range. */
	if (at->n_params && r->billions[0] > 0)
		name_range(s, "billions of parameters", billions_of(at),
			   r->billions);
	name_versions(s, at, r->versions_apart);
	if (*unlike)
		add(s, unlike);
}

struct support support_of_metric(const struct scored *scored,
				 const char *metric,
				 const struct trust_place *at,
				 const char *unlike)
{
	struct support s = {.verdict = SUPPORT_NOT_SCORED, .error = NAN};
	struct near_rows r = nearest_rows(scored, metric, at);
	if (!r.n) {
		snprintf(s.detail, sizeof s.detail, "%s", scored->why);
		return s;
	}
	s.n = r.n;
	s.error = r.error / r.n;
	s.model_is_new = scored->model_is_new;
	name_differences(&s, &r, at, unlike);
	int alike = !*s.detail;
	if (alike && r.n >= ENOUGH_TO_CONDEMN && s.error > WRONG) {
		s.verdict = SUPPORT_KNOWN_WRONG;
	} else if (alike && r.n >= ENOUGH) {
		s.verdict = SUPPORT_MEASURED;
	} else {
		s.verdict = SUPPORT_EXTRAPOLATED;
		if (alike)
			add(&s, "few rows");
	}
	return s;
}

struct support support_of(const struct scored *scored,
			  const struct trust_place *at, const char *unlike)
{
	return support_of_metric(scored, NULL, at, unlike);
}

void support_write(const struct support *s, FILE *f)
{
	fputs(support_name[s->verdict], f);
	if (*s->detail)
		fprintf(f, s->n ? ": %s" : " (%s)", s->detail);
	if (s->n)
		fprintf(f, "%s %u row%s, mean error %.1f %%%s",
			*s->detail ? ";" : ":", s->n, s->n == 1 ? "" : "s",
			100 * s->error,
			s->model_is_new ? ", models left out" : "");
}
