/* svg.c -- Draws figures as inline SVG. */
#include <config.h>
#include "draw/svg.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "draw/axis.h"

/* The layout of a drawing, in SVG's user units, which the page scales. */
struct frame {
	int width, height, left, right, top, bottom;
};
static const struct frame whole = {400, 260, 46, 14, 24, 42};
static const struct frame panel = {300, 220, 46, 12, 24, 40};
/* Upper bound, in user units. */
#define CHARACTER_WIDTH 7

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
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
	if (*class)
		fprintf(f, " class=\"%s\"", class);
	fputc('>', f);
	svg_text(f, s);
	fputs("</text>\n", f);
}

static void figure_begin(FILE *f, const char *title)
{
	fputs("<figure><figcaption>", f);
	svg_text(f, title);
	fputs("</figcaption>", f);
}

static void drawing_begin(FILE *f, const struct frame *k, const char *title)
{
	fprintf(f,
		"<svg viewBox=\"0 0 %d %d\" class=\"fig\" role=\"img\" "
		"xmlns=\"http://www.w3.org/2000/svg\">\n<title>",
		k->width, k->height);
	svg_text(f, title);
	fputs("</title>\n", f);
}

/* Writes 20000 as "20k". */
static void tick_text(char s[32], double v)
{
	if (fabs(v) >= 1e7)
		snprintf(s, 32, "%gM", v / 1e6);
	else if (fabs(v) >= 1e4)
		snprintf(s, 32, "%gk", v / 1e3);
	else
		snprintf(s, 32, "%g", v);
}

/* Leaves out a label that would touch the label before it. */
static void draw_x_ticks(FILE *f, const struct frame *k, const struct axis *a)
{
	double free_from = 0;
	for (int i = 0; i < a->n_ticks; i++) {
		char s[32];
		double at = axis_place(a, a->tick[i]);
		fprintf(f, "<path class=\"g\" d=\"M%.1f %dV%d\"/>\n", at,
			k->top, k->height - k->bottom);
		tick_text(s, a->tick[i]);
		double half = CHARACTER_WIDTH * (double)strlen(s) / 2;
		if (at - half < free_from || at + half > k->width)
			continue;
		text_at(f, at, k->height - k->bottom + 16, "m", s);
		free_from = at + half + CHARACTER_WIDTH;
	}
}

static void draw_y_ticks(FILE *f, const struct frame *k, const struct axis *a)
{
	for (int i = 0; i < a->n_ticks; i++) {
		char s[32];
		double at = axis_place(a, a->tick[i]);
		fprintf(f, "<path class=\"g\" d=\"M%d %.1fH%d\"/>\n", k->left,
			at, k->width - k->right);
		tick_text(s, a->tick[i]);
		text_at(f, k->left - 5, at + 4, "e", s);
	}
}

/* ---- series ---- */

static void draw_whiskers(FILE *f, const struct figure_series *s,
			  const struct axis *x, const struct axis *y)
{
	fprintf(f, "<path class=\"w s%u\" d=\"", s->slot % FIGURE_COLOURS);
	for (size_t i = 0; i < s->n; i++)
		if (axis_has(x, s->x[i]) && axis_has(y, s->low[i]) &&
		    axis_has(y, s->high[i]))
			fprintf(f, "M%.1f %.1fV%.1f", axis_place(x, s->x[i]),
				axis_place(y, s->low[i]),
				axis_place(y, s->high[i]));
	fputs("\"/>\n", f);
}

static void draw_points(FILE *f, const struct figure_series *s,
			const struct axis *x, const struct axis *y)
{
	if (s->low)
		draw_whiskers(f, s, x, y);
	fprintf(f, "<path class=\"p p%u\" d=\"", s->slot % FIGURE_COLOURS);
	for (size_t i = 0; i < s->n; i++)
		if (axis_has(x, s->x[i]) && axis_has(y, s->y[i]))
			fprintf(f, "M%.1f %.1fh0", axis_place(x, s->x[i]),
				axis_place(y, s->y[i]));
	fputs("\"/>\n", f);
}

/* A gap in the data becomes a gap in the line. */
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

