/* outfile.c -- Writes a file without a name and gives it its name at the
 * end. */
#include "base/file/outfile.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/inputs.h"
#include "base/file/tempfile.h"
#include "base/text.h"
#include "base/printable.h"

static const char *remedy(int error)
{
	return error == ENOENT   ? "; make its folder first"
	       : error == EISDIR ? "; name a file in it"
	       : error == EACCES ? "; write to a folder of yours"
				 : "";
}

static int failed(const struct outfile *o, struct problem *p)
{
	int error = errno;
	return problem_set(p, EXIT_USAGE, "cannot write %s: %s%s",
			   o->path ? o->path : "the output",
			   error == ENXIO ? "it is a pipe that no program reads"
			   : error
			       ? strerror(error)
			       : "an earlier write failed; is the disk full?",
			   remedy(error));
}

/* Returns 1 if the file is a pipe without a reader, as behind "| head": that is
 * no error, because the reader has seen enough. */
static int has_no_reader(FILE *f)
{
	struct pollfd of = {.fd = fileno(f), .events = POLLOUT};
	return poll(&of, 1, 0) == 1 && (of.revents & POLLERR);
}

/* ---- opening ---- */

/* "out.csv" -> ".", "a/out.csv" -> "a/."; returns NULL if memory is out. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	int n = slash ? (int)(slash - path + 1) : 0;
	char *folder;
	return asprintf(&folder, "%.*s.", n, path) < 0 ? NULL : folder;
}

static FILE *open_nameless(const char *path)
{
	char *folder = folder_of(path);
	int fd = folder ? tempfile_in(folder) : -1;
	FILE *f = fd >= 0 ? fdopen(fd, "w+e") : NULL;
	if (fd >= 0 && !f)
		close(fd);
	/* The folder cannot hold a file without a name: write to a temporary
	 * file, and copy its bytes at the end. */
	if (fd < 0 && folder && errno == EOPNOTSUPP &&
	    access(folder, W_OK | X_OK) == 0)
		f = tempfile_open();
	free(folder);
	return f;
}

/* Opens a device or a pipe.  O_NONBLOCK: does not wait for a reader. */
static FILE *open_directly(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fdopen(fd, "we");
}

/* Standard output may have been closed before this program began. */
static int open_standard(struct outfile *o, struct problem *p)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);
	if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) {
		o->f = stdout;
		return 0;
	}
	errno = EBADF;
	return failed(o, p);
}

int outfile_open(struct outfile *o, const char *path, struct problem *p)
{
	struct stat st;
	*o = (struct outfile){0};
	if (!path || !strcmp(path, "-"))
		return open_standard(o, p);
	int there = stat(path, &st) == 0;
	o->nameless = !there || S_ISREG(st.st_mode);
	/* If path is a symbolic link, replace its target and not the link. */
	o->path = there && o->nameless ? realpath(path, NULL) : strdup(path);
	if (o->path)
		o->f =
		    o->nameless ? open_nameless(o->path) : open_directly(path);
	if (o->f)
		return 0;
	failed(o, p);
	outfile_discard(o);
	return -1;
}

/* ---- giving the name ---- */

