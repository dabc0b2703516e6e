/* compared.c -- Writes measured and predicted figures of one run side by
 * side. */
#include "report/validation/compared.h"
#include <math.h>
#include <string.h>
#include "base/csv.h"
#include "base/number.h"

enum { ARM, MEASURED, PREDICTED, ERROR, INTERVAL, WITHIN, N_CELLS };

static int is_range(const struct compared_figure *x)
{
	return x->low != x->high;
}

int compared_within(const struct compared_figure *x)
{
	if (is_range(x))
		return x->predicted >= x->low && x->predicted <= x->high;
	if (isnan(x->interval_low))
		return -1;
	return x->low >= x->interval_low && x->low <= x->interval_high;
}

/* "12.3", "250 to 500", "above 640000" */
static void range_cell(struct columns *c, size_t at, double low, double high)
{
	if (isnan(low))
		columns_cell(c, 0, at, "-");
	else if (low == high)
		columns_cell(c, 0, at, "%.5g", low);
	else if (isinf(high))
		columns_cell(c, 0, at, "above %.5g", low);
	else
		columns_cell(c, 0, at, "%.5g to %.5g", low, high);
}

/* Adds a row: a figure as measured and as predicted, its error and its
 * interval. */
static void row(struct columns *c, const struct compared_figure *x)
{
	static const char *const word[] = {"-", "no", "yes"};
	range_cell(c, MEASURED, x->low, x->high);
	range_cell(c, PREDICTED, x->predicted, x->predicted);
	columns_value(c, 0, PREDICTED, x->predicted);
	if (isnan(x->error))
		columns_cell(c, 0, ERROR, "-");
	else if (is_range(x) && x->error == 0)
		columns_cell(c, 0, ERROR, "in range");
	else
		columns_cell(c, 0, ERROR, "%+.1f %%", 100 * x->error);
	range_cell(c, INTERVAL, x->interval_low, x->interval_high);
	columns_cell(c, 0, WITHIN, "%s", word[compared_within(x) + 1]);
}

const struct compared_figure *compared_find(const struct compared *c,
					    const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->figure[i].name, name))
			return &c->figure[i];
	return NULL;
}

/* Adds the figure of each arm that has it, one below the other. */
static void rows_of(struct columns *t, const struct compared *c, size_t n_arms,
		    const char *name)
{
	for (size_t a = 0; a < n_arms; a++) {
		const struct compared_figure *x = compared_find(&c[a], name);
		if (!x)
			continue;
		columns_metric(t, name, "");
		columns_words(t, 0, ARM, "%s", c[a].arm);
		row(t, x);
	}
}

/* Adds a row for each figure and arm.  means: of means and throughputs
 * alone. */
static void add_table(const struct compared *c, size_t n_arms, int means,
		      struct document *d)
{
	static const char *const title[N_CELLS] = {
	    "arm", "measured", "predicted", "error", "90 % interval", "within"};
	struct columns t = {.n_groups = 1, .per_group = N_CELLS};
	columns_row(&t, "metric");
	for (size_t i = 0; i < N_CELLS; i++)
		columns_cell(&t, 0, i, "%s", title[i]);
	for (size_t a = 0; a < n_arms; a++)
		for (size_t i = 0; i < c[a].n; i++) {
			const char *name = c[a].figure[i].name;
			size_t before = 0;
			while (before < a && !compared_find(&c[before], name))
				before++;
			if (before == a &&
			    (!means || !strncmp(name, "mean_", 5) ||
			     strstr(name, "throughput")))
				rows_of(&t, c, n_arms, name);
		}
	document_table(d, &t);
}

void compared_table(const struct compared *c, size_t n_arms, struct document *d)
{
	unsigned in = d->in;
	d->in = in & IN_SHORT;
	if (d->in)
		add_table(c, n_arms, 1, d);
	d->in = in & IN_DETAILS;
	add_table(c, n_arms, 0, d);
	d->in = in;
	document_say(d, "90 %% interval: nine in ten measurements should fall "
			"into it, by the errors on scored runs; within: this "
			"one does; -: not known.");
	d->in = in & IN_SHORT;
	document_say(d, "--all has medians and percentiles.");
	d->in = in;
}

/* Says how many figures lie within their intervals, under all arms. */
static void say_within(const struct compared *c, size_t n_arms,
		       struct document *d)
{
	size_t within = 0, known = 0;
	for (size_t a = 0; a < n_arms; a++)
		for (size_t i = 0; i < c[a].n; i++) {
			int is = compared_within(&c[a].figure[i]);
			known += is >= 0;
			within += is > 0;
		}
	if (known)
		document_answer(d,
				"%zu of %zu measured figures lie within the "
				"interval or range of their prediction.",
				within, known);
}

void compared_answer(const struct compared *c, size_t n_arms,
		     struct document *d)
{
	const struct compared_figure *best = NULL;
	char predicted[NUMBER_SIZE], measured[NUMBER_SIZE];
	const char *nearest = "";
	for (size_t i = 0; i < n_arms; i++) {
		const struct compared_figure *x =
		    compared_find(&c[i], "mean_e2el_ms");
		if (!x || !isfinite(x->error) ||
		    (best && fabs(best->error) <= fabs(x->error)))
			continue;
		best = x;
		nearest = c[i].arm;
	}
	if (best)
		document_answer(
		    d,
		    "%s comes nearest: %s ms of mean E2E latency for %s ms "
		    "measured (%+.1f %%).",
		    nearest, number_short(predicted, best->predicted),
		    number_short(measured, best->low), 100 * best->error);
	say_within(c, n_arms, d);
}

/* Nothing for a number that CSV does not have. */
static void cell(FILE *f, double v)
{
	csv_next_number(f, isfinite(v) ? v : (double)NAN);
}

static void csv_arm(const struct compared *c, FILE *f)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct compared_figure *x = &c->figure[i];
		int within = compared_within(x);
		csv_text(f, c->arm);
		fprintf(f, ",%s", x->name);
		cell(f, x->low), cell(f, x->high);
		cell(f, x->predicted), cell(f, x->error);
		cell(f, x->interval_low), cell(f, x->interval_high);
		cell(f, within < 0 ? (double)NAN : within);
		putc('\n', f);
	}
}

void compared_csv(const struct compared *arm, size_t n, FILE *f)
{
	fputs("arm,metric,measured_low,measured_high,predicted,error,"
	      "interval_low,interval_high,within\n",
	      f);
	for (size_t i = 0; i < n; i++)
		csv_arm(&arm[i], f);
}

void compared_json(const struct compared *c, struct jw *j)
{
	jw_object(j, NULL);
	jw_text(j, "arm", c->arm);
	jw_object(j, "figures");
	for (size_t i = 0; i < c->n; i++) {
		const struct compared_figure *x = &c->figure[i];
		int within = compared_within(x);
		jw_flat_object(j, x->name);
		jw_number(j, "measured_low", x->low);
		jw_number(j, "measured_high", x->high);
		jw_number(j, "predicted", x->predicted);
		jw_number(j, "error", x->error);
		jw_number(j, "interval_low", x->interval_low);
		jw_number(j, "interval_high", x->interval_high);
		jw_number(j, "within", within < 0 ? (double)NAN : within);
		jw_end(j);
	}
	jw_end(j);
	jw_end(j);
}
