/* Figures as SVG: they show the given values, and a page can hold them. */
#include "draw/svg.h"
#include <math.h>
#include "base/utf8.h"
#include "rendered.h"

static void draw(const struct figure *g)
{
	svg_figure(rendered_begin(), g);
	rendered_end();
}

static void series(void)
{
	const double x[] = {0, 1, 2, NAN, 4}, y[] = {0, 10, 20, 30, 40};
	struct figure_series s[] = {
	    {.name = "a < b & \"c\"", .x = x, .y = y, .n = 5},
	    {.name = "points",
	     .mark = MARK_POINTS,
	     .slot = 1,
	     .x = x,
	     .y = y,
	     .n = 5},
	};
	struct figure g = {"title", "x", "y", SCALE_LINEAR, SCALE_LINEAR, s, 2};
	draw(&g);
	ok(rendered_count("<svg") == 3 && rendered_count("</svg>") == 3 &&
	       rendered_count("<figure>") == 1,
	   "a drawing, and a key of two series");
	ok(rendered_count("a &lt; b &amp; &quot;c&quot;") == 1,
	   "text is escaped");
	ok(rendered_count("L") == 2 &&
	       strstr(rendered_text, "class=\"s s0 t0\" d=\"M62.0 262.0L"),
	   "a line begins at its first point; a NaN is a gap in it");
	ok(rendered_count("h0") == 4 + 1,
	   "four of five points are drawn, and the key");
	ok(strstr(rendered_text, ">40</text>") &&
	       strstr(rendered_text, ">0</text>"),
	   "the ends of the scale are labelled");
	s[1].low = y;
	s[1].high = (const double[]){1, 11, 80, 31, NAN};
	draw(&g);
	ok(rendered_count("class=\"w s1\"") == 1 &&
	       strstr(rendered_text, ">80</text>") && rendered_count("V") >= 3,
	   "whiskers where both ends are known, within the scale");
	s[1].low = NULL;
	s[1].left = y;
	s[1].right = s[1].high;
	s[1].mark = MARK_ANSWER;
	draw(&g);
	ok(rendered_count("class=\"w s1\"") == 1 &&
	       rendered_count("class=\"p a p1\"") == 2,
	   "a large point and its whisker along x; the point in the key");
	s[1].left = NULL;
	s[1].mark = MARK_RULE;
	draw(&g);
	ok(rendered_count("class=\"rule\"") == 2, "a bound is no series");
	s[1].mark = MARK_POINTS;
	s[0].mark = MARK_STEPS;
	draw(&g);
	ok(rendered_count("H") >= 2 && rendered_count("V") >= 2,
	   "steps are drawn as steps");
	g.scale_y = SCALE_LOG;
	draw(&g);
	ok(!strstr(rendered_text, "inf") && !strstr(rendered_text, "nan"),
	   "zero has no place on a logarithmic axis");
	g.n_series = 0;
	draw(&g);
	ok(rendered_count("</svg>") == 1 && !strstr(rendered_text, "nan"),
	   "no data, no NaN");
	const double same[] = {7, 7};
	s[0] = (struct figure_series){
	    .name = "flat", .x = same, .y = same, .n = 2};
	g = (struct figure){"flat", "x", "y", SCALE_LINEAR, SCALE_LINEAR, s, 1};
	draw(&g);
	ok(!strstr(rendered_text, "nan") && !strstr(rendered_text, "inf"),
	   "a single value has a scale");
}

static void panels(void)
{
	const double x[] = {1, 2}, low[] = {1, 2}, high[] = {20000, 40000};
	struct figure_series s[] = {
	    {.name = "one", .mark = MARK_POINTS, .x = x, .y = low, .n = 2},
	    {.name = "two",
	     .mark = MARK_POINTS,
	     .slot = 1,
	     .x = x,
	     .y = high,
	     .n = 2},
	    {.slot = 2, .x = x, .y = low, .n = 2},
	};
	struct figure g = {"title", "x", "y", SCALE_LINEAR, SCALE_LINEAR, s, 3};
	svg_panels(rendered_begin(), &g);
	rendered_end();
	ok(rendered_count("<svg") == 2 &&
	       rendered_count("<figcaption>one<") == 1,
	   "a panel for each series that has a name");
	ok(rendered_count("class=\"p p0\"") == 1 &&
	       rendered_count("class=\"p p1\"") == 1 &&
	       rendered_count("class=\"s s2 t2\"") == 2,
	   "one series in each, and in both that without a name");
	ok(rendered_count(">40k</text>") == 2, "on the same axes");
}

