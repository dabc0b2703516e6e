/* svg.c -- Draws figures and bars as inline SVG. */
#include <config.h>
#include "draw/svg.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "draw/axis.h"

/* The drawing, in SVG's user units; the page scales it. */
enum {
	WIDTH = FIGURE_WIDTH,
	HEIGHT = FIGURE_HEIGHT,
	LEFT = 76,
	RIGHT = 16,
	TOP = 34,
	BOTTOM = 50,
	LEGEND_ROW = 18,
};

/* ---- text and scales ---- */

void svg_text(FILE *f, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			fputc(*s, f);
		}
}

static void text_at(FILE *f, double x, double y, const char *class,
		    const char *s)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	svg_text(f, s);
	fputs("</text>\n", f);
}

static void begin(FILE *f, const char *title, int legend_rows)
{
	fprintf(f,
		"<svg viewBox=\"0 0 %d %d\" class=\"fig\" role=\"img\" "
		"xmlns=\"http://www.w3.org/2000/svg\">\n<title>",
		WIDTH, HEIGHT + legend_rows * LEGEND_ROW);
	svg_text(f, title);
	fputs("</title>\n", f);
	text_at(f, LEFT, 20, "h", title);
}

static void draw_ticks(FILE *f, const struct axis *a, int vertical)
{
	for (int i = 0; i < a->n_ticks; i++) {
		char s[32];
		double at = axis_place(a, a->tick[i]);
		snprintf(s, sizeof s, "%g", a->tick[i]);
		if (vertical) {
			fprintf(f, "<path class=\"g\" d=\"M%d %.1fH%d\"/>\n",
				LEFT, at, WIDTH - RIGHT);
			text_at(f, LEFT - 6, at + 4, "t e", s);
		} else {
			fprintf(f, "<path class=\"g\" d=\"M%.1f %dV%d\"/>\n",
				at, TOP, HEIGHT - BOTTOM);
			text_at(f, at, HEIGHT - BOTTOM + 17, "t m", s);
		}
	}
}

static void y_label(FILE *f, const char *s)
{
	fprintf(f,
		"<text transform=\"translate(16 %d) rotate(-90)\" "
		"class=\"l m\">",
		(TOP + HEIGHT - BOTTOM) / 2);
	svg_text(f, s);
	fputs("</text>\n", f);
}

/* How far a legend entry reaches; the font's width is a guess. */
static int entry_width(const char *name)
{
	return 40 + 7 * (int)strlen(name);
}

/* Walks the legend; f NULL only counts its rows. */
static int legend(FILE *f, const char *const *name, const unsigned *slot,
		  const enum figure_mark *mark, size_t n)
{
	int x = LEFT, row = 0;
	for (size_t i = 0; i < n; i++) {
		if (!name[i])
			continue;
		int w = entry_width(name[i]);
		if (x > LEFT && x + w > WIDTH - RIGHT) {
			x = LEFT;
			row++;
		}
		int y = HEIGHT + row * LEGEND_ROW + 4;
		if (f && mark && mark[i] != MARK_POINTS)
			fprintf(f, "<path class=\"s s%u\" d=\"M%d %dh24\"/>\n",
				slot[i], x, y - 4);
		else if (f)
			fprintf(f,
				"<rect class=\"b b%u\" x=\"%d\" y=\"%d\" "
				"width=\"12\" height=\"12\"/>\n",
				slot[i], x + 6, y - 10);
		if (f)
			text_at(f, x + 29, y, "t", name[i]);
		x += w;
	}
	return x == LEFT && row == 0 ? 0 : row + 1;
}

/* ---- series ---- */

static void draw_points(FILE *f, const struct figure_series *s,
			const struct axis *x, const struct axis *y)
{
	fprintf(f, "<path class=\"p b%u\" d=\"", s->slot % FIGURE_COLOURS);
	for (size_t i = 0; i < s->n; i++)
		if (axis_has(x, s->x[i]) && axis_has(y, s->y[i]))
			fprintf(f, "M%.1f %.1fh0", axis_place(x, s->x[i]),
				axis_place(y, s->y[i]));
	fputs("\"/>\n", f);
}

