/* figure.c -- Draws plots as SVG, or through gnuplot. */
#include <config.h>
#include "draw/figure.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* The drawing, in SVG's user units; the page scales it. */
enum {
	WIDTH = 720,
	HEIGHT = 380,
	LEFT = 76,
	RIGHT = 16,
	TOP = 34,
	BOTTOM = 50,
	LEGEND_ROW = 18,
	MAX_TICKS = 24,
};

struct axis {
	double lo, hi; /* of the data, then widened to ticks           */
	int log;
	int from, to; /* in user units                                 */
	double tick[MAX_TICKS];
	int n_ticks;
};

/* ---- axes ---- */

static int on_axis(const struct axis *a, double v)
{
	return isfinite(v) && (!a->log || v > 0);
}

static double place(const struct axis *a, double v)
{
	double lo = a->log ? log10(a->lo) : a->lo;
	double hi = a->log ? log10(a->hi) : a->hi;
	double at = a->log ? log10(v) : v;
	return a->from + (at - lo) / (hi - lo) * (a->to - a->from);
}

static void take(struct axis *a, double v)
{
	if (!on_axis(a, v))
		return;
	a->lo = v < a->lo ? v : a->lo;
	a->hi = v > a->hi ? v : a->hi;
}

/* 1, 2 or 5 times a power of ten, so that about six fit. */
static double nice_step(double span)
{
	double raw = span / 6, power = pow(10, floor(log10(raw)));
	double times = raw / power;
	return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static void linear_ticks(struct axis *a)
{
	double step = nice_step(a->hi - a->lo);
	a->lo = floor(a->lo / step) * step;
	a->hi = ceil(a->hi / step) * step;
	for (int i = 0; i < MAX_TICKS; i++) {
		double v = a->lo + i * step;
		if (v > a->hi + step / 2)
			break;
		/* 0 itself, not what rounding leaves of it */
		a->tick[a->n_ticks++] = fabs(v) < step / 1e6 ? 0 : v;
	}
}

/* Whole decades; also 2 and 5 where there are few of them. */
static void log_ticks(struct axis *a)
{
	static const double times[] = {1, 2, 5};
	int lo = (int)floor(log10(a->lo)), hi = (int)ceil(log10(a->hi));
	int every = 1 + (hi - lo) / 10;
	if (hi == lo)
		hi = lo + 1;
	for (int e = lo; e <= hi; e += every)
		for (int k = 0; k < 3 && a->n_ticks < MAX_TICKS; k++)
			if (k == 0 || (hi - lo <= 3 && e < hi))
				a->tick[a->n_ticks++] = times[k] * pow(10, e);
	a->lo = pow(10, lo);
	a->hi = pow(10, hi);
}

static void finish_axis(struct axis *a)
{
	if (!(a->lo <= a->hi)) { /* no data */
		a->lo = a->log ? 1 : 0;
		a->hi = a->log ? 10 : 1;
	}
	if (a->log) {
		log_ticks(a);
		return;
	}
	if (a->lo == a->hi) {
		double around = a->lo == 0 ? 1 : fabs(a->lo) / 2;
		a->lo -= around;
		a->hi += around;
	}
	/* A scale that starts near zero starts at zero. */
	if (a->lo > 0 && a->lo < a->hi / 2)
		a->lo = 0;
	linear_ticks(a);
}

/* ---- SVG ---- */

void figure_text(FILE *f, const char *s)
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
	figure_text(f, s);
	fputs("</text>\n", f);
}

static void begin(FILE *f, const char *title, int legend_rows)
{
	fprintf(f,
		"<svg viewBox=\"0 0 %d %d\" class=\"fig\" role=\"img\" "
		"xmlns=\"http://www.w3.org/2000/svg\">\n<title>",
		WIDTH, HEIGHT + legend_rows * LEGEND_ROW);
	figure_text(f, title);
	fputs("</title>\n", f);
	text_at(f, LEFT, 20, "h", title);
}

