/* gnuplot.c -- Hands a figure to gnuplot as a script with its data. */
#include <config.h>
#include "draw/gnuplot.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static int ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);
	return n > m && !strcmp(path + n - m, end);
}

/* In gnuplot's single quotes a quote is doubled. */
static void quoted(FILE *f, const char *s)
{
	fputc('\'', f);
	for (; *s; s++) {
		if (*s == '\'')
			fputc('\'', f);
		fputc(*s == '\n' ? ' ' : *s, f);
	}
	fputc('\'', f);
}

static void script_head(FILE *f, const struct figure *g, const char *path)
{
	fprintf(f, "set terminal %s size %d,%d\nset output ",
		ends_in(path, ".png") ? "pngcairo" : "svg", FIGURE_WIDTH,
		FIGURE_HEIGHT);
	quoted(f, path);
	fputs("\nset termoption noenhanced\nset grid\nset title ", f);
	quoted(f, g->title);
	fputs("\nset xlabel ", f);
	quoted(f, g->x_label);
	fputs("\nset ylabel ", f);
	quoted(f, g->y_label);
	fprintf(f, "\n%s%sset key outside below\nplot ",
		g->log_x ? "set logscale x\n" : "",
		g->log_y ? "set logscale y\n" : "");
}

static void script(FILE *f, const struct figure *g, const char *path)
{
	static const char *const style[] = {"lines", "steps", "points"};
	script_head(f, g, path);
	for (size_t k = 0; k < g->n_series; k++) {
		const struct figure_series *s = &g->series[k];
		fputs(k ? ", '-' title " : "'-' title ", f);
		quoted(f, s->name ? s->name : "");
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

int gnuplot_figure(const struct figure *g, const char *path, struct problem *p)
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
	script(f, g, path);
	int rc = pclose(f);
	if (rc == -1 || !WIFEXITED(rc) || WEXITSTATUS(rc) != 0)
		return problem_set(p, EXIT_USAGE, "%s: gnuplot failed", path);
	return 0;
}
