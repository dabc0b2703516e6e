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
	    {"a < b & \"c\"", MARK_LINE, 0, x, y, 5, NULL, NULL},
	    {"points", MARK_POINTS, 1, x, y, 5, NULL, NULL},
	};
	struct figure g = {"title", "x", "y", 0, 0, s, 2};
	draw(&g);
	ok(count("<svg") == 3 && count("</svg>") == 3 && count("<figure>") == 1,
	   "a drawing, and a key of two series");
	ok(count("a &lt; b &amp; &quot;c&quot;") == 1, "text is escaped");
	ok(count("L") == 2 && strstr(drawn, "class=\"s s0\" d=\"M46.0 218.0L"),
	   "a line begins at its first point; a NaN is a gap in it");
	ok(count("h0") == 4 + 2, "four of five points are drawn, and the key");
	ok(strstr(drawn, ">40</text>") && strstr(drawn, ">0</text>"),
	   "the ends of the scale are labelled");
	s[1].low = y;
	s[1].high = (const double[]){1, 11, 80, 31, NAN};
	draw(&g);
	ok(count("class=\"w s1\"") == 1 && strstr(drawn, ">80</text>") &&
	       count("V") >= 3,
	   "whiskers where both ends are known, within the scale");
	s[1].low = NULL;
	s[0].mark = MARK_STEPS;
	draw(&g);
	ok(count("H") >= 2 && count("V") >= 2, "steps are drawn as steps");
	g.log_y = 1;
	draw(&g);
	ok(!strstr(drawn, "inf") && !strstr(drawn, "nan"),
	   "zero has no place on a logarithmic axis");
	g.n_series = 0;
	draw(&g);
	ok(count("</svg>") == 1 && !strstr(drawn, "nan"), "no data, no NaN");
	const double same[] = {7, 7};
	s[0] = (struct figure_series){"flat", MARK_LINE, 0,    same,
				      same,   2,         NULL, NULL};
	g = (struct figure){"flat", "x", "y", 0, 0, s, 1};
	draw(&g);
	ok(!strstr(drawn, "nan") && !strstr(drawn, "inf"),
	   "a single value has a scale");
}

static void panels(void)
{
	const double x[] = {1, 2}, low[] = {1, 2}, high[] = {20000, 40000};
	struct figure_series s[] = {
	    {"one", MARK_POINTS, 0, x, low, 2, NULL, NULL},
	    {"two", MARK_POINTS, 1, x, high, 2, NULL, NULL},
	    {NULL, MARK_LINE, 2, x, low, 2, NULL, NULL},
	};
	struct figure g = {"title", "x", "y", 0, 0, s, 3};
	free(drawn);
	FILE *f = open_memstream(&drawn, &length);
	if (!f)
		bail_out("open_memstream");
	svg_panels(f, &g);
	fclose(f);
	ok(count("<svg") == 2 && count("<figcaption>one<") == 1,
	   "a panel for each series that has a name");
	ok(count("class=\"p p0\"") == 1 && count("class=\"p p1\"") == 1 &&
	       count("class=\"s s2\"") == 2,
	   "one series in each, and in both that without a name");
	ok(count(">40k</text>") == 2, "on the same axes");
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
	waterfall();
	free(drawn);
	return done();
}