/* A gap in the data is a gap in the line. */
static void draw_line(FILE *f, const struct figure_series *s,
		      const struct axis *x, const struct axis *y)
{
	int drawing = 0;
	fprintf(f, "<path class=\"s s%u\" d=\"", s->slot % FIGURE_COLOURS);
	for (size_t i = 0; i < s->n; i++) {
		if (!axis_has(x, s->x[i]) || !axis_has(y, s->y[i])) {
			drawing = 0;
			continue;
		}
		double px = axis_place(x, s->x[i]), py = axis_place(y, s->y[i]);
		if (!drawing)
			fprintf(f, "M%.1f %.1f", px, py);
		else if (s->mark == MARK_STEPS)
			fprintf(f, "H%.1fV%.1f", px, py);
		else
			fprintf(f, "L%.1f %.1f", px, py);
		drawing = 1;
	}
	fputs("\"/>\n", f);
}

static int figure_legend(FILE *f, const struct figure *g)
{
	const char **name = calloc(g->n_series + 1, sizeof *name);
	unsigned *slot = calloc(g->n_series + 1, sizeof *slot);
	enum figure_mark *mark = calloc(g->n_series + 1, sizeof *mark);
	int rows = 0;
	for (size_t i = 0; name && slot && mark && i < g->n_series; i++) {
		name[i] = g->series[i].name;
		slot[i] = g->series[i].slot % FIGURE_COLOURS;
		mark[i] = g->series[i].mark;
	}
	if (name && slot && mark)
		rows = legend(f, name, slot, mark, g->n_series);
	free(name), free(slot), free(mark);
	return rows;
}

void svg_figure(FILE *f, const struct figure *g)
{
	struct axis x = axis_empty(LEFT, WIDTH - RIGHT, g->log_x);
	struct axis y = axis_empty(HEIGHT - BOTTOM, TOP, g->log_y);
	for (size_t k = 0; k < g->n_series; k++)
		for (size_t i = 0; i < g->series[k].n; i++) {
			axis_add(&x, g->series[k].x[i]);
			axis_add(&y, g->series[k].y[i]);
		}
	axis_finish(&x);
	axis_finish(&y);
	begin(f, g->title, figure_legend(NULL, g));
	draw_ticks(f, &x, 0);
	draw_ticks(f, &y, 1);
	text_at(f, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, "l m",
		g->x_label);
	y_label(f, g->y_label);
	for (size_t k = 0; k < g->n_series; k++)
		if (g->series[k].mark == MARK_POINTS)
			draw_points(f, &g->series[k], &x, &y);
		else
			draw_line(f, &g->series[k], &x, &y);
	figure_legend(f, g);
	fputs("</svg>\n", f);
}

/* ---- stacked bars ---- */

static void draw_bar(FILE *f, const struct bars *b, size_t c,
		     const struct axis *y)
{
	double slot = (double)(WIDTH - RIGHT - LEFT) / (double)b->n_categories;
	double x = LEFT + slot * ((double)c + 0.15), w = slot * 0.7;
	double up = 0, down = 0;
	for (size_t i = 0; i < b->n_parts; i++) {
		double v = b->value[c * b->n_parts + i];
		if (!isfinite(v) || v == 0)
			continue;
		double *end = v > 0 ? &up : &down, from = *end;
		*end += v;
		double top = axis_place(y, v > 0 ? *end : from);
		double bottom = axis_place(y, v > 0 ? from : *end);
		fprintf(f,
			"<rect class=\"b b%zu\" x=\"%.1f\" y=\"%.1f\" "
			"width=\"%.1f\" height=\"%.1f\"><title>",
			i % FIGURE_COLOURS, x, top, w, bottom - top);
		svg_text(f, b->part[i]);
		fprintf(f, ": %g</title></rect>\n", v);
	}
	text_at(f, x + w / 2, HEIGHT - BOTTOM + 17, "t m", b->category[c]);
}

