/* Dots and whiskers: a row for each name, all on one axis. */
#include "draw/dots.h"
#include <math.h>
#include "rendered.h"

static void draw(const struct dots_row *row, size_t n)
{
	const struct dots d = {"TTFT < x, ms", row, n};
	dots_html(rendered_begin(), &d);
	rendered_end();
}

int main(void)
{
	const struct dots_row row[] = {
	    {"a & b", 0, 50, 25, 100, NULL},
	    {"c", 11, 75, NAN, NAN, NULL},
	    {"d", 2, NAN, NAN, NAN, "failed"},
	};
	draw(row, 3);
	ok(rendered_count("TTFT &lt; x, ms") == 1 &&
	       rendered_count(">a &amp; b<") == 1,
	   "texts are escaped");
	ok(rendered_count("class=\"f0\" cx=\"50.0%\"") == 1 &&
	       rendered_count("class=\"f1\" cx=\"75.0%\"") == 1 &&
	       rendered_count("<circle") == 2,
	   "a dot for each value, in its colour");
	ok(rendered_count("class=\"dw s0\" x1=\"25.0%\" x2=\"100.0%\"") == 1 &&
	       rendered_count("class=\"dw") == 1,
	   "a whisker where the range is known");
	ok(rendered_count("<b>50</b> <small>25 to 100</small>") == 1 &&
	       rendered_count("<b>75</b></span>") == 1 &&
	       rendered_count(">failed</span>") == 1,
	   "the numbers, or why there are none");
	ok(rendered_count("<text x=\"0.0%\" y=\"13\">0</text>") == 1 &&
	       rendered_count(">100</text>") == 1,
	   "the axis begins at zero");
	const struct dots_row wide[] = {{"a", 0, 1, NAN, NAN, NULL},
					{"b", 1, 10000, NAN, NAN, NULL}};
	draw(wide, 2);
	ok(rendered_count("cx=\"0.0%\"") == 1 &&
	       rendered_count("cx=\"100.0%\"") == 1 &&
	       rendered_count(">10k</text>") == 1 &&
	       rendered_count("<b>10000</b>") == 1,
	   "four decades on a logarithmic axis");
	const struct dots_row out[] = {{"a", 0, 10, -5, 1e9, NULL},
				       {"b", 1, 10000, 20, 30000, NULL}};
	draw(out, 2);
	ok(rendered_count("cx=\"0.0%\"") == 1 &&
	       rendered_count("cx=\"100.0%\"") == 1 &&
	       rendered_count("x1=\"0.0%\" x2=\"100.0%\" y1=\"50%\"") == 1 &&
	       rendered_count("d=\"M5-4 0 0 5 4\"") == 1 &&
	       rendered_count("d=\"M-5-4 0 0 -5 4\"") == 2,
	   "whiskers beyond the dots do not make the axis; arrows show them");
	draw(row + 2, 1);
	ok(!rendered_count("<circle") && !strstr(rendered_text, "nan") &&
	       !strstr(rendered_text, "inf"),
	   "no value, no dot");
	return done();
}
