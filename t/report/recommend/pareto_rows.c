/* The Pareto front as rows and picture. */
#include "report/recommend/pareto_rows.h"
#include "recommended.h"
#include "rendered.h"

int main(void)
{
	struct pareto_rows rows;
	scratch_open();
	ask_small();
	asked.front = "";
	recommend_good(RECOMMENDED);
	pareto_rows(&rows, &recommended, 0, 1);
	size_t all = rows.n;
	free(rows.row);
	pareto_rows(&rows, &recommended, 0, 0);
	ok(rows.n > 0 && all > rows.n, "%zu of %zu runs", rows.n, all);
	int falls = 1;
	for (size_t i = 1; i < rows.n; i++)
		falls &= rows.row[i].x < rows.row[i - 1].x &&
			 rows.row[i].y > rows.row[i - 1].y;
	ok(falls, "less of one figure is more of the other");
	free(rows.row);
	pareto_title(&recommended, rendered_begin());
	rendered_has(rendered_end(), "output tokens/s per GPU against");
	pareto_picture(&recommended, rendered_begin());
	rendered_has(rendered_end(), "<svg");
	recommend_free(&recommended);
	return done();
}
