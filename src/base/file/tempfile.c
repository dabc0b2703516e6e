/* tempfile.c -- Opens files that have no name. */
#include "base/file/tempfile.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int tempfile_in(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	/* Kernels and file systems without O_TMPFILE return these codes. */
	if (fd < 0 && (errno == EISDIR || errno == EINVAL))
		errno = EOPNOTSUPP;
	return fd;
}

/* For file systems that cannot make a file without a name: makes one and
 * removes the name at once. */
static int named_for_a_moment(const char *folder)
{
	char *name;
	sigset_t all, before;
	if (asprintf(&name, "%s/stepcost.XXXXXX", folder) < 0) {
		errno = ENOMEM;
		return -1;
	}
	/* Signals are blocked, so that none can leave the file behind. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	int fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(name);
	return fd;
}

static int open_in(const char *folder)
{
	int fd = folder ? tempfile_in(folder) : -1;
	if (fd < 0 && folder && errno == EOPNOTSUPP)
		fd = named_for_a_moment(folder);
	return fd;
}

FILE *tempfile_open(void)
{
	int fd = open_in(getenv("TMPDIR"));
	if (fd < 0)
		fd = open_in(P_tmpdir);
	FILE *f = fd >= 0 ? fdopen(fd, "w+e") : NULL;
	if (fd >= 0 && !f)
		close(fd);
	return f;
}