static int link_to(int fd, const char *path)
{
	char own[64];
	snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* Copies everything into the new file `to`. */
static int copy_to(int from, int to)
{
	char buf[1 << 13];
	ssize_t n = 0;
	mode_t mask = umask(0);
	umask(mask);
	int rc = fchmod(to, 0666 & ~mask);
	for (off_t at = 0;
	     rc == 0 && (n = pread(from, buf, sizeof buf, at)) > 0; at += n)
		for (ssize_t done = 0, w; rc == 0 && done < n; done += w)
			if ((w = write(to, buf + done, (size_t)(n - done))) < 0)
				rc = -1;
	return n < 0 ? -1 : rc;
}

/* For a file system, or a kernel without /proc, that cannot name a nameless
 * file: makes a new file beside the target and copies into it.  *beside is its
 * name. */
static int copy_beside(int fd, const char *path, char **beside)
{
	if (asprintf(beside, "%s.XXXXXX", path) < 0) {
		*beside = NULL;
		errno = ENOMEM;
		return -1;
	}
	int to = mkostemp(*beside, O_CLOEXEC);
	int rc = to >= 0 ? copy_to(fd, to) : -1;
	if (to >= 0 && close(to) < 0)
		rc = -1;
	return rc;
}

/* Gives the file a name beside the target; *beside is that name. */
static int name_beside(int fd, const char *path, char **beside)
{
	if (asprintf(beside, "%s.%ld", path, (long)getpid()) < 0)
		*beside = NULL;
	if (*beside && link_to(fd, *beside) == 0)
		return 0;
	free(*beside);
	return copy_beside(fd, path, beside);
}

/* While a second name exists beside the target, no signal may end us. */
static int name(int fd, const char *path)
{
	sigset_t all, before;
	char *beside = NULL;
	if (link_to(fd, path) == 0)
		return 0;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	int rc = name_beside(fd, path, &beside);
	if (rc == 0)
		rc = rename(beside, path);
	int code = errno;
	if (rc < 0 && beside)
		unlink(beside);
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(beside);
	errno = code;
	return rc;
}

/* ---- output that is finished at the end ---- */

int outfile_through(struct outfile *o,
		    int (*finish)(FILE *to, const char *text, size_t n),
		    struct problem *p)
{
	FILE *f = text_open(&o->text, &o->size);
	if (!f)
		return failed(o, p);
	o->to = o->f;
	o->f = f;
	o->finish = finish;
	return 0;
}

static int for_people(FILE *to, const char *text, size_t n)
{
	printable_text(to, text, n);
	return 0;
}

int outfile_for_people(struct outfile *o, struct problem *p)
{
	return outfile_through(o, for_people, p);
}

/* Returns 0, or -1 if not all of the text reached memory. */
static int pass_on_text(struct outfile *o)
{
	int rc = ferror(o->f) ? -1 : 0;
	if (fclose(o->f))
		rc = -1;
	o->f = o->to;
	o->to = NULL;
	if (rc == 0)
		rc = o->finish(o->f, o->text, o->size);
	return rc;
}

int outfile_open_if(struct outfile *o, const char *path, struct problem *p)
{
	return path ? outfile_open(o, path, p) : 0;
}

int outfile_commit(struct outfile *o, struct problem *p)
{
	if (!o->f)
		return 0;
	errno = 0;
	int rc = o->to ? pass_on_text(o) : 0;
	if (fflush(o->f) || ferror(o->f))
		rc = -1;
	if (rc == 0 && problem_machine_failed()) {
		errno = problem_machine_failed();
		rc = -1;
	}
	if (rc == 0 && o->nameless) {
		rc = name(fileno(o->f), o->path);
		inputs_note(INPUT_OUTPUT, (const char *const *)&o->path,
			    rc == 0);
	}
	int is_left = rc < 0 && !o->path && has_no_reader(o->f);
	if (rc < 0)
		failed(o, p);
	if (o->path && fclose(o->f) && rc == 0)
		rc = failed(o, p);
	/* The failure is reported here once, so clear it: a later check of
	 * stdout finds no error. */
	if (!o->path && rc < 0) {
		__fpurge(stdout);
		clearerr(stdout);
	}
	o->f = NULL;
	outfile_discard(o);
	return is_left ? 0 : rc;
}

void outfile_discard(struct outfile *o)
{
	if (o->to) {
		fclose(o->f);
		o->f = o->to;
	}
	free(o->text);
	if (o->path && o->f)
		fclose(o->f);
	free(o->path);
	*o = (struct outfile){0};
}

int outfile_end(struct outfile *o, int rc, struct problem *p)
{
	if (rc == 0)
		return outfile_commit(o, p);
	outfile_discard(o);
	return rc;
}
