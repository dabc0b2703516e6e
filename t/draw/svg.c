/* Figures as SVG: they show the given values, and a page can hold them. */
#include "draw/svg.h"
#include <math.h>
#include "tap.h"

static char *drawn;
static size_t length;

static int count(const char *needle)
{
	int n = 0;
	for (const char *s = drawn; (s = strstr(s, needle)); s++)
		n++;
	return n;
}

static void draw(const struct figure *g)
{
	free(drawn);
	FILE *f = open_memstream(&drawn, &length);
	if (!f)
		bail_out("open_memstream");
	svg_figure(f, g);
	fclose(f);
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
	ok(count("<svg") == 3 && count("</svg>") == 3 && count("<figure>") == 1,
	   "a drawing, and a key of two series");
	ok(count("a &lt; b &amp; &quot;c&quot;") == 1, "text is escaped");
	ok(count("L") == 2 &&
	       strstr(drawn, "class=\"s s0 t0\" d=\"M62.0 262.0L"),
	   "a line begins at its first point; a NaN is a gap in it");
	ok(count("h0") == 4 + 1, "four of five points are drawn, and the key");
	ok(strstr(drawn, ">40</text>") && strstr(drawn, ">0</text>"),
	   "the ends of the scale are labelled");
	s[1].low = y;
	s[1].high = (const double[]){1, 11, 80, 31, NAN};
	draw(&g);
	ok(count("class=\"w s1\"") == 1 && strstr(drawn, ">80</text>") &&
	       count("V") >= 3,
	   "whiskers where both ends are known, within the scale");
	s[1].low = NULL;
	s[1].left = y;
	s[1].right = s[1].high;
	s[1].mark = MARK_ANSWER;
	draw(&g);
	ok(count("class=\"w s1\"") == 1 && count("class=\"p a p1\"") == 2,
	   "a large point and its whisker along x; the point in the key");
	s[1].left = NULL;
	s[1].mark = MARK_RULE;
	draw(&g);
	ok(count("class=\"rule\"") == 2, "a bound is no series");
	s[1].mark = MARK_POINTS;
	s[0].mark = MARK_STEPS;
	draw(&g);
	ok(count("H") >= 2 && count("V") >= 2, "steps are drawn as steps");
	g.scale_y = SCALE_LOG;
	draw(&g);
	ok(!strstr(drawn, "inf") && !strstr(drawn, "nan"),
	   "zero has no place on a logarithmic axis");
	g.n_series = 0;
	draw(&g);
	ok(count("</svg>") == 1 && !strstr(drawn, "nan"), "no data, no NaN");
	const double same[] = {7, 7};
	s[0] = (struct figure_series){
	    .name = "flat", .x = same, .y = same, .n = 2};
	g = (struct figure){"flat", "x", "y", SCALE_LINEAR, SCALE_LINEAR, s, 1};
	draw(&g);
	ok(!strstr(drawn, "nan") && !strstr(drawn, "inf"),
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
	free(drawn);
	FILE *f = open_memstream(&drawn, &length);
	if (!f)
		bail_out("open_memstream");
	svg_panels(f, &g);
	fclose(f);
	ok(count("<svg") == 2 && count("<figcaption>one<") == 1,
	   "a panel for each series that has a name");
	ok(count("class=\"p p0\"") == 1 && count("class=\"p p1\"") == 1 &&
	       count("class=\"s s2 t2\"") == 2,
	   "one series in each, and in both that without a name");
	ok(count(">40k</text>") == 2, "on the same axes");
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
	free(drawn);
	FILE *f = open_memstream(&drawn, &length);
	if (!f)
		bail_out("open_memstream");
	svg_alone(f, &g);
	fclose(f);
	ok(!strncmp(drawn, "<svg", 4) && count("<svg") == 1 &&
	       count("</svg>") == 1 && count("<style>") == 1,
	   "one element, with its style");
	ok(count("class=\"h\">t &lt; u</text>") == 1 &&
	       count(">a &amp; b</text>") == 1 && count("class=\"s s0") == 2 &&
	       count("class=\"s s1") == 1,
	   "its title, and a key of the series that have a name");
}

/* Where bar i of a class begins, and how wide it is. */
static int bar(const char *class, double *x, double *width)
{
	char begin[64];
	snprintf(begin, sizeof begin, "<rect class=\"%s\" ", class);
	const char *at = strstr(drawn, begin);
	return at && sscanf(at + strlen(begin),
			    "x=\"%lf\" y=\"%*d\" width=\"%lf\"", x, width) == 2;
}

static void waterfall(void)
{
	const char *const label[] = {"gemm", "attention"};
	const double change[] = {4, -1};
	const struct waterfall w = {"t", "ms", label, change, 2, "all"};
	double x[3], width[3];
	free(drawn);
	FILE *f = open_memstream(&drawn, &length);
	if (!f)
		bail_out("open_memstream");
	svg_waterfall(f, &w);
	fclose(f);
	ok(bar("more", &x[0], &width[0]) && bar("less", &x[1], &width[1]) &&
	       bar("sum", &x[2], &width[2]),
	   "three bars");
	ok(fabs(width[0] - 4 * width[1]) < 0.5 &&
	       fabs(width[2] - 3 * width[1]) < 0.5,
	   "as wide as the changes, and their sum");
	ok(fabs(x[1] + width[1] - x[0] - width[0]) < 0.2 &&
	       fabs(x[2] - x[0]) < 0.2,
	   "each begins where the one before it ends");
	ok(strstr(drawn, ">+4</text>") && strstr(drawn, ">-1</text>") &&
	       strstr(drawn, ">+3</text>") && strstr(drawn, ">attention<"),
	   "with names and numbers");
}

int main(void)
{
	series();
	panels();
	alone();
	waterfall();
	free(drawn);
	return done();
}
