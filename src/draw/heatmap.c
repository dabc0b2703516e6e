/* heatmap.c -- Draws a table of values as coloured cells. */
#include "draw/heatmap.h"
#include <math.h>
#include <string.h>
#include "base/number.h"
#include "draw/figure.h"
#include "draw/svg.h"

/* In SVG's user units, which the page scales. */
enum { TOP = 30, CELL_HEIGHT = 26, BOTTOM = 46, CHARACTER = 8, AIM = 520 };
enum { LEAST_CELL = 58, MOST_CELL = 120 };

static void text_at(FILE *f, double x, double y, const char *class,
		    const char *s)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	svg_text(f, s);
	fputs("</text>\n", f);
}

static void range(const struct heatmap *h, double *lo, double *hi)
{
	*lo = INFINITY;
	*hi = -INFINITY;
	for (size_t i = 0; i < h->n_x * h->n_y; i++)
		if (isfinite(h->value[i])) {
			*lo = fmin(*lo, h->value[i]);
			*hi = fmax(*hi, h->value[i]);
		}
}

static void cell(FILE *f, double x, double y, double width, double v,
		 double shade)
{
	char text[NUMBER_SIZE];
	number_short(text, v);
	fprintf(f,
		"<rect class=\"f0\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		"height=\"%d\" style=\"opacity:%.2f\"/>\n",
		x, y, width - 1, CELL_HEIGHT - 1, 0.06 + 0.5 * shade);
	text_at(f, x + width / 2, y + 17, "m", text);
}

/* ---- layout ---- */

static double left_of(const struct heatmap *h)
{
	size_t longest = strlen(h->y_label);
	for (size_t i = 0; i < h->n_y; i++)
		if (strlen(h->y[i]) > longest)
			longest = strlen(h->y[i]);
	return 12 + CHARACTER * (double)longest;
}

static double cell_width(const struct heatmap *h)
{
	double width = (AIM - left_of(h)) / (double)h->n_x;
	for (size_t i = 0; i < h->n_x; i++)
		width = fmax(width, 8 + CHARACTER * (double)strlen(h->x[i]));
	return fmin(fmax(width, LEAST_CELL), MOST_CELL);
}

static double width_of(const struct heatmap *h)
{
	return left_of(h) + cell_width(h) * (double)h->n_x + 10;
}

static double height_of(const struct heatmap *h)
{
	return TOP + CELL_HEIGHT * (double)h->n_y + BOTTOM;
}

/* Draws the cells, the names of rows and columns, and the labels of the axes.
 */
static void draw(FILE *f, const struct heatmap *h)
{
	double lo, hi, width = cell_width(h), left = left_of(h);
	double bottom = TOP + CELL_HEIGHT * (double)h->n_y;
	range(h, &lo, &hi);
	text_at(f, left - 6, 18, "e", h->y_label);
	for (size_t r = 0; r < h->n_y; r++) {
		double y = TOP + CELL_HEIGHT * (double)r;
		text_at(f, left - 6, y + 17, "e", h->y[r]);
		for (size_t c = 0; c < h->n_x; c++) {
			double v = h->value[r * h->n_x + c];
			if (isfinite(v))
				cell(f, left + width * (double)c, y, width, v,
				     hi > lo ? (v - lo) / (hi - lo) : 0.5);
		}
	}
	for (size_t c = 0; c < h->n_x; c++)
		text_at(f, left + width * ((double)c + 0.5), bottom + 17, "m",
			h->x[c]);
	text_at(f, left + width * (double)h->n_x / 2, bottom + 38, "m",
		h->x_label);
}

/* A map that is wider than a phone shrinks: nothing is scrolled sideways. */
void heatmap_svg(FILE *f, const struct heatmap *h)
{
	double width = width_of(h), height = height_of(h);
	fputs("<figure><figcaption>", f);
	svg_text(f, h->title);
	fprintf(f,
		"</figcaption>\n"
		"<svg viewBox=\"0 0 %.0f %.0f\" class=\"fig\" role=\"img\" "
		"style=\"max-width:%.0fpx\" "
		"xmlns=\"http://www.w3.org/2000/svg\">\n<title>",
		width, height, 1.25 * width);
	svg_text(f, h->title);
	fputs("</title>\n", f);
	draw(f, h);
	fputs("</svg></figure>\n", f);
}

/* ---- as a file ---- */

int heatmap_plot(struct plot *o, const struct heatmap *h, struct problem *p)
{
	FILE *f = plot_begin(o, p);
	if (!f)
		return -1;
	svg_alone_begin(f, h->title, (int)width_of(h), (int)height_of(h));
	draw(f, h);
	svg_alone_end(f);
	return plot_end(o, p);
}
