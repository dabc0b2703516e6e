/* The parent keeps the beginning of the text that a child writes to a pipe, and
 * neither of them waits. */
#include "jobs/captured_stderr.h"
#include <fcntl.h>
#include <unistd.h>
#include "tap.h"

static void say(int fd, const char *bytes, size_t n)
{
	if (write(fd, bytes, n) != (ssize_t)n)
		bail_out("write");
}

static void a_few_words(void)
{
	struct captured_stderr o;
	int fd = captured_stderr_open(&o);
	if (fd < 0)
		bail_out("pipe");
	ok(fcntl(o.fd, F_GETFD) & FD_CLOEXEC && fcntl(fd, F_GETFD) & FD_CLOEXEC,
	   "both ends are closed at exec()");
	ok(!(fcntl(fd, F_GETFL) & O_NONBLOCK), "who writes may wait");
	captured_stderr_read(&o);
	ok(!o.text && o.n == 0, "nothing has come, and reading does not wait");
	say(fd, "one ", 4);
	captured_stderr_read(&o);
	is(o.text, "one ", "what has come");
	say(fd, "a\0b", 3);
	captured_stderr_read(&o);
	is(o.text, "one a b", "a NUL does not end it");
	say(fd, " last", 5);
	close(fd);
	captured_stderr_close(&o);
	is(o.text, "one a b last", "what came before the end");
	ok(o.n == 12 && o.not_kept == 0 && o.fd == -1,
	   "counted, and the pipe is closed");
	free(o.text);
}

/* A pipe without writers is always ready to be read. */
static void its_end(void)
{
	struct captured_stderr o;
	int fd = captured_stderr_open(&o);
	close(fd);
	captured_stderr_read(&o);
	ok(o.fd == -1, "the end is seen");
	captured_stderr_read(&o);
	captured_stderr_close(&o);
	ok(!o.text, "nothing was said");
}

static void too_much(void)
{
	static char block[1 << 14];
	struct captured_stderr o;
	int fd = captured_stderr_open(&o);
	for (size_t i = 0; i < sizeof block; i++)
		block[i] = (char)('a' + i % 26);
	for (int i = 0; i < 5; i++) {
		say(fd, block, sizeof block);
		captured_stderr_read(&o);
	}
	say(fd, "xyz", 3);
	close(fd);
	captured_stderr_close(&o);
	ok(o.n == CAPTURED_STDERR_BYTES &&
	       strlen(o.text) == CAPTURED_STDERR_BYTES,
	   "its beginning is kept");
	ok(!memcmp(o.text + 3 * sizeof block, block, sizeof block),
	   "up to the last byte of it");
	ok(o.not_kept == 5 * sizeof block + 3 - CAPTURED_STDERR_BYTES,
	   "the rest is counted");
	free(o.text);
}

int main(void)
{
	a_few_words();
	its_end();
	too_much();
	return done();
}
