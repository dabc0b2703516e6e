/* gnuplot.c -- Runs gnuplot on a script. */
#include <config.h>
#include "draw/gnuplot.h"
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/searchpath.h"
#include "base/tempfile.h"
#include "draw/figure.h"

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

static void terminal(FILE *f)
{
	fprintf(f, "set terminal pngcairo size %d,%d\n", FIGURE_WIDTH,
		FIGURE_HEIGHT);
	fputs("set termoption noenhanced\n", f);
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

int gnuplot_is_there(void)
{
	return is_there("gnuplot");
}

int gnuplot_png(struct outfile *to,
		void (*write_script)(FILE *f, const void *what),
		const void *what, struct problem *p)
{
	FILE *f = tempfile_open();
	if (!f)
		return problem_set(p, EXIT_USAGE, "a temporary file: %s",
				   strerror(errno));
	terminal(f);
	write_script(f, what);
	int bad = fflush(f) || ferror(f) || fseek(f, 0, SEEK_SET) < 0;
	int code = bad ? errno : run(fileno(f), fileno(to->f));
	fclose(f);
	if (code)
		return problem_set(p, EXIT_USAGE, "%s: gnuplot failed: %s",
				   to->path, strerror(code));
	if (!has_bytes(to->f))
		return problem_set(p, EXIT_USAGE, "%s: gnuplot drew nothing",
				   to->path);
	return 0;
}
