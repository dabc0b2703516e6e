/* overheard.c -- Reads pipes and keeps their beginning. */
#include <config.h>
#include "jobs/overheard.h"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int overheard_open(struct overheard *o)
{
	int fd[2];
	*o = (struct overheard){.fd = -1};
	if (pipe2(fd, O_CLOEXEC) < 0)
		return -1;
	o->fd = fd[0];
	/* Only our end is non-blocking: a program that writes may wait. */
	fcntl(o->fd, F_SETFL, O_NONBLOCK);
	return fd[1];
}

static void keep(struct overheard *o, const char *bytes, size_t n)
{
	size_t room = OVERHEARD_BYTES - o->n;
	if (!o->text && !(o->text = calloc(1, OVERHEARD_BYTES + 1)))
		room = 0;
	if (n < room)
		room = n;
	for (size_t i = 0; i < room; i++) /* a NUL would end the text */
		o->text[o->n + i] = bytes[i] ? bytes[i] : ' ';
	o->n += room;
	o->not_kept += n - room;
}

static void stop(struct overheard *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}

void overheard_read(struct overheard *o)
{
	char block[1 << 14];
	ssize_t n;
	/* Not forever, because other children need attention. */
	for (int i = 0; o->fd >= 0 && i < 64; i++) {
		if ((n = read(o->fd, block, sizeof block)) > 0)
			keep(o, block, (size_t)n);
		else if (n == 0)
			stop(o); /* it would be ready forever */
		else
			return;
	}
}

void overheard_close(struct overheard *o)
{
	overheard_read(o);
	stop(o);
}
