/* gnuplot.c -- Hands a figure to gnuplot as a script with its data. */
#include <config.h>
#include "draw/gnuplot.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "draw/gnuplot_private.h"

static int ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);
	return n > m && !strcmp(path + n - m, end);
}

/* In gnuplot's single quotes a quote is doubled. */
void gnuplot_quoted(FILE *f, const char *s)
{
	fputc('\'', f);
	for (; *s; s++) {
		if (*s == '\'')
			fputc('\'', f);
		fputc(*s == '\n' ? ' ' : *s, f);
	}
	fputc('\'', f);
}

static void terminal(FILE *f, const char *path)
{
	fprintf(f, "set terminal %s size %d,%d\nset output ",
		ends_in(path, ".png") ? "pngcairo" : "svg", FIGURE_WIDTH,
		FIGURE_HEIGHT);
	gnuplot_quoted(f, path);
	fputs("\nset termoption noenhanced\n", f);
}

static void script_head(FILE *f, const struct figure *g)
{
	fputs("set grid\nset title ", f);
	gnuplot_quoted(f, g->title);
	fputs("\nset xlabel ", f);
	gnuplot_quoted(f, g->x_label);
	fputs("\nset ylabel ", f);
	gnuplot_quoted(f, g->y_label);
	fprintf(f, "\n%s%sset key outside below\nplot ",
		g->log_x ? "set logscale x\n" : "",
		g->log_y ? "set logscale y\n" : "");
}

static void script(FILE *f, const void *what)
{
	static const char *const style[] = {"lines", "steps", "points"};
	const struct figure *g = what;
	script_head(f, g);
	for (size_t k = 0; k < g->n_series; k++) {
		const struct figure_series *s = &g->series[k];
		fputs(k ? ", '-' title " : "'-' title ", f);
		gnuplot_quoted(f, s->name ? s->name : "");
		fprintf(f, " with %s lc rgb '%s'", style[s->mark],
			figure_colour[s->slot % FIGURE_COLOURS]);
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

int gnuplot_run(void (*script_of)(FILE *f, const void *what), const void *what,
		const char *path, struct problem *p)
{
	if (!ends_in(path, ".svg") && !ends_in(path, ".png"))
		return problem_set(p, EXIT_USAGE,
				   "%s: a plot ends in .svg or .png", path);
	if (system("command -v gnuplot >/dev/null 2>&1") != 0)
		return problem_set(p, EXIT_USAGE,
				   "%s: plots need gnuplot, and there is none",
				   path);
	FILE *f = popen("gnuplot", "w");
	if (!f)
		return problem_set(p, EXIT_USAGE, "gnuplot: %s",
				   strerror(errno));
	terminal(f, path);
	script_of(f, what);
	int rc = pclose(f);
	if (rc == -1 || !WIFEXITED(rc) || WEXITSTATUS(rc) != 0)
		return problem_set(p, EXIT_USAGE, "%s: gnuplot failed", path);
	return 0;
}

int gnuplot_figure(const struct figure *g, const char *path, struct problem *p)
{
	return gnuplot_run(script, g, path, p);
}
