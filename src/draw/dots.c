/* dots.c -- Draws dots and whiskers, a row for each name. */
#include "draw/dots.h"
#include <math.h>
#include <string.h>
#include "base/number.h"
#include "draw/axis.h"
#include "draw/figure.h"
#include "draw/svg.h"

/* Places are thousandths of the width of a drawing.  A tick's text must fit on
 * a drawing of LEAST_WIDTH pixels. */
enum { PLACES = 1000, LEAST_WIDTH = 190, CHARACTER_WIDTH = 8 };

static void add_span(struct axis *a, double lo, double hi)
{
	axis_add(a, lo);
	axis_add(a, hi);
}

static struct axis axis_of(const struct dots *d)
{
	struct axis a = axis_empty(0, PLACES, 0);
	double least = INFINITY, most = -INFINITY, first = least, last = most;
	for (size_t i = 0; i < d->n; i++) {
		const struct dots_row *r = &d->row[i];
		first = fmin(first, r->at);
		last = fmax(last, r->at);
		least = fmin(least, fmin(r->at, r->low));
		most = fmax(most, fmax(r->at, r->high));
	}
	int is_wide = axis_wants_log(first, last);
	a.log = is_wide || axis_wants_log(least, most);
	if (isfinite(least))
		add_span(&a, is_wide ? first : least, is_wide ? last : most);
	axis_finish(&a);
	return a;
}

static double percent(const struct axis *a, double v)
{
	return axis_place(a, v) / (PLACES / 100.0);
}

/* Draws an end of a whisker that lies beyond the axis; returns its place. */
static double whisker_end(FILE *f, const struct axis *a, double v,
			  unsigned slot)
{
	double on = a->log ? fmin(fmax(v, a->lo), a->hi) : v;
	if (on != v)
		fprintf(f,
			"<svg x=\"%.1f%%\" y=\"50%%\" "
			"overflow=\"visible\"><path class=\"dw s%u\" "
			"fill=\"none\" d=\"M%d-4 0 0 %d 4\"/></svg>",
			percent(a, on), slot, v < on ? 5 : -5, v < on ? 5 : -5);
	return percent(a, on);
}

static void row_drawing(FILE *f, const struct dots_row *r, const struct axis *a)
{
	unsigned slot = r->slot % FIGURE_COLOURS;
	fputs("<svg class=\"dv\" role=\"img\">", f);
	for (int i = 0; i < a->n_ticks; i++)
		fprintf(f,
			"<line class=\"dl\" x1=\"%.1f%%\" x2=\"%.1f%%\" "
			"y1=\"0\" y2=\"100%%\"/>",
			percent(a, a->tick[i]), percent(a, a->tick[i]));
	if (isfinite(r->low) && isfinite(r->high)) {
		double x1 = whisker_end(f, a, r->low, slot);
		double x2 = whisker_end(f, a, r->high, slot);
		fprintf(f,
			"<line class=\"dw s%u\" x1=\"%.1f%%\" x2=\"%.1f%%\" "
			"y1=\"50%%\" y2=\"50%%\"/>",
			slot, x1, x2);
	}
	if (axis_has(a, r->at))
		fprintf(f,
			"<circle class=\"f%u\" cx=\"%.1f%%\" cy=\"50%%\" "
			"r=\"5.5\"/>",
			slot, percent(a, r->at));
	fputs("</svg>", f);
}

static void number(FILE *f, double v)
{
	char s[NUMBER_SIZE];
	fputs(number_short(s, v), f);
}

static void row_numbers(FILE *f, const struct dots_row *r)
{
	fputs("<span class=\"dt\">", f);
	if (r->note)
		svg_text(f, r->note);
	else if (isfinite(r->at)) {
		fputs("<b>", f);
		number(f, r->at);
		fputs("</b>", f);
	}
	if (!r->note && isfinite(r->low) && isfinite(r->high)) {
		fputs(" <small>", f);
		number(f, r->low);
		fputs(" to ", f);
		number(f, r->high);
		fputs("</small>", f);
	}
	fputs("</span>\n", f);
}

/* Leaves out a tick's text that would touch the text before it. */
static void axis_drawing(FILE *f, const struct axis *a)
{
	double free_from = -1e9;
	fputs("<span class=\"de\"></span><svg class=\"da\">", f);
	for (int i = 0; i < a->n_ticks; i++) {
		char s[32];
		double at = percent(a, a->tick[i]);
		svg_tick_text(s, a->tick[i]);
		double half = CHARACTER_WIDTH * (double)strlen(s) / 2;
		double pixel = at / 100 * LEAST_WIDTH;
		if (pixel - half < free_from)
			continue;
		fprintf(f, "<text x=\"%.1f%%\" y=\"13\">%s</text>", at, s);
		free_from = pixel + half + CHARACTER_WIDTH;
	}
	fputs("</svg><span></span>\n", f);
}

void dots_html(FILE *f, const struct dots *d)
{
	struct axis a = axis_of(d);
	fputs("<figure class=\"dots\"><figcaption>", f);
	svg_text(f, d->title);
	fputs(axis_note(&a), f);
	fputs("</figcaption><div class=\"dg\">\n", f);
	for (size_t i = 0; i < d->n; i++) {
		fputs("<span class=\"dn\">", f);
		svg_text(f, d->row[i].name);
		fputs("</span>", f);
		row_drawing(f, &d->row[i], &a);
		row_numbers(f, &d->row[i]);
	}
	axis_drawing(f, &a);
	fputs("</div></figure>\n", f);
}