static void bars_range(const struct bars *b, struct axis *y)
{
	axis_add(y, 0);
	for (size_t c = 0; c < b->n_categories; c++) {
		double up = 0, down = 0;
		for (size_t i = 0; i < b->n_parts; i++) {
			double v = b->value[c * b->n_parts + i];
			*(v > 0 ? &up : &down) += isfinite(v) ? v : 0;
		}
		axis_add(y, up);
		axis_add(y, down);
	}
	axis_finish(y);
}

static int bars_legend(FILE *f, const struct bars *b)
{
	unsigned *slot = calloc(b->n_parts + 1, sizeof *slot);
	int rows = 0;
	for (size_t i = 0; slot && i < b->n_parts; i++)
		slot[i] = (unsigned)(i % FIGURE_COLOURS);
	if (slot)
		rows = legend(f, b->part, slot, NULL, b->n_parts);
	free(slot);
	return rows;
}

void svg_bars(FILE *f, const struct bars *b)
{
	struct axis y = axis_empty(HEIGHT - BOTTOM, TOP, 0);
	bars_range(b, &y);
	begin(f, b->title, bars_legend(NULL, b));
	draw_ticks(f, &y, 1);
	y_label(f, b->y_label);
	for (size_t c = 0; c < b->n_categories; c++)
		draw_bar(f, b, c, &y);
	fprintf(f, "<path class=\"z\" d=\"M%d %.1fH%d\"/>\n", LEFT,
		axis_place(&y, 0), WIDTH - RIGHT);
	bars_legend(f, b);
	fputs("</svg>\n", f);
}

/* ---- style ---- */

/* The same colours as figure_colour in lighter shades. */
static const char *const on_dark[FIGURE_COLOURS] = {
    "#5ab4f0", "#ff8c42", "#3ed6a5", "#f0a5cf", "#f0c948",
    "#9ad8ff", "#b3a2f0", "#b0b0b0", "#c98a6a", "#f5f5f5"};
static const char *const dash[FIGURE_COLOURS] = {
    "none",        "7 3", "2 2", "10 3 2 3",    "12 4",
    "5 2 1 2 1 2", "3 5", "1 3", "8 2 8 2 2 2", "14 3 3 3"};

static void variables(FILE *f, const char *const *colour)
{
	for (int i = 0; i < FIGURE_COLOURS; i++)
		fprintf(f, "--s%d:%s;", i, colour[i]);
}

void svg_css(FILE *f)
{
	fputs(":root{--grid:#ddd;--ink:#222;", f);
	variables(f, figure_colour);
	fputs("}\n@media (prefers-color-scheme:dark){:root{"
	      "--grid:#444;--ink:#ddd;",
	      f);
	variables(f, on_dark);
	fputs("}}\n@media print{:root{--grid:#ddd;--ink:#000;", f);
	variables(f, figure_colour);
	fputs("}}\n.fig{width:100%;max-width:46rem;height:auto;"
	      "font:12px sans-serif;fill:var(--ink)}\n"
	      ".fig .h{font-weight:bold;font-size:14px}"
	      ".fig .m{text-anchor:middle}.fig .e{text-anchor:end}\n"
	      ".fig .g{stroke:var(--grid);stroke-width:.6}"
	      ".fig .z{stroke:var(--ink);stroke-width:1}\n"
	      ".fig .s{fill:none;stroke-width:1.6}"
	      ".fig .p{fill:none;stroke-width:4;stroke-linecap:round;"
	      "opacity:.65}\n",
	      f);
	for (int i = 0; i < FIGURE_COLOURS; i++)
		fprintf(f,
			".fig .s%d{stroke:var(--s%d);stroke-dasharray:%s}"
			".fig rect.b%d{fill:var(--s%d)}"
			".fig .p.b%d{stroke:var(--s%d)}\n",
			i, i, dash[i], i, i, i, i);
}
