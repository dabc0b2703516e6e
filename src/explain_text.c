#include <config.h>
#include <inttypes.h>
#include <math.h>
#include "explain.h"

enum { LABEL = 26, COLUMN = 15 };

static const char *name(const struct explain *e, size_t arm)
{
	return e->study->arm[arm].name;
}

static void row(FILE *f, const char *label, const char *format,
		const double ns[N_ATTRIBUTED], int n)
{
	fprintf(f, "  %-*s", LABEL - 2, label);
	for (int m = 0; m < n; m++)
		fprintf(f, format, COLUMN, ns[m] / 1e6);
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
	double apart[N_ATTRIBUTED], own[OF_STEPS];
	for (int m = 0; m < N_ATTRIBUTED; m++)
		apart[m] = x->x->openloop_ns[m] - x->x->recorded_ns[m];
	for (int m = 0; m < OF_STEPS; m++)
		own[m] = x->x->openloop_ns[m] + x->feedback_ns[m];
	row(f, name(e, x->of), "%*.3f", x->x->recorded_ns, N_ATTRIBUTED);
	row(f, "+ open loop", "%+*.3f", apart, N_ATTRIBUTED);
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
			row(f, label, "%+*.3f", part, N_ATTRIBUTED);
	}
	row(f, "+ feedback", "%+*.3f", x->feedback_ns, OF_STEPS);
	row(f, name(e, x->by), "%*.3f", own, OF_STEPS);
}

/* ---- one sentence -------------------------------------------------------- */

static int largest_bin(const struct attribution *x, int m, enum component k,
		       enum regime_kind kind)
{
	int best = 0;
	for (int b = 1; b < REGIME_BINS; b++)
		if (fabs(x->regime_ns[m][kind][k][b]) >
		    fabs(x->regime_ns[m][kind][k][best]))
			best = b;
	return best;
}

static double share(double part, double whole)
{
	return whole != 0 ? 100 * part / whole : 0;
}

static void sentence(const struct explain *e, const struct explanation *x,
		     FILE *f)
{
	static const char *const phase[] = {"prefill", "decode", "mixed"};
	const struct attribution *a = x->x;
	double apart = a->openloop_ns[OF_E2EL] - a->recorded_ns[OF_E2EL];
	enum component k = explain_largest(a, OF_E2EL);
	double part = a->component_ns[OF_E2EL][k];
	int in = largest_bin(a, OF_E2EL, k, BY_PHASE);
	int kv = largest_bin(a, OF_E2EL, k, BY_MEAN_KV);
	if (part == 0) {
		fprintf(f, "%s and %s do not differ on these steps.\n",
			name(e, x->of), name(e, x->by));
		return;
	}
	fprintf(f,
		"Largest cause: %s, %+.3f of %+.3f ms in mean E2E latency "
		"(%.0f %%); %.0f %% of that in %s steps, most of it at a mean "
		"KV length of %" PRIu64 " to %" PRIu64 ".\n",
		component_name[k], part / 1e6, apart / 1e6, share(part, apart),
		share(a->regime_ns[OF_E2EL][BY_PHASE][k][in], part), phase[in],
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
		fprintf(f, "  %8" PRIu64 "%+12.3f%+10.4f  %u decode", d->steps,
			d->ns[OF_STEPS] / 1e6, d->ns[OF_E2EL] / 1e6,
			d->shape.n_decode);
		if (d->shape.n_prefill)
			fprintf(f, " + %u prefill of up to %u tokens",
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
	if (x->of != 0)
		return; /* the exchanged view: what is above is enough       */
	parting(e, x, "First step to differ by more than 1 %", &x->x->first, f);
	parting(e, x, "Step that differs most", &x->x->widest, f);
	shapes(x, f);
}

void explain_text(const struct explain *e, FILE *f)
{
	for (size_t i = 0; i < e->n; i++)
		explain_pair(e, &e->pair[i], f);
}
