/* support.c -- Writes support verdicts and intervals. */
#include "report/results/support.h"
#include <math.h>
#include "base/text.h"
#include "record/metrics.h"

void support_json(const struct support *s, struct jw *j)
{
	jw_flat_object(j, "support");
	jw_text(j, "verdict", support_name[s->verdict]);
	jw_text(j, "detail", *s->detail ? s->detail : NULL);
	jw_uint(j, "rows", s->n);
	jw_number(j, "mean_error", s->error);
	jw_end(j);
}

char *support_text(const struct support *s)
{
	struct text t;
	FILE *m = text_begin(&t);
	if (!m)
		return NULL;
	support_write(s, m);
	return text_end(&t);
}

int interval_ends(const struct trusted *t, const struct outcome *o, int k,
		  double *predicted, double *low, double *high)
{
	const struct metric *m = metric_find(trusted_metric[k]);
	*predicted = m && t->interval[k].n ? metric_value(m, o) : (double)NAN;
	*low = *predicted * t->interval[k].low;
	*high = *predicted * t->interval[k].high;
	return !isnan(*predicted);
}

void intervals_json(const struct trusted *t, const struct outcome *o,
		    struct jw *j)
{
	double v, low, high;
	jw_object(j, "interval");
	for (int k = 0; k < N_TRUSTED; k++) {
		const struct trust_interval *x = &t->interval[k];
		if (!interval_ends(t, o, k, &v, &low, &high))
			continue;
		jw_flat_object(j, trusted_metric[k]);
		jw_number(j, "low", low);
		jw_number(j, "high", high);
		jw_number(j, "coverage", x->coverage);
		jw_uint(j, "n", x->n);
		jw_text(j, "group", x->group);
		jw_end(j);
	}
	jw_end(j);
}

void model_intervals_json(const struct uncertainty_run *run, struct jw *j)
{
	double low, high, noise;
	if (!run->n_steps) {
		jw_text(j, "model_interval", NULL);
		return;
	}
	jw_object(j, "model_interval");
	for (size_t i = 0; uncertainty_metric[i]; i++) {
		if (!uncertainty_interval(run, uncertainty_metric[i], &low,
					  &high, &noise))
			continue;
		jw_flat_object(j, uncertainty_metric[i]);
		jw_number(j, "low", low);
		jw_number(j, "high", high);
		jw_number(j, "coverage", UNCERTAINTY_COVERAGE);
		jw_number(j, "noise_share", noise);
		jw_end(j);
	}
	jw_end(j);
}

void own_coverage_json(struct jw *j, const char *key,
		       const struct own_coverage *c)
{
	if (!c->n) {
		jw_null(j, key);
		return;
	}
	jw_flat_object(j, key);
	jw_uint(j, "n", c->n);
	jw_number(j, "share_50", c->share_50);
	jw_number(j, "share_80", c->share_80);
	jw_number(j, "share_90", c->share_90);
	jw_number(j, "spread", c->spread);
	jw_end(j);
}

char *model_intervals_text(const struct uncertainty_run *run,
			   const struct outcome *o)
{
	static const char *const mean[] = {"mean_ttft_ms", "mean_tpot_ms",
					   "mean_e2el_ms"};
	double low, high, noise;
	struct text t = {0};
	FILE *f = run->n_steps ? text_begin(&t) : NULL;
	if (!f)
		return NULL;
	for (size_t i = 0; i < sizeof mean / sizeof *mean; i++)
		if (uncertainty_interval(run, mean[i], &low, &high, &noise))
			fprintf(f,
				"%s%s %.4g (model's own %.0f %%: %.4g to %.4g)",
				ftell(f) ? ", " : "", mean[i],
				metric_value(metric_find(mean[i]), o),
				100 * UNCERTAINTY_COVERAGE, low, high);
	fputs("; at this schedule", f);
	return text_end(&t);
}

char *support_brief(const struct support *s)
{
	char *text;
	int n;
	if (s->n)
		n = asprintf(&text,
			     "Support: %s; %u scored run%s a mean error of "
			     "%.1f %%.",
			     support_name[s->verdict], s->n,
			     s->n == 1 ? " near it has" : "s near it have",
			     100 * s->error);
	else
		n = asprintf(&text, "Support: %s%s%s.",
			     support_name[s->verdict], *s->detail ? ": " : "",
			     s->detail);
	return n < 0 ? NULL : text;
}

struct energy_priced energy_priced_run(const struct outcome *o)
{
	const struct metric *m = metric_find("energy_per_token_j");
	return (struct energy_priced){.joules_per_token = metric_value(m, o),
				      .usd_per_joule = o->energy.usd_per_joule,
				      .usd = usd_per_mtok_of_run(o)};
}

static void write_usd(const struct trusted_energy *t,
		      const struct energy_priced *x, FILE *f)
{
	const struct usd_per_mtok *u = &x->usd;
	fprintf(f, "USD for a million output tokens: %.3g for energy",
		u->energy);
	if (t->joules.n)
		fprintf(f, " (%g %%: %.3g to %.3g)", 100 * t->joules.coverage,
			u->energy * t->joules.low, u->energy * t->joules.high);
	if (u->gpus > 0)
		fprintf(f, " and %.4g for GPU hours, %.4g in all", u->gpus,
			u->sum);
	else
		fputs("; an hour of the GPU has no price", f);
}

int energy_write(const struct trusted_energy *t, const struct energy_priced *x,
		 FILE *f)
{
	int is_known = x->joules_per_token > 0;
	if (!is_known && !(x->usd_per_joule > 0))
		return 0;
	fputs("energy: ", f);
	if (!is_known) {
		fprintf(f, "no figure and no price: %s",
			*t->why ? t->why : "no step was measured");
		return 1;
	}
	fputs(t->has_idle
		  ? ""
		  : "of busy GPUs only; set idle_w to count idle time; ",
	      f);
	support_write(&t->support, f);
	if (x->usd_per_joule > 0) {
		fputs(". ", f);
		write_usd(t, x, f);
	}
	return 1;
}

char *energy_text(const struct trusted_energy *t, const struct energy_priced *x)
{
	struct text as;
	FILE *m = text_begin(&as);
	if (!m)
		return NULL;
	energy_write(t, x, m);
	return text_end(&as);
}

void energy_json(const struct trusted_energy *t, const struct energy_priced *x,
		 struct jw *j)
{
	const struct usd_per_mtok *u = &x->usd;
	if (!(x->joules_per_token > 0) && !(x->usd_per_joule > 0))
		return;
	jw_object(j, "energy");
	jw_text(j, "power_of", *t->why ? NULL : t->gpu);
	jw_text(j, "unknown_because", *t->why ? t->why : NULL);
	jw_bool(j, "has_idle_time", t->has_idle);
	support_json(&t->support, j);
	if (x->usd_per_joule > 0) {
		jw_flat_object(j, "usd_per_million_output_tokens");
		jw_number(j, "gpu", u->gpus);
		jw_number(j, "energy", u->energy);
		jw_number(j, "energy_low", u->energy * t->joules.low);
		jw_number(j, "energy_high", u->energy * t->joules.high);
		jw_number(j, "sum", u->sum);
		jw_end(j);
	}
	jw_end(j);
}
