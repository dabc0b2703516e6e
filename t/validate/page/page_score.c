/* page_score.c -- A run beside a page: exact means, ranges of percentiles. */
#include "validate/page/page_score.h"
#include "tap.h"

static struct outcome run_of(double ms)
{
	struct outcome o = {.completed = 10,
			    .total_input_tokens = 1000,
			    .total_output_tokens = 500};
	struct stats_summary s = {.n = 10};
	s.mean = s.p50 = s.p90 = s.p95 = s.p99 = 1e6 * ms;
	o.ttft = o.itl = o.tpot = o.e2el = o.queueing = s;
	return o;
}

/* Ten requests, nine of 0.1 to 0.2 s and one above 1 s. */
static void fill(struct vllm_page *v)
{
	static const double edge[] = {0.1, 0.2, 1, INFINITY};
	static const double up_to[] = {0, 9, 9, 10};
	*v = (struct vllm_page){.path = "f"};
	for (int i = 0; i < 4; i++)
		if (histogram_add(&v->of[VLLM_TTFT], edge[i], up_to[i]) < 0 ||
		    histogram_add(&v->of[VLLM_INPUT], 100 * edge[i], up_to[i]) <
			0)
			bail_out("memory");
	v->of[VLLM_TTFT].sum = 3;
	v->of[VLLM_INPUT].sum = 800;
	v->of[VLLM_TTFT].has_sum = v->of[VLLM_INPUT].has_sum = 1;
	if (histogram_finish(&v->of[VLLM_TTFT]) ||
	    histogram_finish(&v->of[VLLM_INPUT]))
		bail_out("histogram");
}

int main(void)
{
	struct vllm_page v;
	struct page_figure f[PAGE_FIGURES];
	struct outcome o = run_of(150);
	fill(&v);
	ok(page_score(&v, &o, f) == 5, "what the page has");
	is(f[0].name, "mean_ttft_ms", "the mean");
	ok(f[0].low == f[0].high, "is exact");
	near(f[0].low, 300, 1e-12, "in ms");
	near(f[0].error, -0.5, 1e-12, "and its error");
	is(f[1].name, "median_ttft_ms", "the median");
	ok(f[1].low == 100 && f[1].high == 200 && f[1].error == 0,
	   "lies in a bucket, with the prediction");
	ok(f[4].low == 100 && isinf(f[4].high),
	   "p99 lies between the last two values");
	o = run_of(50);
	page_score(&v, &o, f);
	near(f[1].error, -0.5, 1e-12, "the error is that to the nearer end");
	o = run_of(400);
	page_score(&v, &o, f);
	near(f[1].error, 1, 1e-12, "above");
	near(page_length_error(&v, VLLM_INPUT, &o), 0.25, 1e-12,
	     "prompts are longer");
	ok(isnan(page_length_error(&v, VLLM_OUTPUT, &o)), "outputs: not known");
	vllm_page_free(&v);
	return done();
}
