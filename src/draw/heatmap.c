/* heatmap.c -- Draws a table of values as coloured cells. */
#include <config.h>
#include "draw/heatmap.h"
#include <math.h>
#include "draw/figure.h"
#include "draw/gnuplot_private.h"
#include "draw/svg.h"

/* In SVG's user units, which the page scales. */
enum { LEFT = 130, TOP = 34, CELL_HEIGHT = 26, BOTTOM = 44 };

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
	char text[32];
	snprintf(text, sizeof text, "%.4g", v);
	fprintf(f,
		"<rect class=\"b0 b\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		"height=\"%d\" style=\"opacity:%.2f\"/>\n",
		x, y, width - 1, CELL_HEIGHT - 1, 0.08 + 0.72 * shade);
	text_at(f, x + width / 2, y + 17, "t m", text);
}

void heatmap_svg(FILE *f, const struct heatmap *h)
{
	double lo, hi, width = (FIGURE_WIDTH - LEFT - 10.0) / (double)h->n_x;
	double bottom = TOP + CELL_HEIGHT * (double)h->n_y;
	range(h, &lo, &hi);
	fprintf(f,
		"<svg viewBox=\"0 0 %d %.0f\" class=\"fig\" role=\"img\" "
		"xmlns=\"http://www.w3.org/2000/svg\">\n<title>",
		FIGURE_WIDTH, bottom + BOTTOM);
	svg_text(f, h->title);
	fputs("</title>\n", f);
	text_at(f, 4, 20, "h", h->title);
	for (size_t r = 0; r < h->n_y; r++) {
		double y = TOP + CELL_HEIGHT * (double)r;
		text_at(f, LEFT - 6, y + 17, "t e", h->y[r]);
		for (size_t c = 0; c < h->n_x; c++) {
			double v = h->value[r * h->n_x + c];
			if (isfinite(v))
				cell(f, LEFT + width * (double)c, y, width, v,
				     hi > lo ? (v - lo) / (hi - lo) : 0.5);
		}
	}
	for (size_t c = 0; c < h->n_x; c++)
		text_at(f, LEFT + width * ((double)c + 0.5), bottom + 16, "t m",
			h->x[c]);
	text_at(f, LEFT + (FIGURE_WIDTH - LEFT) / 2.0, bottom + 36, "l m",
		h->x_label);
	text_at(f, 4, bottom + 36, "l", h->y_label);
	fputs("</svg>\n", f);
}

/* ---- as a file ---- */

static void tics(FILE *f, char axis, const char *const *name, size_t n)
{
	fprintf(f, "set %ctics (", axis);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ", " : "", f);
		gnuplot_quoted(f, name[i]);
		fprintf(f, " %zu", i);
	}
	fputs(")\n", f);
}

static void script(FILE *f, const void *what)
{
	const struct heatmap *h = what;
	fputs("set title ", f);
	gnuplot_quoted(f, h->title);
	fputs("\nset xlabel ", f);
	gnuplot_quoted(f, h->x_label);
	fputs("\nset ylabel ", f);
	gnuplot_quoted(f, h->y_label);
	fputc('\n', f);
	tics(f, 'x', h->x, h->n_x);
	tics(f, 'y', h->y, h->n_y);
	fputs("set palette defined (0 'white', 1 '#0072b2')\nunset key\n"
	      "set yrange [] reverse\n"
	      "plot '-' using 1:2:3 with image\n",
	      f);
	for (size_t r = 0; r < h->n_y; r++)
		for (size_t c = 0; c < h->n_x; c++) {
			double v = h->value[r * h->n_x + c];
			if (isfinite(v))
				fprintf(f, "%zu %zu %.9g\n", c, r, v);
			else
				fprintf(f, "%zu %zu NaN\n", c, r);
		}
	fputs("e\n", f);
}

int heatmap_gnuplot(struct gnuplot *o, const struct heatmap *h,
		    struct problem *p)
{
	return gnuplot_run(o, script, h, p);
}
