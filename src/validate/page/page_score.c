/* page_score.c -- Compares a simulated run with the histograms of a page. */
#include "validate/page/page_score.h"
#include <math.h>
#include <stdio.h>
#include "record/metrics.h"

static const struct {
	enum vllm_histogram of;
	const char *name;
} page_metric[PAGE_METRICS] = {{VLLM_TTFT, "ttft"},
			       {VLLM_ITL, "itl"},
			       {VLLM_TPOT, "tpot"},
			       {VLLM_E2EL, "e2el"},
			       {VLLM_QUEUEING, "queueing"}};

static const struct {
	const char *name;
	double q; /* NaN: the mean */
} page_statistic[PAGE_STATISTICS] = {
    {"mean", NAN}, {"median", .5}, {"p90", .9}, {"p95", .95}, {"p99", .99}};

static double error_of(const struct page_figure *f)
{
	double end = f->predicted < f->low    ? f->low
		     : f->predicted > f->high ? f->high
					      : f->predicted;
	if (end == f->predicted)
		return 0;
	return end > 0 ? f->predicted / end - 1 : NAN;
}

/* Returns 0 if there is no such figure. */
static int fill(struct page_figure *f, const struct histogram *h, int metric_at,
		int statistic_at, const struct outcome *o)
{
	double q = page_statistic[statistic_at].q;
	struct histogram_range r;
	snprintf(f->name, sizeof f->name, "%s_%s_ms",
		 page_statistic[statistic_at].name,
		 page_metric[metric_at].name);
	const struct metric *m = metric_find(f->name);
	if (isnan(q))
		r.low = r.high = histogram_mean(h);
	else
		r = histogram_percentile(h, q);
	f->low = 1e3 * r.low;
	f->high = 1e3 * r.high;
	f->predicted = m ? metric_value(m, o) : (double)NAN;
	f->error = error_of(f);
	return !isnan(f->low) && !isnan(f->predicted);
}

uint32_t page_score(const struct vllm_page *v, const struct outcome *o,
		    struct page_figure figure[PAGE_FIGURES])
{
	uint32_t n = 0;
	for (int m = 0; m < PAGE_METRICS; m++)
		for (int s = 0; s < PAGE_STATISTICS; s++)
			n += (uint32_t)fill(&figure[n],
					    &v->of[page_metric[m].of], m, s, o);
	return n;
}

double page_length_error(const struct vllm_page *v, enum vllm_histogram which,
			 const struct outcome *o)
{
	double mean = histogram_mean(&v->of[which]);
	uint64_t tokens = which == VLLM_INPUT ? o->total_input_tokens
					      : o->total_output_tokens;
	return (double)tokens / (double)o->completed / mean - 1;
}
