/* columns.c -- Lists the columns of a result. */
#include "store/columns.h"
#include <string.h>
#include "cost/coverage.h"
#include "record/figures.h"
#include "record/metrics.h"

const char *const store_mode_name[] = {"run", "capacity", NULL};

size_t store_at_costs(void)
{
	return n_metrics;
}

size_t store_at_coverage(void)
{
	return n_metrics + N_COST_FIGURES;
}

size_t store_at_latencies(void)
{
	return N_CAPACITY_FIGURES;
}

/* A sweep prints one line per point, which has less room than the table of a
 * run. */
static int is_headline(const char *name)
{
	static const char *const of_a_line[] = {
	    "output_throughput", "p99_ttft_ms", "mean_tpot_ms", "p99_tpot_ms",
	    "usd_per_million_output_tokens"};
	for (size_t i = 0; i < sizeof of_a_line / sizeof *of_a_line; i++)
		if (!strcmp(of_a_line[i], name))
			return 1;
	return 0;
}

static struct store_column of_metric(const struct metric *m, int headline)
{
	return (struct store_column){.name = m->name,
				     .unit = m->unit,
				     .better = m->better,
				     .is_tail = m->tail,
				     .headline = headline};
}

static struct store_column of_figure(const struct figure_kind *f, int headline)
{
	return (struct store_column){.name = f->name,
				     .unit = f->unit,
				     .better = f->better,
				     .headline = headline};
}

/* Returns the i-th latency, or NULL. */
static const struct metric *latency(size_t i)
{
	for (size_t k = 0; k < n_metrics; k++)
		if (metric[k].tail && i-- == 0)
			return &metric[k];
	return NULL;
}

static int of_run(size_t i, struct store_column *out)
{
	static const char *const share[COVERAGE_CLASSES] = {
	    [SC_EXACT] = "coverage_exact",
	    [SC_INTERPOLATED] = "coverage_interpolated",
	    [SC_CLAMPED] = "coverage_clamped",
	    [SC_SUBSTITUTED] = "coverage_substituted",
	    [SC_FALLBACK] = "coverage_fallback",
	    [COVERAGE_NONE] = "coverage_none",
	};
	if (i < n_metrics) {
		*out = of_metric(&metric[i], is_headline(metric[i].name));
	} else if (i < store_at_coverage()) {
		*out = of_figure(&cost_figure[i - n_metrics], 0);
	} else {
		i -= store_at_coverage();
		if (i >= COVERAGE_CLASSES)
			return 0;
		*out = (struct store_column){.name = share[i], .unit = ""};
	}
	return 1;
}

static int of_capacity(size_t i, struct store_column *out)
{
	static const int in_a_line[N_CAPACITY_FIGURES] = {
	    [FIGURE_REQUEST_RATE] = 1,
	    [FIGURE_OUTPUT_THROUGHPUT] = 1,
	    [FIGURE_GPUS] = 1,
	    [FIGURE_USD_PER_MTOK] = 1};
	if (i < N_CAPACITY_FIGURES) {
		*out = of_figure(&capacity_figure[i], in_a_line[i]);
		return 1;
	}
	const struct metric *m = latency(i - N_CAPACITY_FIGURES);
	if (m)
		*out = of_metric(m, 1);
	return m != NULL;
}

int store_number(enum store_mode mode, size_t i, struct store_column *out)
{
	return mode == STORE_RUN ? of_run(i, out) : of_capacity(i, out);
}

size_t store_n_numbers(enum store_mode mode)
{
	struct store_column unused;
	size_t n = 0;
	while (store_number(mode, n, &unused))
		n++;
	return n;
}

const char *store_text(enum store_mode mode, size_t i)
{
	static const char *const text[STORE_MODES][STORE_TEXTS + 1] = {
	    [STORE_RUN] = {"saturation"},
	    [STORE_CAPACITY] = {"verdict", "limited_by", "stopped_by", "basis"},
	};
	return text[mode][i];
}

size_t store_n_texts(enum store_mode mode)
{
	size_t n = 0;
	while (store_text(mode, n))
		n++;
	return n;
}
