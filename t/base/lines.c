#include "base/lines.h"
#include <unistd.h>
#include "tap.h"

enum { BLOCK = 1 << 15 };

static FILE *file_of(const char *text, size_t n)
{
	FILE *f = tmpfile();
	if (!f || fwrite(text, 1, n, f) != n)
		bail_out("tmpfile");
	rewind(f);
	return f;
}

static void reads(const char *text, size_t n, const char *const *want,
		  const char *what)
{
	struct lines l = {.f = file_of(text, n)};
	const char *s;
	size_t len, i = 0;
	int got, same = 1;
	while ((got = lines_next(&l, &s, &len)) == 1 && want[i]) {
		same &= len == strlen(want[i]) && !memcmp(s, want[i], len);
		i++;
		same &= l.line == i;
	}
	ok(got == 0 && same && !want[i] && l.offset == n, "%s", what);
	ok(lines_next(&l, &s, &len) == 0, "the end stays the end");
	fclose(l.f);
	lines_free(&l);
}

static void ends(void)
{
	reads("", 0, (const char *[]){NULL}, "an empty file has no line");
	reads("\n", 1, (const char *[]){"\n", NULL}, "an empty line is one");
	reads("a\nb\n", 4, (const char *[]){"a\n", "b\n", NULL},
	      "lines with their ends");
	reads("a\r\n\nb", 5, (const char *[]){"a\r\n", "\n", "b", NULL},
	      "the last may have none");
}

/* Lines that are longer than a block, end with one, and begin with the next. */
static void blocks(void)
{
	size_t length[] = {BLOCK - 1, 1, BLOCK, 3 * BLOCK + 7, 5, BLOCK};
	size_t total = 0, at = 0, n, n_lines = sizeof length / sizeof *length;
	const char *s;
	int same = 1;
	for (size_t i = 0; i < n_lines; i++)
		total += length[i];
	char *text = malloc(total);
	if (!text)
		bail_out("malloc");
	for (size_t i = 0; i < n_lines; at += length[i++]) {
		memset(text + at, 'a' + (int)i, length[i]);
		text[at + length[i] - 1] = '\n';
	}
	struct lines l = {.f = file_of(text, total)};
	at = 0;
	for (size_t i = 0; i < n_lines; at += length[i++])
		same &= lines_next(&l, &s, &n) == 1 && n == length[i] &&
			!memcmp(s, text + at, n);
	ok(same && lines_next(&l, &s, &n) == 0,
	   "lines across the ends of blocks");
	ok(lines_seek(&l, BLOCK - 1, 2) == 0 && lines_next(&l, &s, &n) == 1 &&
	       n == 1 && l.line == 2 && l.offset == BLOCK,
	   "back to a place that was read and forgotten");
	fclose(l.f);
	lines_free(&l);
	free(text);
}

static void seeks(void)
{
	struct lines l = {.f = file_of("one\ntwo\nthree\n", 14)};
	const char *s;
	size_t n;
	lines_next(&l, &s, &n);
	ok(lines_seek(&l, 8, 3) == 0 && lines_next(&l, &s, &n) == 1 &&
	       !strncmp(s, "three", 5) && l.line == 3,
	   "forward within the block");
	ok(lines_next(&l, &s, &n) == 0 && lines_seek(&l, 0, 1) == 0 &&
	       lines_next(&l, &s, &n) == 1 && !strncmp(s, "one", 3) &&
	       l.line == 1 && l.offset == 4,
	   "back from the end to the start");
	ok(lines_seek(&l, 14, 4) == 0 && lines_next(&l, &s, &n) == 0,
	   "to the end, where nothing is");
	fclose(l.f);
	lines_free(&l);
	int fd[2];
	if (pipe(fd))
		bail_out("pipe");
	close(fd[1]);
	l.f = fdopen(fd[0], "r");
	ok(lines_seek(&l, 5, 1) == -1, "a pipe cannot be gone back in");
	fclose(l.f);
	lines_free(&l);
}

static void errors(void)
{
	struct lines l = {.f = fopen(".", "r")};
	const char *s;
	size_t n;
	if (!l.f)
		return;
	ok(lines_next(&l, &s, &n) == -1, "a folder has no lines to read");
	fclose(l.f);
	lines_free(&l);
}

int main(void)
{
	ends();
	blocks();
	seeks();
	errors();
	return done();
}
