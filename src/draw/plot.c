/* plot.c -- Writes a figure into a file, as SVG or as a script for gnuplot. */
#include <config.h>
#include "draw/plot.h"
#include <math.h>
#include <stdio.h>
#include "base/path.h"
#include "draw/gnuplot.h"
#include "draw/svg.h"

/* ---- the script ---- */

static void script_head(FILE *f, const struct figure *g)
{
	fputs("set grid\nset title ", f);
	gnuplot_quoted(f, g->title);
	fputs("\nset xlabel ", f);
	gnuplot_quoted(f, g->x_label);
	fputs("\nset ylabel ", f);
	gnuplot_quoted(f, g->y_label);
	fprintf(f, "\n%s%sset key outside right\nplot ",
		figure_log_x(g) ? "set logscale x\n" : "",
		figure_log_y(g) ? "set logscale y\n" : "");
}

static void script(FILE *f, const void *what)
{
	static const char *const style[] = {"lines", "steps", "points",
					    "points pt 7 ps 1.5", "lines dt 2"};
	const struct figure *g = what;
	script_head(f, g);
	for (size_t k = 0; k < g->n_series; k++) {
		const struct figure_series *s = &g->series[k];
		fputs(k ? ", '-' title " : "'-' title ", f);
		gnuplot_quoted(f, s->name ? s->name : "");
		fprintf(f, " with %s lc rgb '%s'", style[s->mark],
			s->mark == MARK_RULE
			    ? "black"
			    : figure_colour[s->slot % FIGURE_COLOURS]);
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

/* ---- interface ---- */

int plot_open(struct plot *o, const char *path, struct problem *p)
{
	*o = (struct plot){.is_png = path_ends_in(path, ".png")};
	if (!o->is_png && !path_ends_in(path, ".svg"))
		return problem_set(p, EXIT_USAGE,
				   "%s: a plot ends in .svg or .png", path);
	if (*path == '|' || *path == '<')
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: a plot goes to a file, not to a command", path);
	if (o->is_png && !gnuplot_is_there())
		return problem_set(p, EXIT_USAGE,
				   "%s: a .png needs gnuplot, which is not "
				   "installed; .svg does not",
				   path);
	return outfile_open(&o->to, path, p);
}

int plot_figure(struct plot *o, const struct figure *g, struct problem *p)
{
	if (o->is_png)
		return gnuplot_png(&o->to, script, g, p);
	svg_alone(o->to.f, g);
	return 0;
}