static void draw_ticks(FILE *f, const struct axis *a, int vertical)
{
	for (int i = 0; i < a->n_ticks; i++) {
		char s[32];
		double at = place(a, a->tick[i]);
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
	figure_text(f, s);
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

static void draw_points(FILE *f, const struct figure_series *s,
			const struct axis *x, const struct axis *y)
{
	fprintf(f, "<path class=\"p b%u\" d=\"", s->slot % FIGURE_COLOURS);
	for (size_t i = 0; i < s->n; i++)
		if (on_axis(x, s->x[i]) && on_axis(y, s->y[i]))
			fprintf(f, "M%.1f %.1fh0", place(x, s->x[i]),
				place(y, s->y[i]));
	fputs("\"/>\n", f);
}

/* A gap in the data is a gap in the line. */
static void draw_line(FILE *f, const struct figure_series *s,
		      const struct axis *x, const struct axis *y)
{
	int drawing = 0;
	fprintf(f, "<path class=\"s s%u\" d=\"", s->slot % FIGURE_COLOURS);
	for (size_t i = 0; i < s->n; i++) {
		if (!on_axis(x, s->x[i]) || !on_axis(y, s->y[i])) {
			drawing = 0;
			continue;
		}
		double px = place(x, s->x[i]), py = place(y, s->y[i]);
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

void figure_svg(FILE *f, const struct figure *g)
{
	struct axis x = {.lo = INFINITY,
			 .hi = -INFINITY,
			 .log = g->log_x,
			 .from = LEFT,
			 .to = WIDTH - RIGHT};
	struct axis y = {.lo = INFINITY,
			 .hi = -INFINITY,
			 .log = g->log_y,
			 .from = HEIGHT - BOTTOM,
			 .to = TOP};
	for (size_t k = 0; k < g->n_series; k++)
		for (size_t i = 0; i < g->series[k].n; i++) {
			take(&x, g->series[k].x[i]);
			take(&y, g->series[k].y[i]);
		}
	finish_axis(&x);
	finish_axis(&y);
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
		double top = place(y, v > 0 ? *end : from);
		double bottom = place(y, v > 0 ? from : *end);
		fprintf(f,
			"<rect class=\"b b%zu\" x=\"%.1f\" y=\"%.1f\" "
			"width=\"%.1f\" height=\"%.1f\"><title>",
			i % FIGURE_COLOURS, x, top, w, bottom - top);
		figure_text(f, b->part[i]);
		fprintf(f, ": %g</title></rect>\n", v);
	}
	text_at(f, x + w / 2, HEIGHT - BOTTOM + 17, "t m", b->category[c]);
}

static void bars_range(const struct bars *b, struct axis *y)
{
	take(y, 0);
	for (size_t c = 0; c < b->n_categories; c++) {
		double up = 0, down = 0;
		for (size_t i = 0; i < b->n_parts; i++) {
			double v = b->value[c * b->n_parts + i];
			*(v > 0 ? &up : &down) += isfinite(v) ? v : 0;
		}
		take(y, up);
		take(y, down);
	}
	finish_axis(y);
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

void bars_svg(FILE *f, const struct bars *b)
{
	struct axis y = {.lo = INFINITY,
			 .hi = -INFINITY,
			 .from = HEIGHT - BOTTOM,
			 .to = TOP};
	bars_range(b, &y);
	begin(f, b->title, bars_legend(NULL, b));
	draw_ticks(f, &y, 1);
	y_label(f, b->y_label);
	for (size_t c = 0; c < b->n_categories; c++)
		draw_bar(f, b, c, &y);
	fprintf(f, "<path class=\"z\" d=\"M%d %.1fH%d\"/>\n", LEFT,
		place(&y, 0), WIDTH - RIGHT);
	bars_legend(f, b);
	fputs("</svg>\n", f);
}

/* ---- style ---- */

/* Okabe and Ito's colours, which the colour-blind tell apart; the darker and
 * the lighter of each for the two backgrounds. */
static const char *const on_light[FIGURE_COLOURS] = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b",
    "#56b4e9", "#5b4b8a", "#6b6b6b", "#7a3b1d", "#1b1b1b"};
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

void figure_css(FILE *f)
{
	fputs(":root{--grid:#ddd;--ink:#222;", f);
	variables(f, on_light);
	fputs("}\n@media (prefers-color-scheme:dark){:root{"
	      "--grid:#444;--ink:#ddd;",
	      f);
	variables(f, on_dark);
	fputs("}}\n@media print{:root{--grid:#ddd;--ink:#000;", f);
	variables(f, on_light);
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

/* ---- gnuplot ---- */

static int ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);
	return n > m && !strcmp(path + n - m, end);
}

/* In gnuplot's single quotes a quote is doubled. */
static void quoted(FILE *f, const char *s)
{
	fputc('\'', f);
	for (; *s; s++) {
		if (*s == '\'')
			fputc('\'', f);
		fputc(*s == '\n' ? ' ' : *s, f);
	}
	fputc('\'', f);
}

static void script_head(FILE *f, const struct figure *g, const char *path)
{
	fprintf(f, "set terminal %s size %d,%d\nset output ",
		ends_in(path, ".png") ? "pngcairo" : "svg", WIDTH, HEIGHT);
	quoted(f, path);
	fputs("\nset termoption noenhanced\nset grid\nset title ", f);
	quoted(f, g->title);
	fputs("\nset xlabel ", f);
	quoted(f, g->x_label);
	fputs("\nset ylabel ", f);
	quoted(f, g->y_label);
	fprintf(f, "\n%s%sset key outside below\nplot ",
		g->log_x ? "set logscale x\n" : "",
		g->log_y ? "set logscale y\n" : "");
}

static void script(FILE *f, const struct figure *g, const char *path)
{
	static const char *const style[] = {"lines", "steps", "points"};
	script_head(f, g, path);
	for (size_t k = 0; k < g->n_series; k++) {
		const struct figure_series *s = &g->series[k];
		fputs(k ? ", '-' title " : "'-' title ", f);
		quoted(f, s->name ? s->name : "");
		fprintf(f, " with %s lc rgb '%s'", style[s->mark],
			on_light[s->slot % FIGURE_COLOURS]);
	}
	fputc('\n', f);
	for (size_t k = 0; k < g->n_series; k++) {
		const struct figure_series *s = &g->series[k];
		for (size_t i = 0; i < s->n; i++)
			if (isfinite(s->x[i]) && isfinite(s->y[i]))
				fprintf(f, "%.9g %.9g\n", s->x[i], s->y[i]);
			else
				fputc('\n', f);
		fputs("e\n", f);
	}
}

int figure_gnuplot(const struct figure *g, const char *path, struct problem *p)
{
	if (!ends_in(path, ".svg") && !ends_in(path, ".png"))
		return problem_set(p, EXIT_USAGE,
				   "%s: a plot ends in .svg or .png", path);
	if (system("command -v gnuplot >/dev/null 2>&1") != 0)
		return problem_set(p, EXIT_USAGE,
				   "%s: plots need gnuplot, and there is none",
				   path);
	FILE *f = popen("gnuplot", "w");
	if (!f)
		return problem_set(p, EXIT_USAGE, "gnuplot: %s",
				   strerror(errno));
	script(f, g, path);
	int rc = pclose(f);
	if (rc == -1 || !WIFEXITED(rc) || WEXITSTATUS(rc) != 0)
		return problem_set(p, EXIT_USAGE, "%s: gnuplot failed", path);
	return 0;
}
