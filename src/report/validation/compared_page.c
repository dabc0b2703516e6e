/* compared_page.c -- Draws measured and predicted figures of one run. */
#include "report/validation/compared_page.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "draw/dots.h"
#include "draw/html.h"
#include "draw/scatter.h"
#include "report/titles.h"

/* ---- dots ---- */

/* Fills in the row of the measured figure, or of the range that it lies in.
 * The note has room for "above" and a number. */
static struct dots_row measured_row(const struct compared_figure *x,
				    unsigned slot, char note[40])
{
	struct dots_row r = {.name = "measured",
			     .slot = slot,
			     .at = x->low,
			     .low = NAN,
			     .high = NAN};
	if (x->low == x->high)
		return r;
	r.at = NAN;
	r.low = x->low;
	if (isfinite(x->high)) {
		r.high = x->high;
	} else {
		snprintf(note, 40, "above %.4g", x->low);
		r.note = note;
	}
	return r;
}

/* Adds a figure of one metric: measured, and predicted by each arm. */
static void draw(const struct compared *c, size_t n_arms, const char *metric,
		 struct dots_row *row, struct document *to)
{
	char title[TITLE_SIZE], note[40];
	size_t n = 0;
	for (size_t i = 0; i < n_arms; i++) {
		const struct compared_figure *x = compared_find(&c[i], metric);
		if (!x)
			continue;
		if (n == 0)
			row[n++] = measured_row(x, (unsigned)n_arms, note);
		row[n++] = (struct dots_row){.name = c[i].arm,
					     .slot = (unsigned)i,
					     .at = x->predicted,
					     .low = x->interval_low,
					     .high = x->interval_high};
	}
	const struct dots d = {title_of(title, metric), row, n};
	if (n)
		document_dots(to, &d);
}

void compared_dots(const struct compared *c, size_t n_arms,
		   const char *statistic, struct document *d)
{
	static const char *const latency[] = {"e2el", "ttft", "tpot", "itl"};
	struct dots_row *row = calloc(n_arms + 1, sizeof *row);
	for (size_t i = 0; row && i < sizeof latency / sizeof *latency; i++) {
		char name[32];
		snprintf(name, sizeof name, "%s_%s_ms", statistic, latency[i]);
		draw(c, n_arms, name, row, d);
	}
	free(row);
}

/* ---- a document ---- */

void compared_document(const struct compared *c, size_t n_arms,
		       const char *about, struct document *d)
{
	*d = (struct document){.title = "Predicted and measured", .in = IN_ALL};
	for (size_t i = 0; i < n_arms; i++)
		names_add(&d->arms, c[i].arm);
	document_ask(d, "How near do %zu cost models come to a measured run?",
		     n_arms);
	compared_answer(c, n_arms, d);
	document_say(d, "%s", about);
	d->in = IN_PAGE;
	compared_dots(c, n_arms, "mean", d);
	compared_dots(c, n_arms, "median", d);
	compared_dots(c, n_arms, "p99", d);
	d->in = IN_ALL;
	document_say(d, "A mean is exact. A percentile is known by the bucket "
			"that it lies in; an error is that to the nearer end.");
	compared_table(c, n_arms, d);
}

/* ---- a scatter ---- */

/* Adds the figures of an arm; a percentile has a whisker, its bucket. */
static void add_arm(struct scatter *o, const struct compared *c, size_t arm)
{
	scatter_begin(o, c->arm, (unsigned)arm);
	for (size_t i = 0; i < c->n; i++) {
		const struct compared_figure *x = &c->figure[i];
		if (!(x->low > 0) || !isfinite(x->high) || !(x->predicted > 0))
			continue;
		scatter_add(o, (x->low + x->high) / 2, x->predicted);
		scatter_whisker_x(o, x->low, x->high);
	}
}

int compared_plot(const struct compared *c, size_t n_arms, struct plot *to,
		  struct problem *p)
{
	struct scatter o;
	size_t n = 0;
	for (size_t i = 0; i < n_arms; i++)
		n += c[i].n;
	int rc = scatter_open(&o, n, n_arms) < 0 ? problem_no_memory(p) : 0;
	for (size_t i = 0; rc == 0 && i < n_arms; i++)
		add_arm(&o, &c[i], i);
	if (rc == 0 && !o.n)
		rc = problem_set(p, EXIT_INPUT,
				 "--plot: no figure was measured");
	if (rc == 0) {
		struct figure g = scatter_predicted(
		    &o,
		    "Predicted over measured; whiskers: the bucket of a "
		    "percentile",
		    "measured, ms", "predicted, ms");
		rc = plot_figure(to, &g, p);
	}
	scatter_free(&o);
	return rc;
}
