/* outfile.c -- Writes beside the target and renames over it. */
#include <config.h>
#include "base/outfile.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(const struct outfile *o, struct problem *p)
{
	return problem_set(p, EXIT_USAGE, "cannot write %s: %s",
			   o->path ? o->path : "the output",
			   errno ? strerror(errno) : "an earlier write failed");
}

/* As open() would have made it. */
static int usual_mode(int fd)
{
	mode_t mask = umask(0);
	umask(mask);
	return fchmod(fd, 0666 & ~mask);
}

static int open_beside(struct outfile *o)
{
	if (asprintf(&o->beside, "%s.XXXXXX", o->path) < 0) {
		o->beside = NULL;
		return -1;
	}
	int fd = mkstemp(o->beside);
	if (fd < 0) {
		free(o->beside);
		o->beside = NULL;
		return -1;
	}
	if (usual_mode(fd) == 0 && (o->f = fdopen(fd, "w")))
		return 0;
	close(fd);
	return -1;
}

int outfile_open(struct outfile *o, const char *path, struct problem *p)
{
	struct stat st;
	*o = (struct outfile){.f = stdout};
	if (!path || !strcmp(path, "-"))
		return 0;
	o->f = NULL;
	int there = stat(path, &st) == 0, rc = -1;
	int direct = there && !S_ISREG(st.st_mode);
	/* The target of a symbolic link, not the link, is replaced. */
	o->path = there && !direct ? realpath(path, NULL) : strdup(path);
	if (o->path && direct)
		rc = (o->f = fopen(path, "w")) ? 0 : -1;
	else if (o->path)
		rc = open_beside(o);
	if (rc < 0) {
		failed(o, p);
		outfile_discard(o);
	}
	return rc;
}

int outfile_commit(struct outfile *o, struct problem *p)
{
	errno = 0;
	int rc = fflush(o->f) || ferror(o->f) ? -1 : 0;
	if (o->path && fclose(o->f))
		rc = -1;
	o->f = NULL;
	if (rc == 0 && o->beside && rename(o->beside, o->path))
		rc = -1;
	if (rc < 0)
		failed(o, p);
	if (rc == 0 && o->beside) {
		free(o->beside);
		o->beside = NULL;
	}
	outfile_discard(o);
	return rc;
}

void outfile_discard(struct outfile *o)
{
	if (o->path && o->f)
		fclose(o->f);
	if (o->beside)
		unlink(o->beside);
	free(o->beside), free(o->path);
	*o = (struct outfile){0};
}
