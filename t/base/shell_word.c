/* A shell reads the same words back that shell_word() writes: each byte,
 * alone and among others, words of random bytes, and the empty word. */
#include "base/shell_word.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tap.h"

enum { RANDOM = 300, LONGEST = 12 };

static char all[255 * 2 + RANDOM + 1][LONGEST + 1];
static size_t n;

static void make_words(void)
{
	uint32_t x = 12345;
	for (int c = 1; c < 256; c++) {
		all[n++][0] = (char)c;
		snprintf(all[n++], LONGEST, "a%c b", c);
	}
	for (int i = 0; i < RANDOM; i++, n++)
		for (int k = 0; k < LONGEST - 1; k++) {
			x = x * 1664525 + 1013904223;
			all[n][k] = (char)(x % 3 ? x >> 24 : 0);
			if (!all[n][k])
				break;
		}
	n++; /* the empty word */
}

/* Returns what printf '%s\0' WORD... of a shell writes. */
static size_t read_back(char *text, size_t size)
{
	char *command = NULL;
	size_t length;
	FILE *f = open_memstream(&command, &length);
	fputs("LC_ALL=C printf '%s\\0'", f);
	for (size_t i = 0; i < n; i++) {
		fputc(' ', f);
		shell_word(f, all[i]);
	}
	fclose(f);
	FILE *shell = popen(command, "r");
	size_t got = shell ? fread(text, 1, size, shell) : 0;
	if (shell)
		pclose(shell);
	free(command);
	return got;
}

int main(void)
{
	static char text[1 << 16];
	make_words();
	size_t got = read_back(text, sizeof text), at = 0, equal = 0;
	for (size_t i = 0; i < n && at < got; i++) {
		equal += !strcmp(text + at, all[i]);
		at += strlen(text + at) + 1;
	}
	ok(equal == n && at == got, "a shell reads all %zu words back", n);
	ok(shell_is_plain('a') && shell_is_plain('%') && !shell_is_plain(' ') &&
	       !shell_is_plain('\0'),
	   "plain characters; the end of a text is none");
	char *plain = NULL;
	size_t size;
	FILE *f = open_memstream(&plain, &size);
	shell_word(f, "--set=a/b.c:1,2@%+_");
	fclose(f);
	is(plain, "--set=a/b.c:1,2@%+_", "a plain word stays as it is");
	free(plain);
	return done();
}