/* A file of its own holds its style and its key. */
static void alone(void)
{
	const double x[] = {1, 2};
	const struct figure_series s[] = {
	    {.name = "a & b", .x = x, .y = x, .n = 2},
	    {.slot = 1, .x = x, .y = x, .n = 2}};
	const struct figure g = {"t < u",      "x", "y", SCALE_LINEAR,
				 SCALE_LINEAR, s,   2};
	svg_alone(rendered_begin(), &g);
	rendered_end();
	ok(!strncmp(rendered_text, "<svg", 4) && rendered_count("<svg") == 1 &&
	       rendered_count("</svg>") == 1 && rendered_count("<style>") == 1,
	   "one element, with its style");
	ok(rendered_count("class=\"h\">t &lt; u</text>") == 1 &&
	       rendered_count(">a &amp; b</text>") == 1 &&
	       rendered_count("class=\"s s0") == 2 &&
	       rendered_count("class=\"s s1") == 1,
	   "its title, and a key of the series that have a name");
}

/* Where bar i of a class begins, and how wide it is. */
static int bar(const char *class, double *x, double *width)
{
	char begin[64];
	snprintf(begin, sizeof begin, "<rect class=\"%s\" ", class);
	const char *at = strstr(rendered_text, begin);
	return at && sscanf(at + strlen(begin),
			    "x=\"%lf\" y=\"%*d\" width=\"%lf\"", x, width) == 2;
}

static void waterfall(void)
{
	const char *const label[] = {"gemm", "attention"};
	const double change[] = {4, -1};
	const struct waterfall w = {"t", "ms", label, change, 2, "all"};
	double x[3], width[3];
	svg_waterfall(rendered_begin(), &w);
	rendered_end();
	ok(bar("more", &x[0], &width[0]) && bar("less", &x[1], &width[1]) &&
	       bar("sum", &x[2], &width[2]),
	   "three bars");
	ok(fabs(width[0] - 4 * width[1]) < 0.5 &&
	       fabs(width[2] - 3 * width[1]) < 0.5,
	   "as wide as the changes, and their sum");
	ok(fabs(x[1] + width[1] - x[0] - width[0]) < 0.2 &&
	       fabs(x[2] - x[0]) < 0.2,
	   "each begins where the one before it ends");
	ok(strstr(rendered_text, ">+4.00</text>") &&
	       strstr(rendered_text, ">-1.00</text>") &&
	       strstr(rendered_text, ">+3.00</text>") &&
	       strstr(rendered_text, ">attention<"),
	   "with names, and numbers of as many decimals");
	svg_waterfall_alone(rendered_begin(), &w);
	rendered_end();
	ok(!strncmp(rendered_text, "<svg", 4) &&
	       strstr(rendered_text, "<style>") && bar("sum", &x[2], &width[2]),
	   "and in a file of its own, with its style");
}

/* Whatever the bytes of a name are, the text is UTF-8 without markup or control
 * characters. */
static void all_bytes(void)
{
	int bad = 0;
	for (int byte = 1; byte < 256; byte++) {
		const char s[] = {'a', (char)byte, 'b', 0};
		svg_text(rendered_begin(), s);
		rendered_end();
		size_t n = strlen(rendered_text), used;
		const char *t = rendered_text;
		for (; n > 0 && (used = utf8_length(t, n)); t += used)
			n -= used;
		bad += n || strpbrk(rendered_text, "<>\"\n\033\177");
	}
	ok(bad == 0, "255 bytes");
}

int main(void)
{
	all_bytes();
	series();
	panels();
	alone();
	waterfall();
	return done();
}
