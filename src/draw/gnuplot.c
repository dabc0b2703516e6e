/* gnuplot.c -- Gives a figure to gnuplot as a script with its data. */
#include <config.h>
#include "draw/gnuplot.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/path.h"
#include "base/searchpath.h"
#include "base/tempfile.h"
#include "draw/gnuplot_private.h"

/* ---- the script ---- */

/* Inside gnuplot's single quotes a quote is doubled and nothing else is
 * special. */
void gnuplot_quoted(FILE *f, const char *s)
{
	fputc('\'', f);
	for (; *s; s++) {
		if (*s == '\'')
			fputc('\'', f);
		fputc((unsigned char)*s < ' ' ? ' ' : *s, f);
	}
	fputc('\'', f);
}

static void terminal(FILE *f, int is_png)
{
	fprintf(f, "set terminal %s size %d,%d\n", is_png ? "pngcairo" : "svg",
		FIGURE_WIDTH, FIGURE_HEIGHT);
	fputs("set termoption noenhanced\n", f);
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

/* ---- the process ---- */

static int is_there(const char *program)
{
	struct searchpath s;
	int found = 0;
	if (searchpath_make(&s, getenv("PATH"), NULL, "") < 0)
		return 1; /* starting it will tell */
	for (size_t i = 0; i < s.folder.n && !found; i++) {
		char *file;
		if (asprintf(&file, "%s/%s", s.folder.item[i], program) < 0)
			break;
		found = access(file, X_OK) == 0;
		free(file);
	}
	searchpath_free(&s);
	return found;
}

/* Runs gnuplot with these two files as standard input and output.  Returns 0 or
 * an error number. */
static int run(int from, int to)
{
	static char name[] = "gnuplot";
	char *const argv[] = {name, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t usual;
	sigset_t pipe;
	pid_t pid;
	int status = 0;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	posix_spawnattr_init(&usual);
	posix_spawnattr_setsigdefault(&usual, &pipe);
	posix_spawnattr_setflags(&usual, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, from, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, to, STDOUT_FILENO);
	int rc = posix_spawnp(&pid, name, &files, &usual, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&usual);
	if (rc)
		return rc;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EIO;
}

static int has_bytes(FILE *f)
{
	struct stat is;
	return fstat(fileno(f), &is) == 0 &&
	       (is.st_size || !S_ISREG(is.st_mode));
}

/* ---- interface ---- */

int gnuplot_open(struct gnuplot *o, const char *path, struct problem *p)
{
	*o = (struct gnuplot){.is_png = path_ends_in(path, ".png")};
	if (!o->is_png && !path_ends_in(path, ".svg"))
		return problem_set(p, EXIT_USAGE,
				   "%s: a plot ends in .svg or .png", path);
	if (*path == '|' || *path == '<')
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: a plot goes to a file, not to a command", path);
	if (!is_there("gnuplot"))
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: plots need gnuplot, which is not installed", path);
	return outfile_open(&o->to, path, p);
}

int gnuplot_run(struct gnuplot *o,
		void (*write_script)(FILE *f, const void *what),
		const void *what, struct problem *p)
{
	FILE *f = tempfile_open();
	if (!f)
		return problem_set(p, EXIT_USAGE, "a temporary file: %s",
				   strerror(errno));
	terminal(f, o->is_png);
	write_script(f, what);
	int bad = fflush(f) || ferror(f) || fseek(f, 0, SEEK_SET) < 0;
	int code = bad ? errno : run(fileno(f), fileno(o->to.f));
	fclose(f);
	if (code)
		return problem_set(p, EXIT_USAGE, "%s: gnuplot failed: %s",
				   o->to.path, strerror(code));
	if (!has_bytes(o->to.f))
		return problem_set(p, EXIT_USAGE, "%s: gnuplot drew nothing",
				   o->to.path);
	return 0;
}

int gnuplot_figure(struct gnuplot *o, const struct figure *g, struct problem *p)
{
	return gnuplot_run(o, script, g, p);
}
