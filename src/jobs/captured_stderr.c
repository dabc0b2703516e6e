/* captured_stderr.c -- Reads pipes and keeps their beginning. */
#include "jobs/captured_stderr.h"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int captured_stderr_open(struct captured_stderr *o)
{
	int fd[2];
	*o = (struct captured_stderr){.fd = -1};
	if (pipe2(fd, O_CLOEXEC) < 0)
		return -1;
	o->fd = fd[0];
	/* Only our end is non-blocking: a program that writes may wait. */
	fcntl(o->fd, F_SETFL, O_NONBLOCK);
	return fd[1];
}

static void keep(struct captured_stderr *o, const char *bytes, size_t n)
{
	size_t room = CAPTURED_STDERR_BYTES - o->n;
	if (!o->text && !(o->text = calloc(1, CAPTURED_STDERR_BYTES + 1)))
		room = 0;
	if (n < room)
		room = n;
	for (size_t i = 0; i < room; i++) /* a NUL would end the text */
		o->text[o->n + i] = bytes[i] ? bytes[i] : ' ';
	o->n += room;
	o->not_kept += n - room;
}

static void stop(struct captured_stderr *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}

void captured_stderr_read(struct captured_stderr *o)
{
	char block[1 << 12];
	ssize_t n;
	/* Not forever, because other children need attention. */
	for (int i = 0; o->fd >= 0 && i < 256; i++) {
		if ((n = read(o->fd, block, sizeof block)) > 0)
			keep(o, block, (size_t)n);
		else if (n == 0)
			stop(o); /* it would be ready forever */
		else
			return;
	}
}

void captured_stderr_close(struct captured_stderr *o)
{
	captured_stderr_read(o);
	stop(o);
}
