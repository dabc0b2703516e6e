/* Figures as SVG: what is drawn is what was given, and a page can hold it. */
#include "draw/svg.h"
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
	    {"a < b & \"c\"", MARK_LINE, 0, x, y, 5},
	    {"points", MARK_POINTS, 1, x, y, 5},
	};
	struct figure g = {"title", "x", "y", 0, 0, s, 2};
	draw(&g);
	ok(count("<svg") == 1 && count("</svg>") == 1, "one drawing");
	ok(count("a &lt; b &amp; &quot;c&quot;") == 1, "text is escaped");
	ok(count("L") == 2 && strstr(drawn, "class=\"s s0\" d=\"M76.0 330.0L"),
	   "a line begins at its first point; a NaN is a gap in it");
	ok(count("h0") == 4, "four of five points are drawn");
	ok(strstr(drawn, ">40</text>") && strstr(drawn, ">0</text>"),
	   "the ends of the scale are labelled");
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
	s[0] = (struct figure_series){"flat", MARK_LINE, 0, same, same, 2};
	g = (struct figure){"flat", "x", "y", 0, 0, s, 1};
	draw(&g);
	ok(!strstr(drawn, "nan") && !strstr(drawn, "inf"),
	   "a single value has a scale");
}

static void stacks(void)
{
	const char *const category[] = {"one", "two"};
	const char *const part[] = {"gemm", "attention", "comm"};
	const double value[] = {1, 2, 0, -1, 3, NAN};
	const struct bars b = {"t", "us", category, 2, part, 3, value};
	free(drawn);
	FILE *f = open_memstream(&drawn, &length);
	if (!f)
		bail_out("open_memstream");
	svg_bars(f, &b);
	fclose(f);
	ok(count("<rect class=\"b b0\"") == 3, "gemm twice, and in the legend");
	ok(count("<rect class=\"b b2\"") == 1,
	   "a part of no size is only in the legend");
	ok(strstr(drawn, "gemm: -1") != NULL, "a negative part says so");
	ok(!strstr(drawn, "nan"), "no NaN is drawn");
}

int main(void)
{
	series();
	stacks();
	free(drawn);
	return done();
}
