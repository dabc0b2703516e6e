/* kernel_rows.h -- rows of shipped kernel tables as questions to the plugin
 * operators: what it says of points that it was told, or was not.  Needs tap.h
 * and bare.h before it. */
#ifndef T_KERNEL_ROWS_H
#define T_KERNEL_ROWS_H
#include <math.h>
#include "base/problem.h"
#include "cost/kernel_op.h"
#include "model_8b.h"
#include "stepcost/format.h"
#include "stepcost/kernel/rates.h"
#include "stepcost/table.h"
#include "tables/set.h"

static const sc_plugin *operators;
static sc_error kernel_error = {.size = sizeof kernel_error};

/* ---- sets ---- */

/* layers: as in set_load(). */
static struct table_set kernel_set_for(const char *name, uint32_t layers)
{
	struct table_set s;
	struct problem p;
	char path[4096];
	const char *folder = getenv("STEPCOST_DATA_PATH");
	snprintf(path, sizeof path, "%s/bench_data", folder ? folder : ".");
	if (set_load(&s, path, name, layers, &p) < 0)
		bail_out(p.text);
	return s;
}

static inline struct table_set kernel_set(const char *name)
{
	return kernel_set_for(name, 0);
}

/* The GPU that a set was measured on, as its MANIFEST says. */
static sc_hardware kernel_gpu(const sc_table *t)
{
	struct sc_rates r = sc_rates_of_notes(t);
	sc_hardware hw = {.size = sizeof hw,
			  .name = t->set,
			  .mem_bandwidth = 1e6 * r.bandwidth,
			  .link_bandwidth = 1e6 * r.link};
	for (uint32_t f = 1; f < SC_FORMAT_CODES; f++)
		hw.peak_flops[f] = 1e6 * r.peak[f];
	return hw;
}

/* ---- instances ---- */

/* Stays where it is while it lives: the plugin has pointers into it. */
struct kernel_instance {
	sc_hardware gpu;
	sc_setup setup;
	void *of;
};

/* Of any model: it is kernels that are asked for. */
static void kernel_open(struct kernel_instance *i, const sc_hardware *gpu,
			const sc_table *const *table, uint32_t n)
{
	static const sc_engine engine = {.size = sizeof engine};
	static const sc_parallel parallel = {
	    .size = sizeof parallel, .tp = 1, .pp = 1, .ep = 1, .dp = 1};
	i->gpu = *gpu;
	i->setup = (sc_setup){.size = sizeof i->setup,
			      .n_tables = n,
			      .model = &model_8b,
			      .hardware = &i->gpu,
			      .parallel = &parallel,
			      .engine = &engine,
			      .table = table};
	void *block = bare_knobs(operators);
	if (operators->create(&i->of, &i->setup, block, &kernel_error) != SC_OK)
		bail_out(kernel_error.text);
	free(block);
}

static void kernel_close(struct kernel_instance *i)
{
	operators->destroy(i->of);
}

/* us; NaN: it refuses. */
static inline double kernel_us(const struct kernel_instance *i,
			       const sc_kernel *k)
{
	sc_kernel_result r = {.size = sizeof r};
	return operators->kernel(i->of, k, &r, &kernel_error) == SC_OK
		   ? r.latency_us
		   : (double)NAN;
}

/* ---- the kernel that a row is ---- */

static void kernel_set_word(sc_kernel *k, enum kernel_column column,
			    const char *word)
{
	switch (column) {
	case KERNEL_DTYPE:
		k->dtype = word;
		break;
	case KERNEL_GEMM_DTYPE:
		k->gemm_dtype = word;
		break;
	case KERNEL_KV_DTYPE:
		k->kv_format = sc_format_named(word);
		break;
	case KERNEL_ROUTING:
		k->routing = word;
		break;
	case KERNEL_KIND:
		k->kind = word;
		break;
	case KERNEL_MODE:
		k->mode = word;
		break;
	case KERNEL_MODEL:
		k->model = word;
		break;
	default:
		break;
	}
}

static void kernel_set_cell(sc_kernel *k, const struct kernel_axis *a,
			    const sc_table *t, uint64_t row)
{
	const double *number = sc_column(t, a->name);
	const char *const *word = sc_words(t, a->name);
	if (a->column == KERNEL_NONE)
		return;
	if (word)
		kernel_set_word(k, a->column, word[row]);
	else if (number && number[row] > 0)
		kernel_set_size(k, a->column, (uint64_t)number[row]);
}

static sc_kernel kernel_of(const sc_table *t, uint64_t row)
{
	const struct kernel_op *op = kernel_table_find(t->op);
	sc_kernel k = {.size = sizeof k,
		       .op = op->op,
		       .format = SC_BF16,
		       .linear_kind = op->linear};
	for (int i = 0; op->key[i].name; i++)
		kernel_set_cell(&k, &op->key[i], t, row);
	for (int i = 0; op->axis[i].name; i++)
		kernel_set_cell(&k, &op->axis[i], t, row);
	return k;
}

/* ---- errors ---- */

struct kernel_errors {
	size_t n, room;
	double *of, sum;
};

/* Of one answer; NaN is none. */
static inline void kernel_errors_add(struct kernel_errors *e, double us,
				     double want)
{
	if (isnan(us) || isnan(want))
		return;
	if (e->n == e->room) {
		e->room = e->room ? 2 * e->room : 1024;
		e->of = realloc(e->of, e->room * sizeof *e->of);
		if (!e->of)
			bail_out("out of memory");
	}
	e->of[e->n] = fabs(us / want - 1);
	e->sum += e->of[e->n++];
}

static int kernel_by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* Of enough answers the mean error is at most `most`; empties *e. */
static inline void kernel_errors_check(struct kernel_errors *e, double most,
				       const char *what)
{
	double mean = e->n ? e->sum / (double)e->n : (double)NAN;
	qsort(e->of, e->n, sizeof *e->of, kernel_by_size);
	ok(e->n > 20 && mean <= most,
	   "%s: %zu rows, mean error %.1f %%, median %.1f %%", what, e->n,
	   100 * mean, e->n ? 100 * e->of[e->n / 2] : (double)NAN);
	free(e->of);
	*e = (struct kernel_errors){0};
}
#endif
