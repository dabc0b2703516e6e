/* imported_workload.c -- Writes [workload] from the histograms of a server. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/number.h"
#include "report/import/imported.h"

/* Percentiles of fewer requests are noise; more take long. */
static const double fewest = 1000, most = 10000;

/* ---- lengths ---- */

/* Returns an end for the last bucket, which has none: the longest request, or
 * as far as the mean needs. */
static double last_edge(const struct histogram *h, double max_model_len)
{
	double last = h->n > 1 ? h->edge[h->n - 2] : 1, rest = h->sum;
	for (uint32_t i = 0; i + 1 < h->n; i++)
		rest -= h->count[i] * h->edge[i];
	double needed = h->count[h->n - 1] > 0 ? rest / h->count[h->n - 1] : 0;
	return fmax(max_model_len > last ? max_model_len : 2 * last,
		    ceil(1.1 * needed));
}

static void write_number(FILE *to, const char *before, double v)
{
	char text[NUMBER_SIZE];
	number_format(text, v);
	fprintf(to, "%s%s", before, text);
}

/* Leaves out buckets without requests at both ends, except the one that says
 * where the first other begins. */
static void write_buckets(FILE *to, const struct histogram *h,
			  double max_model_len)
{
	uint32_t first = 0, last = h->n - 1;
	while (first < last && h->count[first] == 0)
		first++;
	while (last > first && h->count[last] == 0)
		last--;
	for (uint32_t i = first ? first - 1 : 0; i <= last; i++) {
		double edge =
		    i + 1 < h->n ? h->edge[i] : last_edge(h, max_model_len);
		write_number(to, ",", edge);
		write_number(to, "=", h->count[i]);
	}
}

static int write_lengths(const struct imported *x, FILE *f, const char *key,
			 enum vllm_histogram which)
{
	const struct histogram *h = &x->page->of[which];
	double len = x->log ? x->log->max_model_len : NAN;
	if (!(h->total > 0))
		return imported_missing(x, f, key, "",
					"the page has no finished request");
	struct text t;
	FILE *to = text_begin(&t);
	if (!to)
		return -1;
	fputs("histogram:", to);
	write_number(to, "mean=", histogram_mean(h));
	write_buckets(to, h, len);
	if (fclose(to) != 0) {
		free(t.s);
		return -1;
	}
	fprintf(f, "%s = %s\n", key, t.s);
	free(t.s);
	return 0;
}

/* ---- arrivals ---- */

static int write_rate(const struct imported *x, FILE *f)
{
	double per_request = histogram_mean(&x->page->of[VLLM_OUTPUT]);
	double made = x->log ? vllm_log_output_rate(x->log) : NAN;
	char why[160];
	if (made > 0 && per_request > 0) {
		snprintf(why, sizeof why,
			 "log: %.1f output tokens/s (%llu lines), %.1f a "
			 "request",
			 made, (unsigned long long)x->log->load_lines,
			 per_request);
		imported_number(f, "request_rate", made / per_request, why);
		return 0;
	}
	snprintf(why, sizeof why,
		 x->is_since ? "requests/s: %.0f requests ended between the "
			       "pages; divide by the seconds between them"
			     : "requests/s: not told by one page; --since "
			       "EARLIER counts those between two",
		 x->page->requests);
	return imported_missing(x, f, "request_rate", "", why);
}

/* ---- the cache ---- */

/* Returns the share of prompt tokens that were found in the cache, NaN if the
 * page does not tell.  A request that waits is counted with every look at the
 * cache in vLLM's own rate of hits, so its newer counters come first. */
static double cached_share(const struct vllm_page *v)
{
	if (v->counter[VLLM_PROMPT_CACHED] >= 0 &&
	    v->counter[VLLM_PROMPT_TOKENS] > 0)
		return v->counter[VLLM_PROMPT_CACHED] /
		       v->counter[VLLM_PROMPT_TOKENS];
	return v->counter[VLLM_PREFIX_QUERIES] > 0
		   ? v->counter[VLLM_PREFIX_HITS] /
			 v->counter[VLLM_PREFIX_QUERIES]
		   : NAN;
}

static void write_prefix(const struct imported *x, FILE *f)
{
	double share = cached_share(x->page);
	double mean = histogram_mean(&x->page->of[VLLM_INPUT]);
	char why[120];
	if (!(share >= 0.005) || !(mean > 0))
		return;
	fputs("; The page does not tell which prompts are alike. One common "
	      "beginning of this length\n; gives the same share of cached "
	      "tokens; a trace would tell more.\n",
	      f);
	snprintf(why, sizeof why, "%.1f %% of prompt tokens were cached",
		 100 * share);
	imported_number(f, "shared_prefix_tokens", rint(fmin(share, 1) * mean),
			why);
}

int imported_workload(const struct imported *x, FILE *f)
{
	char why[80];
	fputs("\n; Lengths: each bucket has the measured share of requests. In "
	      "a bucket, draws are\n; skewed so that the mean is the measured "
	      "one. Prompt and output are independent.\n[workload]\n",
	      f);
	snprintf(why, sizeof why, "the page has %.0f", x->page->requests);
	imported_number(f, "num_requests",
			fmax(fewest, fmin(most, x->page->requests)), why);
	imported_line(f, "arrival", "poisson",
		      "the page does not tell the gaps");
	if (write_rate(x, f) < 0 ||
	    write_lengths(x, f, "input_tokens", VLLM_INPUT) < 0 ||
	    write_lengths(x, f, "output_tokens", VLLM_OUTPUT) < 0)
		return -1;
	write_prefix(x, f);
	return 0;
}
