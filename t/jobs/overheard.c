/* The parent keeps the beginning of the text that a child writes to a pipe, and
 * neither of them waits. */
#include "jobs/overheard.h"
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
	struct overheard o;
	int fd = overheard_open(&o);
	if (fd < 0)
		bail_out("pipe");
	ok(fcntl(o.fd, F_GETFD) & FD_CLOEXEC && fcntl(fd, F_GETFD) & FD_CLOEXEC,
	   "both ends are closed at exec()");
	ok(!(fcntl(fd, F_GETFL) & O_NONBLOCK), "who writes may wait");
	overheard_read(&o);
	ok(!o.text && o.n == 0, "nothing has come, and reading does not wait");
	say(fd, "one ", 4);
	overheard_read(&o);
	is(o.text, "one ", "what has come");
	say(fd, "a\0b", 3);
	overheard_read(&o);
	is(o.text, "one a b", "a NUL does not end it");
	say(fd, " last", 5);
	close(fd);
	overheard_close(&o);
	is(o.text, "one a b last", "what came before the end");
	ok(o.n == 12 && o.not_kept == 0 && o.fd == -1,
	   "counted, and the pipe is closed");
	free(o.text);
}

/* A pipe without writers is always ready to be read. */
static void its_end(void)
{
	struct overheard o;
	int fd = overheard_open(&o);
	close(fd);
	overheard_read(&o);
	ok(o.fd == -1, "the end is seen");
	overheard_read(&o);
	overheard_close(&o);
	ok(!o.text, "nothing was said");
}

static void too_much(void)
{
	static char block[1 << 14];
	struct overheard o;
	int fd = overheard_open(&o);
	for (size_t i = 0; i < sizeof block; i++)
		block[i] = (char)('a' + i % 26);
	for (int i = 0; i < 5; i++) {
		say(fd, block, sizeof block);
		overheard_read(&o);
	}
	say(fd, "xyz", 3);
	close(fd);
	overheard_close(&o);
	ok(o.n == OVERHEARD_BYTES && strlen(o.text) == OVERHEARD_BYTES,
	   "its beginning is kept");
	ok(!memcmp(o.text + 3 * sizeof block, block, sizeof block),
	   "up to the last byte of it");
	ok(o.not_kept == 5 * sizeof block + 3 - OVERHEARD_BYTES,
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