static void draw_series(FILE *f, const struct figure_series *s,
			const struct axis *x, const struct axis *y)
{
	if (s->mark == MARK_POINTS)
		draw_points(f, s, x, y);
	else
		draw_line(f, s, x, y);
}

/* Makes axes that hold all series. */
static void make_axes(const struct figure *g, const struct frame *k,
		      struct axis *x, struct axis *y)
{
	*x = axis_empty(k->left, k->width - k->right, g->log_x);
	*y = axis_empty(k->height - k->bottom, k->top, g->log_y);
	for (size_t i = 0; i < g->n_series; i++)
		for (size_t n = 0; n < g->series[i].n; n++) {
			axis_add(x, g->series[i].x[n]);
			axis_add(y, g->series[i].y[n]);
			if (g->series[i].low) {
				axis_add(y, g->series[i].low[n]);
				axis_add(y, g->series[i].high[n]);
			}
		}
	axis_finish(x);
	axis_finish(y);
}

static void draw_frame(FILE *f, const struct figure *g, const struct frame *k,
		       const struct axis *x, const struct axis *y)
{
	draw_x_ticks(f, k, x);
	draw_y_ticks(f, k, y);
	text_at(f, (k->left + k->width - k->right) / 2.0, k->height - 6, "m",
		g->x_label);
	text_at(f, 2, 13, "", g->y_label);
}

static void draw_key(FILE *f, const struct figure *g)
{
	fputs("<div class=\"key\">", f);
	for (size_t i = 0; i < g->n_series; i++) {
		const struct figure_series *s = &g->series[i];
		unsigned slot = s->slot % FIGURE_COLOURS;
		if (!s->name)
			continue;
		fputs("<span><svg viewBox=\"0 0 32 10\">", f);
		if (s->mark == MARK_POINTS)
			fprintf(f,
				"<path class=\"p p%u\" d=\"M10 5h0M22 5h0\"/>",
				slot);
		else
			fprintf(f, "<path class=\"s s%u\" d=\"M0 5h32\"/>",
				slot);
		fputs("</svg>", f);
		svg_text(f, s->name);
		fputs("</span>\n", f);
	}
	fputs("</div>", f);
}

void svg_figure(FILE *f, const struct figure *g)
{
	struct axis x, y;
	make_axes(g, &whole, &x, &y);
	figure_begin(f, g->title);
	drawing_begin(f, &whole, g->title);
	draw_frame(f, g, &whole, &x, &y);
	for (size_t i = 0; i < g->n_series; i++)
		draw_series(f, &g->series[i], &x, &y);
	fputs("</svg>\n", f);
	draw_key(f, g);
	fputs("</figure>\n", f);
}

static void draw_panel(FILE *f, const struct figure *g, size_t of,
		       const struct axis *x, const struct axis *y)
{
	const char *name = g->series[of].name;
	figure_begin(f, name);
	drawing_begin(f, &panel, name);
	draw_frame(f, g, &panel, x, y);
	for (size_t i = 0; i < g->n_series; i++)
		if (i == of || !g->series[i].name)
			draw_series(f, &g->series[i], x, y);
	fputs("</svg></figure>\n", f);
}

void svg_panels(FILE *f, const struct figure *g)
{
	struct axis x, y;
	make_axes(g, &panel, &x, &y);
	figure_begin(f, g->title);
	fputs("<div class=\"panels\">\n", f);
	for (size_t i = 0; i < g->n_series; i++)
		if (g->series[i].name)
			draw_panel(f, g, i, &x, &y);
	fputs("</div></figure>\n", f);
}

/* ---- waterfall ---- */

enum { WATERFALL = 400, ROW = 24, LABELS = 132, VALUES = 72, BAR = 14 };

static void draw_bar(FILE *f, const struct axis *x, int row, const char *class,
		     double from, double to)
{
	double a = axis_place(x, from), b = axis_place(x, to);
	/* At least 1 wide, so that a bar of zero is visible. */
	fprintf(f,
		"<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
		"height=\"%d\"/>\n",
		class, fmin(a, b), row * ROW + (ROW - BAR) / 2,
		fmax(fabs(b - a), 1), BAR);
}

