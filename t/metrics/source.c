/* source.c -- Texts of files, whole, and none. */
#include "metrics/source.h"
#include <unistd.h>
#include "tap.h"

int main(void)
{
	char path[] = "source-test-XXXXXX", *text;
	size_t n;
	struct problem p;
	int fd = mkstemp(path);
	if (fd < 0 || write(fd, "a\0b\n", 4) != 4 || close(fd) < 0)
		bail_out("no file");
	ok(source_read(path, &text, &n, &p) == 0 && n == 4 &&
	       !memcmp(text, "a\0b\n", 5),
	   "a file, with a 0 behind it");
	free(text);
	if (truncate(path, 0) < 0)
		bail_out("truncate");
	ok(source_read(path, &text, &n, &p) == 0 && n == 0 && !text[0],
	   "an empty file");
	free(text);
	unlink(path);
	ok(source_read(path, &text, &n, &p) < 0 && p.code == EXIT_USAGE &&
	       strstr(p.text, path),
	   "%s", p.text);
	ok(source_read("http://127.0.0.1:1/metrics", &text, &n, &p) < 0 &&
	       p.code == EXIT_USAGE,
	   "an address: %s", p.text);
	return done();
}
