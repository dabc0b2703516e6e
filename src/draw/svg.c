/* svg.c -- Draws figures as inline SVG. */
#include "draw/svg.h"
#include <math.h>
#include <string.h>
#include "base/printable.h"
#include "base/utf8.h"
#include "draw/axis.h"

/* The layout of a drawing, in SVG's user units, which the page scales. */
struct frame {
	int width, height, left, right, top, bottom;
};
static const struct frame whole = {520, 310, 62, 14, 28, 48};
static const struct frame panel = {300, 220, 52, 12, 28, 44};
/* Upper bound of the width of a character, in user units: where a drawing is
 * small, the page sets larger text. */
#define CHARACTER_WIDTH 9

/* ---- text and scales ---- */

void svg_text(FILE *f, const char *s)
{
	size_t used;
	for (size_t n = strlen(s); n > 0; s += used, n -= used) {
		used = utf8_length(s, n);
		used += !used;
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
			/* XML has no control characters. */
			if ((unsigned char)*s < ' ')
				fputc(' ', f);
			else
				printable_line(f, s, used);
		}
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

static void drawing_begin(FILE *f, int width, int height, const char *title)
{
	fprintf(f,
		"<svg viewBox=\"0 0 %d %d\" class=\"fig\" role=\"img\" "
		"xmlns=\"http://www.w3.org/2000/svg\">\n<title>",
		width, height);
	svg_text(f, title);
	fputs("</title>\n", f);
}

/* Writes 20000 as "20k". */
void svg_tick_text(char s[32], double v)
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
		svg_tick_text(s, a->tick[i]);
		double half = CHARACTER_WIDTH * (double)strlen(s) / 2;
		if (at - half < free_from || at + half > k->width)
			continue;
		text_at(f, at, k->height - k->bottom + 18, "m", s);
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
		svg_tick_text(s, a->tick[i]);
		text_at(f, k->left - 5, at + 4, "e", s);
	}
}

/* ---- series ---- */

/* Writes the whiskers along y, or along x. */
static void draw_whiskers(FILE *f, const struct figure_series *s,
			  const struct axis *x, const struct axis *y)
{
	fprintf(f, "<path class=\"w s%u\" d=\"", s->slot % FIGURE_COLOURS);
	for (size_t i = 0; s->low && i < s->n; i++)
		if (axis_has(x, s->x[i]) && axis_has(y, s->low[i]) &&
		    axis_has(y, s->high[i]))
			fprintf(f, "M%.1f %.1fV%.1f", axis_place(x, s->x[i]),
				axis_place(y, s->low[i]),
				axis_place(y, s->high[i]));
	for (size_t i = 0; s->left && i < s->n; i++)
		if (axis_has(y, s->y[i]) && axis_has(x, s->left[i]) &&
		    axis_has(x, s->right[i]))
			fprintf(f, "M%.1f %.1fH%.1f", axis_place(x, s->left[i]),
				axis_place(y, s->y[i]),
				axis_place(x, s->right[i]));
	fputs("\"/>\n", f);
}

static void draw_points(FILE *f, const struct figure_series *s,
			const struct axis *x, const struct axis *y)
{
	if (s->low || s->left)
		draw_whiskers(f, s, x, y);
	fprintf(f, "<path class=\"%s p%u\" d=\"",
		s->mark == MARK_ANSWER ? "p a" : "p", s->slot % FIGURE_COLOURS);
	for (size_t i = 0; i < s->n; i++)
		if (axis_has(x, s->x[i]) && axis_has(y, s->y[i]))
			fprintf(f, "M%.1f %.1fh0", axis_place(x, s->x[i]),
				axis_place(y, s->y[i]));
	fputs("\"/>\n", f);
}

/* Begins the path of a line. */
static void line_begin(FILE *f, const struct figure_series *s)
{
	if (s->mark == MARK_RULE)
		fputs("<path class=\"rule\" d=\"", f);
	else
		fprintf(f, "<path class=\"s s%u t%u\" d=\"",
			s->slot % FIGURE_COLOURS,
			(s->dash ? s->dash - 1 : s->slot) % FIGURE_COLOURS);
}

