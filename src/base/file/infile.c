/* infile.c -- Opens regular files for reading, and refuses everything else. */
#include "base/file/infile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/inputs.h"
#include "base/nearest.h"

/* Returns what a file is instead of a regular file; NULL: it is one. */
static const char *what_else(mode_t mode)
{
	return S_ISREG(mode)    ? NULL
	       : S_ISDIR(mode)  ? "Is a directory; name a file in it"
	       : S_ISFIFO(mode) ? "is a pipe, not a file: save it in one first"
	       : S_ISSOCK(mode) ? "is a socket, not a file"
				: "is a device, not a file";
}

/* Says why a path cannot be read; names the nearest file of its folder if there
 * is no such file. */
static int refuse(const char *path, int code, struct problem *p)
{
	struct names known = {0};
	const char *slash = strrchr(path, '/');
	char hint[100];
	problem_of_file(p, path, code);
	if (code != ENOENT)
		return -1;
	char *folder =
	    slash ? strndup(path, (size_t)(slash - path + 1)) : strdup(".");
	if (folder && names_add_files(&known, folder, "") == 0)
		nearest_of(slash ? slash + 1 : path, &known, hint);
	else
		hint[0] = '\0';
	names_free(&known);
	free(folder);
	return problem_set(p, EXIT_USAGE, "%s: %s%s", path, strerror(code),
			   *hint ? hint : "; name a file that is there");
}

FILE *infile_open(const char *path, struct problem *p)
{
	struct stat is;
	/* O_NONBLOCK: open() does not wait for the writer of a pipe. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int code = errno;
	const char *why = NULL;
	if (fd >= 0 ? fstat(fd, &is) == 0 : stat(path, &is) == 0)
		why = what_else(is.st_mode);
	FILE *f = fd >= 0 && !why ? fdopen(fd, "re") : NULL;
	if (f) {
		inputs_note_file(path);
		return f;
	}
	if (fd >= 0 && !why)
		code = errno;
	if (fd >= 0)
		close(fd);
	if (why)
		problem_set(p, EXIT_USAGE, "%s: %s", path, why);
	else
		refuse(path, code, p);
	return NULL;
}

int infile_check(const char *path, struct problem *p)
{
	struct stat is;
	if (access(path, R_OK) < 0 || stat(path, &is) < 0)
		return refuse(path, errno, p);
	const char *why = what_else(is.st_mode);
	return why ? problem_set(p, EXIT_USAGE, "%s: %s", path, why) : 0;
}

FILE *infile_open_short(const char *path, unsigned at_most_mib,
			struct problem *p)
{
	struct stat is;
	FILE *f = infile_open(path, p);
	if (!f || (fstat(fileno(f), &is) == 0 &&
		   is.st_size <= (off_t)at_most_mib << 20))
		return f;
	fclose(f);
	problem_set(p, EXIT_INPUT, "%s: more than %u MiB", path, at_most_mib);
	return NULL;
}

char *infile_rest(FILE *f, size_t *n)
{
	size_t cap = 1 << 16, len = 0;
	char *text = malloc(cap + 1);
	while (text) {
		len += fread(text + len, 1, cap - len, f);
		if (len < cap)
			break;
		cap *= 2;
		char *more = realloc(text, cap + 1);
		if (!more)
			free(text);
		text = more;
	}
	if (text && ferror(f)) {
		free(text);
		text = NULL;
	}
	if (text)
		text[len] = '\0';
	if (n)
		*n = len;
	return text;
}

char *infile_read(const char *path, unsigned at_most_mib, size_t *n,
		  struct problem *p)
{
	FILE *f = infile_open_short(path, at_most_mib, p);
	if (!f)
		return NULL;
	char *text = infile_rest(f, n);
	if (!text)
		problem_of_file(p, path, errno);
	fclose(f);
	return text;
}
