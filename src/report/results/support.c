/* support.c -- Writes support verdicts and intervals. */
#include <config.h>
#include "report/results/support.h"
#include <math.h>
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
	char *text = NULL;
	size_t size;
	FILE *m = open_memstream(&text, &size);
	if (!m)
		return NULL;
	support_write(s, m);
	fclose(m);
	return text;
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

void intervals_write(const struct trusted *t, const struct outcome *o,
		     const char *indent, FILE *f)
{
	double v, low, high;
	int any = 0;
	for (int k = 0; k < N_TRUSTED; k++) {
		const struct trust_interval *x = &t->interval[k];
		if (!interval_ends(t, o, k, &v, &low, &high))
			continue;
		any = 1;
		fprintf(
		    f,
		    "%s%s %.4g (%g %%: %.4g to %.4g, from %u runs of %s%s)\n",
		    indent, trusted_metric[k], v, 100 * x->coverage, low, high,
		    x->n, x->group,
		    t->support.verdict == SUPPORT_EXTRAPOLATED
			? ", a wider group"
			: "");
	}
	if (!any && t->support.n)
		fprintf(f, "%sno interval: fewer than 20 runs were scored\n",
			indent);
}
