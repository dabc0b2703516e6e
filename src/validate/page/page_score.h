/* validate/page/page_score.h -- a simulated run beside the histograms of a
 * server's page: the mean is known exactly, a percentile by its bucket, so by a
 * range.  Plain data; no printing. */
#pragma once
#include "metrics/vllm_page.h"
#include "sim/outcome.h"

enum { PAGE_METRICS = 5, PAGE_STATISTICS = 5 };
enum { PAGE_FIGURES = PAGE_METRICS * PAGE_STATISTICS };

struct page_figure {
	char name[24];    /* of the metric of a run: "mean_ttft_ms" */
	double low, high; /* ms, measured; equal: exact; high may be infinite */
	double predicted; /* ms */
	/* predicted / measured - 1; of a range, to its nearer end, and 0
	 * inside.  NaN: measured 0. */
	double error;
};

/* Fills in the figures that the page measured and the run has.  Returns how
 * many. */
uint32_t page_score(const struct vllm_page *v, const struct outcome *o,
		    struct page_figure figure[PAGE_FIGURES]);
/* Returns predicted / mean of the page - 1 of the length of requests; NaN: the
 * page has none. */
double page_length_error(const struct vllm_page *v, enum vllm_histogram which,
			 const struct outcome *o);
