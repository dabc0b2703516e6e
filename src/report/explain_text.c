/* explain_text.c -- Writes an explanation as text. */
#include <config.h>
#include <inttypes.h>
#include <math.h>
#include "report/explain.h"

enum { LABEL = 26, COLUMN = 15 };

static const char *name(const struct explain *e, size_t arm)
{
	return e->study->arm[arm].name;
}

/* Of signed columns, each says what it adds. */
static void row(FILE *f, const char *label, const double *ns, int n,
		int is_signed)
{
	fprintf(f, "  %-*s", LABEL - 2, label);
	for (int m = 0; m < n; m++)
		if (is_signed)
			fprintf(f, "%+*.3f", COLUMN, ns[m] / 1e6);
		else
			fprintf(f, "%*.3f", COLUMN, ns[m] / 1e6);
	fputc('\n', f);
}

static void head(FILE *f)
{
	fprintf(f, "%-*s", LABEL, "");
	for (int m = 0; m < N_ATTRIBUTED; m++)
		fprintf(f, "%*s", COLUMN, attributed_name[m]);
	fputc('\n', f);
}

static void metrics(const struct explain *e, const struct explanation *x,
		    FILE *f)
{
	double apart[N_ATTRIBUTED], own[ATTRIBUTION_STEPS];
	for (int m = 0; m < N_ATTRIBUTED; m++)
		apart[m] = x->x->openloop_ns[m] - x->x->recorded_ns[m];
	for (int m = 0; m < ATTRIBUTION_STEPS; m++)
		own[m] = x->x->openloop_ns[m] + x->feedback_ns[m];
	row(f, name(e, x->of), x->x->recorded_ns, N_ATTRIBUTED, 0);
	row(f, "+ open loop", apart, N_ATTRIBUTED, 1);
	for (int k = 0; k < N_COMPONENTS; k++) {
		double part[N_ATTRIBUTED];
		char label[64];
		int any = 0;
		for (int m = 0; m < N_ATTRIBUTED; m++) {
			part[m] = x->x->component_ns[m][k];
			any |= fabs(part[m]) >= 500;
		}
		snprintf(label, sizeof label, "    %s", component_name[k]);
		if (any)
			row(f, label, part, N_ATTRIBUTED, 1);
	}
	row(f, "+ feedback", x->feedback_ns, ATTRIBUTION_STEPS, 1);
	row(f, name(e, x->by), own, ATTRIBUTION_STEPS, 0);
}

/* ---- one sentence ---- */

static double in_bin(const struct attribution *x, const struct cause *c,
		     enum regime_kind kind, int bin)
{
	double sum = 0;
	for (int k = (int)c->first; k <= (int)c->last; k++)
		sum += x->regime_ns[ATTRIBUTION_STEPS][kind][k][bin];
	return sum;
}

/* The bin that holds most of a cause. */
static int largest_bin(const struct attribution *x, const struct cause *c,
		       enum regime_kind kind)
{
	int best = 0;
	for (int b = 1; b < REGIME_BINS; b++)
		if (in_bin(x, c, kind, b) * c->ns >
		    in_bin(x, c, kind, best) * c->ns)
			best = b;
	return best;
}

static void sentence(const struct explain *e, const struct explanation *x,
		     FILE *f)
{
	static const char *const phase[] = {"prefill", "decode", "mixed"};
	const struct attribution *a = x->x;
	double apart = a->openloop_ns[ATTRIBUTION_STEPS] -
		       a->recorded_ns[ATTRIBUTION_STEPS];
	struct cause c = explain_cause(a, ATTRIBUTION_STEPS);
	if (c.ns == 0) {
		fprintf(f, "%s and %s do not differ on these steps.\n",
			name(e, x->of), name(e, x->by));
		return;
	}
	int in = largest_bin(a, &c, REGIME_PHASE);
	int kv = largest_bin(a, &c, REGIME_MEAN_KV);
	fprintf(f,
		"Largest cause: %s, %+.1f of %+.1f ms of step time (%.0f %%); "
		"%.0f %% of that in %s steps, %.0f %% at a mean KV length of "
		"%" PRIu64 " to %" PRIu64 ".\n",
		c.name, c.ns / 1e6, apart / 1e6, 100 * c.share,
		100 * in_bin(a, &c, REGIME_PHASE, in) / c.ns, phase[in],
		100 * in_bin(a, &c, REGIME_MEAN_KV, kv) / c.ns,
		UINT64_C(1) << kv, (UINT64_C(2) << kv) - 1);
}

