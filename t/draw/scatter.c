/* Points in series, their whiskers, and the diagonal. */
#include "draw/scatter.h"
#include <math.h>
#include "tap.h"

static void fill(struct scatter *o)
{
	ok(scatter_open(o, 4, 3) == 0, "room");
	scatter_begin(o, "one", 1);
	scatter_add(o, 10, 20);
	scatter_add(o, 0, 5);
	scatter_add(o, 5, NAN);
	scatter_begin(o, "without points", 2);
	scatter_begin(o, "two", FIGURE_COLOURS + 3);
	scatter_add(o, 30, -4);
	scatter_add(o, 40, 50);
	scatter_whisker(o, 45, 55);
	scatter_whisker_x(o, 15, 80);
}

static void series(const struct scatter *o)
{
	struct figure g = scatter_figure(o, "title", "x", "y");
	const struct figure_series *s = g.series;
	ok(g.n_series == 2 && g.scale_x == SCALE_LOG, "two series");
	is(s[0].name, "one", "the first");
	ok(s[0].n == 1 && s[0].x[0] == 10 && s[0].y[0] == 20 && !s[0].low,
	   "points that cannot be drawn are left out");
	is(s[1].name, "two", "one without points makes room");
	ok(s[1].n == 2 && s[1].slot == 3 && s[1].y[0] == -4 && s[1].x[1] == 40,
	   "its points");
	ok(isnan(s[1].low[0]) && s[1].low[1] == 45 && s[1].high[1] == 55 &&
	       isnan(s[1].right[0]) && s[1].left[1] == 15 &&
	       s[1].right[1] == 80,
	   "a whisker at its point");
}

int main(void)
{
	struct scatter o;
	fill(&o);
	series(&o);
	scatter_begin(&o, "the last, without points", 4);
	struct figure g = scatter_predicted(&o, "title", "x", "y");
	ok(g.n_series == 3 && g.series[2].mark == MARK_RULE &&
	       !g.series[2].name,
	   "the diagonal");
	near(g.series[2].x[0], 10 / 1.5, 1e-12, "from below the least x");
	near(g.series[2].y[1], 80 * 1.5, 1e-12, "to above the greatest");
	scatter_free(&o);
	return done();
}
