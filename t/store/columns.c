/* The columns of a result: each once, in the order that the header promises. */
#include "store/columns.h"
#include <string.h>
#include "cost/coverage.h"
#include "record/figures.h"
#include "record/metrics.h"
#include "tap.h"

static struct store_column at(enum store_mode mode, size_t i)
{
	struct store_column c = {.name = "(none)", .unit = "(none)"};
	store_number(mode, i, &c);
	return c;
}

/* Columns of one table need names of their own. */
static int all_differ(enum store_mode mode)
{
	size_t n = store_n_numbers(mode);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			if (!strcmp(at(mode, i).name, at(mode, k).name))
				return 0;
		for (size_t k = 0; k < store_n_texts(mode); k++)
			if (!strcmp(at(mode, i).name, store_text(mode, k)))
				return 0;
	}
	return 1;
}

static void fits(enum store_mode mode)
{
	struct store_column c = {.name = "untouched"};
	size_t n = store_n_numbers(mode);
	ok(n > 0 && n <= STORE_NUMBERS, "%s: %zu numbers fit",
	   store_mode_name[mode], n);
	ok(store_n_texts(mode) > 0 && store_n_texts(mode) <= STORE_TEXTS,
	   "its texts do");
	ok(all_differ(mode), "all have names of their own");
	ok(!store_number(mode, n, &c) && !strcmp(c.name, "untouched"),
	   "there is none behind the last");
}

/* A column says of a metric what the table of metrics says. */
static int is_metric(const struct store_column *c, const struct metric *m)
{
	return !strcmp(c->name, m->name) && !strcmp(c->unit, m->unit) &&
	       c->better == m->better && c->is_tail == m->tail;
}

static void of_a_run(void)
{
	size_t wrong = 0;
	for (size_t i = 0; i < n_metrics; i++) {
		struct store_column c = at(STORE_RUN, i);
		wrong += !is_metric(&c, &metric[i]);
	}
	ok(wrong == 0, "a run begins with its metrics, in their order");
	is(at(STORE_RUN, store_at_costs() + COST_USD_PER_HOUR).name,
	   cost_figure[COST_USD_PER_HOUR].name, "then its costs");
	is(at(STORE_RUN, store_at_coverage() + SC_EXACT).name, "coverage_exact",
	   "then the shares by provenance");
	is(at(STORE_RUN, store_at_coverage() + COVERAGE_NONE).name,
	   "coverage_none", "where no table answered among them");
	ok(store_n_numbers(STORE_RUN) == store_at_coverage() + COVERAGE_CLASSES,
	   "which end it");
	is(store_text(STORE_RUN, 0), "saturation", "the text of a run");
}

static void of_a_capacity(void)
{
	size_t wrong = 0, k = store_at_latencies();
	for (size_t i = 0; i < n_metrics; i++) {
		struct store_column c = at(STORE_CAPACITY, k);
		if (metric[i].tail)
			k++, wrong += !is_metric(&c, &metric[i]);
	}
	ok(wrong == 0 && k == store_n_numbers(STORE_CAPACITY),
	   "a search has its figures, then every latency");
	is(at(STORE_CAPACITY, FIGURE_GPUS).name, "gpus", "a figure");
	ok(at(STORE_CAPACITY, FIGURE_REQUEST_RATE).better == 1 &&
	       at(STORE_CAPACITY, FIGURE_GPUS).better == -1,
	   "a higher rate is better, more GPUs are not");
	is(store_text(STORE_CAPACITY, 0), "verdict", "its first text");
	is(store_text(STORE_CAPACITY, 1), "limited_by", "its second");
}

static size_t n_headlines(enum store_mode mode)
{
	size_t n = 0;
	for (size_t i = 0; i < store_n_numbers(mode); i++)
		n += at(mode, i).headline != 0;
	return n;
}

int main(void)
{
	for (int mode = 0; mode < STORE_MODES; mode++)
		fits((enum store_mode)mode);
	ok(!store_mode_name[STORE_MODES], "the names of modes end with NULL");
	of_a_run();
	of_a_capacity();
	ok(n_headlines(STORE_RUN) == 5,
	   "four metrics and the costs of a token stand in the line of a run");
	return done();
}
