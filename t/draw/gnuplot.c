/* Figures as files: by gnuplot, if there is one. */
#include "draw/gnuplot.h"
#include <unistd.h>
#include "tap.h"

int main(void)
{
	struct problem p = {0};
	const double x[] = {1, 2}, y[] = {3, 4};
	const struct figure_series s = {"it's", MARK_LINE, 0, x, y, 2};
	const struct figure g = {"it's", "x", "y", 0, 0, &s, 1};
	ok(gnuplot_figure(&g, "a.pdf", &p) < 0 && p.code == EXIT_USAGE, "%s",
	   p.text);
	char path[] = "/tmp/figureXXXXXX.svg";
	int fd = mkstemps(path, 4);
	if (fd < 0)
		bail_out("mkstemps");
	close(fd);
	if (system("command -v gnuplot >/dev/null 2>&1") != 0)
		ok(gnuplot_figure(&g, path, &p) < 0, "without it: %s", p.text);
	else
		ok(gnuplot_figure(&g, path, &p) == 0 && access(path, R_OK) == 0,
		   "gnuplot draws");
	unlink(path);
	return done();
}
