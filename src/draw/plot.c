/* plot.c -- Writes a figure into a file, as SVG or as what rsvg-convert makes
 * of it. */
#include "draw/plot.h"
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file/path.h"
#include "base/file/tempfile.h"
#include "base/text.h"
#include "draw/svg.h"

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
	if (o->is_png && system("command -v rsvg-convert >/dev/null 2>&1"))
		return problem_set(p, EXIT_USAGE,
				   "%s: a .png needs rsvg-convert, which is "
				   "not installed (Debian: librsvg2-bin); .svg "
				   "does not",
				   path);
	return outfile_open(&o->to, path, p);
}

/* ---- SVG to PNG ---- */

/* Runs rsvg-convert with these two files as standard input and output: no shell
 * sees a name.  Returns 0 or an error number. */
static int convert(int from, int to)
{
	static char name[] = "rsvg-convert", format[] = "--format=png";
	char *const argv[] = {name, format, NULL};
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

static int make_png(struct plot *o, struct problem *p)
{
	FILE *f = tempfile_open();
	if (!f)
		return problem_set(p, EXIT_USAGE, "a temporary file: %s",
				   strerror(errno));
	svg_write_plain(f, o->text);
	int bad = fflush(f) || ferror(f) || fseek(f, 0, SEEK_SET) < 0;
	int code = bad ? errno : convert(fileno(f), fileno(o->to.f));
	fclose(f);
	if (code)
		return problem_set(p, EXIT_USAGE, "%s: rsvg-convert failed: %s",
				   o->to.path, strerror(code));
	if (!has_bytes(o->to.f))
		return problem_set(p, EXIT_USAGE,
				   "%s: rsvg-convert drew nothing", o->to.path);
	return 0;
}

/* ---- a figure ---- */

FILE *plot_begin(struct plot *o, struct problem *p)
{
	o->svg = o->is_png ? text_open(&o->text, &o->size) : o->to.f;
	if (!o->svg)
		problem_no_memory(p);
	return o->svg;
}

int plot_end(struct plot *o, struct problem *p)
{
	if (!o->is_png)
		return 0;
	int rc = fclose(o->svg) ? problem_no_memory(p) : make_png(o, p);
	free(o->text);
	o->svg = NULL;
	o->text = NULL;
	return rc;
}

int plot_figure(struct plot *o, const struct figure *g, struct problem *p)
{
	FILE *f = plot_begin(o, p);
	if (!f)
		return -1;
	svg_alone(f, g);
	return plot_end(o, p);
}
