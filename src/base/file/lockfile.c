/* lockfile.c -- Takes and releases a lock in a file beside the locked one. */
#include "base/file/lockfile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Another process may have removed the file between our open() and the lock. */
static int is_still_there(const struct lockfile *l)
{
	struct stat a, b;
	return fstat(l->fd, &a) == 0 && stat(l->path, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int say_who(const struct lockfile *l, const char *file,
		   struct problem *p)
{
	char who[200];
	ssize_t n = read(l->fd, who, sizeof who - 1);
	who[n > 0 ? n : 0] = '\0';
	who[strcspn(who, "\n")] = '\0';
	return problem_set(p, EXIT_USAGE, "%s: is being written by %s", file,
			   *who ? who : "another process");
}

static void sign(const struct lockfile *l)
{
	char host[100] = "", who[200];
	gethostname(host, sizeof host - 1);
	int n = snprintf(who, sizeof who, "process %ld on %s\n", (long)getpid(),
			 host);
	if (ftruncate(l->fd, 0) == 0)
		(void)!pwrite(l->fd, who, (size_t)n, 0);
}

/* Returns 1: locked; 0: try again; -1: failed, with *p filled in. */
static int try_once(struct lockfile *l, const char *file, struct problem *p)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	l->fd = open(l->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (l->fd < 0)
		return problem_set(p, EXIT_USAGE, "%s: cannot write %s: %s%s",
				   file, l->path, strerror(errno),
				   errno == ENOENT ? "; make its folder first"
						   : "");
	if (fcntl(l->fd, F_SETLK, &whole) < 0)
		return errno == EACCES || errno == EAGAIN
			   ? say_who(l, file, p)
			   : problem_set(p, EXIT_USAGE, "%s: %s", l->path,
					 strerror(errno));
	return is_still_there(l);
}

int lockfile_take(struct lockfile *l, const char *file, struct problem *p)
{
	int got;
	*l = (struct lockfile){.fd = -1};
	if (asprintf(&l->path, "%s.lock", file) < 0) {
		l->path = NULL;
		return problem_no_memory(p);
	}
	while ((got = try_once(l, file, p)) == 0)
		close(l->fd);
	if (got == 1) {
		sign(l);
		return 0;
	}
	if (l->fd >= 0)
		close(l->fd);
	free(l->path);
	l->path = NULL;
	return -1;
}

int lockfile_is_held(const char *file)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char *path;
	if (asprintf(&path, "%s.lock", file) < 0)
		return 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	free(path);
	if (fd < 0)
		return 0;
	int held = fcntl(fd, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
	close(fd);
	return held;
}

void lockfile_release(struct lockfile *l)
{
	if (!l->path)
		return;
	unlink(l->path);
	close(l->fd);
	free(l->path);
	l->path = NULL;
}
