/* What this process and its children read is listed once, in order; nothing is
 * noted before the list begins, and a broken entry is left out. */
#include "base/file/inputs.h"
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file/infile.h"
#include "base/file/outfile.h"
#include "tap.h"

static char folder[] = "inputs.XXXXXX";

static char *at(const char *name)
{
	char *path;
	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static int has(enum input_kind kind, const char *first, const char *second)
{
	size_t n;
	int found = 0;
	struct input *in = inputs_list(kind, &n);
	for (size_t i = 0; i < n; i++)
		found += !strcmp(in[i].text[0], first) &&
			 !strcmp(in[i].text[1], second);
	free(in);
	return found;
}

static void before(void)
{
	size_t n = 7;
	inputs_note_file("early");
	ok(!inputs_list(INPUT_FILE, &n) && n == 0, "nothing before it begins");
}

static void opened(void)
{
	struct outfile o;
	struct problem p;
	char *path = at("a.csv"), *none = at("none");
	ok(outfile_open(&o, path, &p) == 0 && fputs("x", o.f) >= 0 &&
	       outfile_commit(&o, &p) == 0,
	   "a file is written");
	char *real = realpath(path, NULL);
	ok(has(INPUT_OUTPUT, path, "") + has(INPUT_OUTPUT, real, "") >= 1,
	   "it is an output");
	ok(!has(INPUT_FILE, path, ""), "and no input");
	for (int i = 0; i < 2; i++)
		free(infile_read(path, 1, NULL, &p));
	ok(has(INPUT_FILE, path, "") == 1, "read twice, listed once");
	ok(!infile_open(none, &p) && !has(INPUT_FILE, none, ""),
	   "a file that is not there was not read");
	unlink(path);
	free(path), free(none), free(real);
}

enum { CHILDREN = 8, EACH = 2000 };

static void in_child(int i)
{
	char name[40];
	for (int k = 0; k < EACH; k++) {
		snprintf(name, sizeof name, "shared %d", k);
		inputs_note_file(name);
		snprintf(name, sizeof name, "own %d %d", i, k);
		inputs_note_file(name);
	}
	_exit(0);
}

/* Children race for the same entries. */
static void children(void)
{
	size_t n, shared = 0, own = 0, in_order = 0;
	for (int i = 0; i < CHILDREN; i++)
		if (fork() == 0)
			in_child(i);
	while (wait(NULL) > 0)
		;
	struct input *in = inputs_list(INPUT_FILE, &n);
	for (size_t i = 0; i < n; i++) {
		shared += !strncmp(in[i].text[0], "shared", 6);
		own += !strncmp(in[i].text[0], "own", 3);
		in_order +=
		    i == 0 || strcmp(in[i - 1].text[0], in[i].text[0]) < 0;
	}
	ok(shared == EACH, "what all noted is there once: %zu", shared);
	ok(own == CHILDREN * EACH, "what each noted: %zu", own);
	ok(in_order == n, "in ascending order");
	ok(inputs_lost() == 0, "none is lost");
	free(in);
}

static void texts(void)
{
	const char *const one[] = {"set", NULL}, *const two[] = {"set", "b"};
	inputs_note(INPUT_TABLES, one, 2);
	inputs_note(INPUT_TABLES, two, 2);
	inputs_note(INPUT_TABLES, one, 1);
	ok(has(INPUT_TABLES, "set", "b") == 1, "entries differ by each text");
	ok(has(INPUT_TABLES, "set", "") == 2, "a missing text reads as \"\"");
}

static void too_many(void)
{
	size_t n;
	char *big = calloc(1, 1 << 20);
	memset(big, 'x', (1 << 20) - 2);
	for (int i = 0; i < 100; i++) {
		big[0] = (char)('a' + i % 26), big[1] = (char)('a' + i / 26);
		inputs_note_file(big);
	}
	ok(inputs_lost() > 20, "no room: %zu are counted", inputs_lost());
	free(inputs_list(INPUT_FILE, &n));
	ok(n > CHILDREN * EACH + 30, "what fitted stays");
	free(big);
}

/* A child writes over slots and entries.  Whatever is there, to add and to
 * list ends, and lists no text beyond the memory. */
static void written_over(void)
{
	size_t n;
	char name[40];
	struct input *in = inputs_list(INPUT_FILE, &n);
	uintptr_t page = (uintptr_t)in[0].text[0] & ~(uintptr_t)4095;
	free(in);
	char *from = (char *)page - (1 << 20); /* slots are before entries */
	for (int fill = 0; fill < 4; fill++) {
		if (fork() == 0) {
			for (size_t i = 0; i < 1 << 20; i += 4)
				memcpy(from + i, "\377\0\7\370\377\0\7" + fill,
				       4);
			_exit(0);
		}
		wait(NULL);
		for (int k = 0; k < 1000; k++) {
			snprintf(name, sizeof name, "after %d %d", fill, k);
			inputs_note_file(name);
		}
		in = inputs_list(INPUT_FILE, &n);
		size_t bytes = 0;
		for (size_t i = 0; i < n; i++)
			bytes += strlen(in[i].text[0]);
		free(in);
		ok(bytes < (size_t)64 << 20, "written over: %zu are listed", n);
	}
}

int main(void)
{
	if (!mkdtemp(folder))
		bail_out("mkdtemp");
	before();
	ok(inputs_begin() == 0, "it begins");
	opened();
	children();
	texts();
	too_many();
	written_over();
	rmdir(folder);
	return done();
}
