/* text.c -- A stream in memory has every byte, or says that it has not. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "base/text.h"
#include "base/problem.h"
#include "t/lib/in_child.h"
#include "t/lib/tap.h"

static void keeps_all_bytes(void)
{
	char *text = NULL;
	size_t n = 0, same = 0;
	FILE *f = text_open(&text, &n);
	ok(f && text && n == 0, "opens, and is empty");
	for (int i = 0; i < 100000; i++)
		putc(i % 256, f);
	ok(ftell(f) == 100000, "knows where it is");
	fflush(f);
	ok(n == 100000 && text[n] == '\0', "has it all after fflush()");
	fputs("end", f);
	ok(fclose(f) == 0 && n == 100003, "and after fclose()");
	for (size_t i = 0; i < 100000; i++)
		same += (unsigned char)text[i] == i % 256;
	ok(same == 100000 && !strcmp(text + 100000, "end"), "byte for byte");
	free(text);
}

/* Only the size of the last to be closed is known then. */
static void two_with_one_size(void)
{
	char *one = NULL, *two = NULL;
	size_t n;
	FILE *f = text_open(&one, &n), *g = text_open(&two, &n);
	fputs("a longer text", f);
	fputs("short", g);
	fclose(f);
	fclose(g);
	ok(n == 5 && !strcmp(one, "a longer text") && !strcmp(two, "short"),
	   "streams with one size keep their texts");
	free(one);
	free(two);
}

/* A text of one function: with its end, and never half of it. */
static void begins_and_ends(void)
{
	struct text t;
	fputs("one line", text_begin(&t));
	char *s = text_end(&t);
	ok(s && !strcmp(s, "one line") && t.n == 8, "a text of one function");
	free(s);
	t = (struct text){0};
	ok(!text_end(&t), "one that never began has no text");
}

static const char *ends_without_memory(void *user)
{
	struct text t;
	char block[4096];
	FILE *f = text_begin(&t);
	(void)user;
	struct rlimit most = {256 << 20, 256 << 20};
	memset(block, 'x', sizeof block);
	if (setrlimit(RLIMIT_AS, &most) < 0)
		return "no limit";
	for (int i = 0; i < 1 << 18 && fwrite(block, sizeof block, 1, f); i++)
		;
	return text_end(&t) ? "a part" : "none";
}

/* In a child, which may take no more memory than it has and a little. */
static const char *without_memory(void *user)
{
	char *text, block[4096];
	size_t n, tried = 0;
	FILE *f = text_open(&text, &n);
	(void)user;
	struct rlimit most = {256 << 20, 256 << 20};
	memset(block, 'x', sizeof block);
	if (problem_machine_failed() || setrlimit(RLIMIT_AS, &most) < 0)
		return "no limit";
	while (tried++ < 1 << 18 && fwrite(block, sizeof block, 1, f) == 1)
		;
	return fclose(f) != 0 && text[n] == '\0' && n >= 1 << 20 &&
		       problem_machine_failed()
		   ? "said"
		   : "lost";
}

int main(void)
{
	keeps_all_bytes();
	two_with_one_size();
	begins_and_ends();
#ifndef __SANITIZE_ADDRESS__ /* which needs more address space */
	is(in_child(without_memory, NULL), "said",
	   "without memory fclose() fails, and the process knows");
	is(in_child(ends_without_memory, NULL), "none",
	   "and a text of one function is not half there");
#endif
	return done();
}