/* A gap in the data becomes a gap in the line. */
static void draw_line(FILE *f, const struct figure_series *s,
		      const struct axis *x, const struct axis *y)
{
	int drawing = 0;
	line_begin(f, s);
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

static int is_points(const struct figure_series *s)
{
	return s->mark == MARK_POINTS || s->mark == MARK_ANSWER;
}

static void draw_series(FILE *f, const struct figure_series *s,
			const struct axis *x, const struct axis *y)
{
	if (is_points(s))
		draw_points(f, s, x, y);
	else
		draw_line(f, s, x, y);
}

/* Extends an axis to n values; v may be NULL. */
static void add_all(struct axis *a, const double *v, size_t n)
{
	for (size_t i = 0; v && i < n; i++)
		axis_add(a, v[i]);
}

/* Makes axes that hold all series. */
static void make_axes(const struct figure *g, const struct frame *k,
		      struct axis *x, struct axis *y)
{
	*x = axis_empty(k->left, k->width - k->right, figure_log_x(g));
	*y = axis_empty(k->height - k->bottom, k->top, figure_log_y(g));
	for (size_t i = 0; i < g->n_series; i++) {
		const struct figure_series *s = &g->series[i];
		add_all(x, s->x, s->n);
		add_all(x, s->left, s->n);
		add_all(x, s->right, s->n);
		add_all(y, s->y, s->n);
		add_all(y, s->low, s->n);
		add_all(y, s->high, s->n);
	}
	axis_finish(x);
	axis_finish(y);
}

static void draw_frame(FILE *f, const struct figure *g, const struct frame *k,
		       const struct axis *x, const struct axis *y)
{
	draw_x_ticks(f, k, x);
	draw_y_ticks(f, k, y);
	char label[200];
	snprintf(label, sizeof label, "%s%s", g->x_label, axis_note(x));
	text_at(f, (k->left + k->width - k->right) / 2.0, k->height - 6, "m",
		label);
	snprintf(label, sizeof label, "%s%s", g->y_label, axis_note(y));
	text_at(f, 2, 13, "", label);
}

/* A sample of the series, 32 wide, around y. */
static void draw_sample(FILE *f, const struct figure_series *s, int x, int y)
{
	if (is_points(s)) {
		fprintf(f, "<path class=\"%s p%u\" d=\"M%d %dh0\"/>",
			s->mark == MARK_ANSWER ? "p a" : "p",
			s->slot % FIGURE_COLOURS, x + 16, y);
		return;
	}
	line_begin(f, s);
	fprintf(f, "M%d %dh32\"/>", x, y);
}

/* The key beside a drawing, or below it where there is no room. */
static void draw_key(FILE *f, const struct figure *g)
{
	fputs("<div class=\"key\">", f);
	for (size_t i = 0; i < g->n_series; i++) {
		const struct figure_series *s = &g->series[i];
		if (!s->name)
			continue;
		fputs("<span><svg viewBox=\"0 0 32 10\">", f);
		draw_sample(f, s, 0, 5);
		fputs("</svg>", f);
		svg_text(f, s->name);
		fputs("</span>\n", f);
	}
	fputs("</div>", f);
}

static void draw_whole(FILE *f, const struct figure *g)
{
	struct axis x, y;
	make_axes(g, &whole, &x, &y);
	draw_frame(f, g, &whole, &x, &y);
	for (size_t i = 0; i < g->n_series; i++)
		draw_series(f, &g->series[i], &x, &y);
}

void svg_figure(FILE *f, const struct figure *g)
{
	figure_begin(f, g->title);
	fputs("<div class=\"plot\">", f);
	drawing_begin(f, whole.width, whole.height, g->title);
	draw_whole(f, g);
	fputs("</svg>\n", f);
	draw_key(f, g);
	fputs("</div></figure>\n", f);
}

/* ---- a file of its own ---- */

enum { TITLE = 30, KEY_ROW = 22, KEY_TEXT = 40 };

void svg_alone_begin(FILE *f, const char *title, int width, int height)
{
	int needed = 16 + 10 * (int)strlen(title); /* of bold 15 px */
	width = width > needed ? width : needed;
	drawing_begin(f, width, height + TITLE, title);
	fputs("<style>", f);
	svg_css(f);
	fprintf(f,
		"</style><rect class=\"paper\" width=\"%d\" "
		"height=\"%d\"/>\n",
		width, height + TITLE);
	text_at(f, 8, 20, "h", title);
	fprintf(f, "<g transform=\"translate(0 %d)\">\n", TITLE);
}

void svg_alone_end(FILE *f)
{
	fputs("</g></svg>\n", f);
}

void svg_alone(FILE *f, const struct figure *g)
{
	size_t longest = 0, n = 0;
	for (size_t i = 0; i < g->n_series; i++)
		if (g->series[i].name && strlen(g->series[i].name) > longest)
			longest = strlen(g->series[i].name);
	int key = longest ? KEY_TEXT + 16 + 7 * (int)longest : 0;
	svg_alone_begin(f, g->title, whole.width + key, whole.height);
	draw_whole(f, g);
	for (size_t i = 0; i < g->n_series; i++) {
		const struct figure_series *s = &g->series[i];
		int y = whole.top + 10 + KEY_ROW * (int)n;
		if (!s->name)
			continue;
		draw_sample(f, s, whole.width, y);
		text_at(f, whole.width + KEY_TEXT, y + 4, "", s->name);
		n++;
	}
	svg_alone_end(f);
}

/* ---- panels ---- */

static void draw_panel(FILE *f, const struct figure *g, size_t of,
		       const struct axis *x, const struct axis *y)
{
	const char *name = g->series[of].name;
	figure_begin(f, name);
	drawing_begin(f, panel.width, panel.height, name);
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

/* Returns the room for the longest label, LABELS or more; a letter is some 6.4
 * wide. */
static int label_room(const struct waterfall *w)
{
	size_t most = strlen(w->sum_label);
	for (size_t i = 0; i < w->n; i++)
		if (strlen(w->label[i]) > most)
			most = strlen(w->label[i]);
	int room = (int)(6.4 * (double)most) + 12;
	return room > LABELS ? room : LABELS;
}

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

/* Returns how many decimals the values have: all the same, so that the largest
 * shows three digits or more. */
static int waterfall_decimals(const struct waterfall *w)
{
	double most = 0, sum = 0;
	for (size_t i = 0; i < w->n; i++) {
		sum += w->change[i];
		most = fmax(most, fmax(fabs(w->change[i]), fabs(sum)));
	}
	for (int decimals = 0; decimals < 6; decimals++, most *= 10)
		if (most >= 100)
			return decimals;
	return 6;
}

static void draw_row(FILE *f, const struct frame *k, int row, const char *label,
		     double value, int decimals)
{
	char s[64];
	int y = row * ROW + ROW / 2 + 4;
	text_at(f, k->left - 8, y, "e", label);
	snprintf(s, sizeof s, "%+.*f", decimals, value);
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

static struct frame waterfall_frame(const struct waterfall *w)
{
	int labels = label_room(w);
	return (struct frame){WATERFALL + labels - LABELS,
			      ((int)w->n + 1) * ROW + 40,
			      labels,
			      VALUES,
			      0,
			      40};
}

static void draw_waterfall(FILE *f, const struct frame *k,
			   const struct waterfall *w)
{
	int rows = (int)w->n + 1, decimals = waterfall_decimals(w);
	struct axis x = waterfall_axis(k, w);
	double sum = 0;
	draw_x_ticks(f, k, &x);
	text_at(f, (k->left + k->width - k->right) / 2.0, k->height - 6, "m",
		w->unit);
	fprintf(f, "<path class=\"z\" d=\"M%.1f 0V%d\"/>\n", axis_place(&x, 0),
		rows * ROW);
	for (int i = 0; i < (int)w->n; i++) {
		double to = sum + w->change[i];
		draw_bar(f, &x, i, to < sum ? "less" : "more", sum, to);
		fprintf(f, "<path class=\"j\" d=\"M%.1f %dv%d\"/>\n",
			axis_place(&x, to), i * ROW + (ROW + BAR) / 2,
			ROW - BAR);
		draw_row(f, k, i, w->label[i], w->change[i], decimals);
		sum = to;
	}
	draw_bar(f, &x, rows - 1, "sum", 0, sum);
	draw_row(f, k, rows - 1, w->sum_label, sum, decimals);
}

void svg_waterfall(FILE *f, const struct waterfall *w)
{
	struct frame k = waterfall_frame(w);
	figure_begin(f, w->title);
	drawing_begin(f, k.width, k.height, w->title);
	draw_waterfall(f, &k, w);
	fputs("</svg></figure>\n", f);
}

void svg_waterfall_alone(FILE *f, const struct waterfall *w)
{
	struct frame k = waterfall_frame(w);
	svg_alone_begin(f, w->title, k.width, k.height);
	draw_waterfall(f, &k, w);
	svg_alone_end(f);
}