static void parting(const struct explain *e, const struct explanation *x,
		    const char *title, const struct parting *at, FILE *f)
{
	if (!at->found)
		return;
	fprintf(f, "%s (replica %u), to be checked with eval: ", title,
		at->replica);
	explain_step(f, x->steps, at->place);
	fprintf(f, "\n  %-*s%*s", LABEL - 2, "us", COLUMN, "total");
	for (int i = 0; i < N_PARTS; i++)
		if (!isnan(at->a_part_us[i]) || !isnan(at->b_part_us[i]))
			fprintf(f, " %s", part_name[i]);
	for (int side = 0; side < 2; side++) {
		const double *part = side ? at->b_part_us : at->a_part_us;
		fprintf(f, "\n  %-*s%*.1f", LABEL - 2,
			name(e, side ? x->by : x->of), COLUMN,
			side ? at->b_us : at->a_us);
		for (int i = 0; i < N_PARTS; i++)
			if (isnan(at->a_part_us[i]) && isnan(at->b_part_us[i]))
				continue;
			else if (isnan(part[i]))
				fputs(" -", f);
			else
				fprintf(f, " %.1f", part[i]);
	}
	fputc('\n', f);
}

static void shapes(const struct explanation *x, FILE *f)
{
	const struct attribution *a = x->x;
	if (a->n_shapes)
		fputs("Step shapes that differ most: steps, ms of step time, "
		      "ms of mean E2E\n",
		      f);
	for (uint32_t i = 0; i < a->n_shapes; i++) {
		const struct shape_difference *d = &a->shape[i];
		fprintf(f, "  %8" PRIu64 "%+14.3f%+12.3f  up to %u decode",
			d->steps, d->ns[ATTRIBUTION_STEPS] / 1e6,
			d->ns[ATTRIBUTION_E2EL] / 1e6, d->shape.n_decode);
		if (d->shape.n_prefill)
			fprintf(
			    f,
			    " + up to %u prefill of up to %u tokens together",
			    d->shape.n_prefill, d->shape.prefill_tokens);
		fprintf(f, ", KV up to %u\n", d->shape.longest_kv);
	}
}

static void explain_pair(const struct explain *e, const struct explanation *x,
			 FILE *f)
{
	fprintf(f, "\nWhy %s is not %s: %s's steps, priced by %s\n",
		name(e, x->by), name(e, x->of), name(e, x->of), name(e, x->by));
	if (x->error) {
		fputs("  failed\n", f);
		return;
	}
	head(f);
	metrics(e, x, f);
	sentence(e, x, f);
	parting(e, x, "First step to differ by more than 1 %", &x->x->first, f);
	parting(e, x, "Step that differs most", &x->x->widest, f);
	shapes(x, f);
}

void explain_text(const struct explain *e, FILE *f)
{
	if (e->n)
		fputs(
		    "\nOpen loop: one arm's steps, each as long as the other "
		    "says; over a busy time a slower model falls\nbehind the "
		    "recorded arrivals and a faster one runs ahead. Feedback: "
		    "what the scheduler makes of it.\n",
		    f);
	/* The exchanged views are in the JSON document. */
	for (size_t i = 0; i < e->n; i++)
		if (e->pair[i].of == 0)
			explain_pair(e, &e->pair[i], f);
}