static void draw_row(FILE *f, const struct frame *k, int row, const char *label,
		     double value)
{
	char s[32];
	int y = row * ROW + ROW / 2 + 4;
	text_at(f, LABELS - 8, y, "e", label);
	snprintf(s, sizeof s, "%+.4g", value);
	text_at(f, k->width - 2, y, "e", s);
}

static struct axis waterfall_axis(const struct frame *k,
				  const struct waterfall *w)
{
	struct axis x = axis_empty(k->left, k->width - k->right, 0);
	double sum = 0;
	axis_add(&x, 0);
	for (size_t i = 0; i < w->n; i++)
		axis_add(&x, sum += w->change[i]);
	axis_finish(&x);
	return x;
}

void svg_waterfall(FILE *f, const struct waterfall *w)
{
	int rows = (int)w->n + 1;
	const struct frame k = {WATERFALL, rows * ROW + 40, LABELS, VALUES, 0,
				40};
	struct axis x = waterfall_axis(&k, w);
	double sum = 0;
	figure_begin(f, w->title);
	drawing_begin(f, &k, w->title);
	draw_x_ticks(f, &k, &x);
	text_at(f, (k.left + k.width - k.right) / 2.0, k.height - 6, "m",
		w->unit);
	fprintf(f, "<path class=\"z\" d=\"M%.1f 0V%d\"/>\n", axis_place(&x, 0),
		rows * ROW);
	for (int i = 0; i < (int)w->n; i++) {
		double to = sum + w->change[i];
		draw_bar(f, &x, i, to < sum ? "less" : "more", sum, to);
		fprintf(f, "<path class=\"j\" d=\"M%.1f %dv%d\"/>\n",
			axis_place(&x, to), i * ROW + (ROW + BAR) / 2,
			ROW - BAR);
		draw_row(f, &k, i, w->label[i], w->change[i]);
		sum = to;
	}
	draw_bar(f, &x, rows - 1, "sum", 0, sum);
	draw_row(f, &k, rows - 1, w->sum_label, sum);
	fputs("</svg></figure>\n", f);
}

/* ---- style ---- */

/* The colours of figure_colour in lighter shades. */
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

/* The first lines are the widest, so that where series coincide all are
 * visible. */
static double line_width(int slot)
{
	return slot == 0 ? 3.4 : slot == 1 ? 2.4 : 1.6;
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
	fputs("}}\nfigure{margin:.6rem 0;break-inside:avoid}"
	      "figcaption{font-weight:bold}\n"
	      ".fig{display:block;width:100%;height:auto;"
	      "font:12px sans-serif;fill:var(--ink)}\n"
	      "@media(max-width:600px){.fig text{font-size:13px}.panels .fig "
	      "text{font-size:11px}}\n"
	      ".fig .m{text-anchor:middle}.fig .e{text-anchor:end}\n"
	      ".fig .g{stroke:var(--grid);stroke-width:.6}"
	      ".fig .z{stroke:var(--ink);stroke-width:1}"
	      ".fig .j{stroke:var(--ink);stroke-width:.6;"
	      "stroke-dasharray:2 2}\n"
	      ".more{fill:var(--s1)}.less{fill:var(--s0)}"
	      ".sum{fill:var(--grid);stroke:var(--ink)}\n"
	      ".s,.p,.w{fill:none}.w{stroke-opacity:.6}.p{stroke-width:4;"
	      "stroke-linecap:round;"
	      "opacity:.65}\n"
	      ".key{display:flex;flex-wrap:wrap;gap:.1rem 1rem}"
	      ".key svg{width:32px;height:10px;margin-right:.3rem}\n"
	      ".panels{display:grid;gap:0 1rem;grid-template-columns:"
	      "repeat(auto-fill,minmax(min(100%,15rem),1fr))}"
	      ".panels figcaption{font-weight:normal}\n",
	      f);
	for (int i = 0; i < FIGURE_COLOURS; i++)
		fprintf(f,
			".s%d{stroke:var(--s%d);stroke-width:%g;"
			"stroke-dasharray:%s}.p%d{stroke:var(--s%d)}\n",
			i, i, line_width(i), dash[i], i, i);
}
