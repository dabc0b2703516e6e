#include "base/names.h"
#include "scratch.h"

static void lists(void)
{
	struct names l = {0};
	char text[] = "copied", buf[40];
	names_free(&l);
	is(names_join(&l, buf, sizeof buf), "", "an empty list is no text");
	ok(!names_have(&l, ""), "and has no name");
	ok(names_add(&l, text) == 0, "added");
	text[0] = '?';
	ok(names_have(&l, "copied") && !names_have(&l, text),
	   "the list has a copy of its own");
	ok(names_add_new(&l, "copied") == 0 && l.n == 1, "not new: not added");
	ok(names_add(&l, "copied") == 0 && l.n == 2, "unless asked to");
	ok(names_add_new(&l, "copie") == 0 && names_add(&l, "") == 0 &&
	       l.n == 4,
	   "a beginning is another name, and so is nothing");
	is(names_join(&l, buf, sizeof buf), "copied, copied, copie, ",
	   "in the order they came");
	for (int i = 0; i < 1000; i++) {
		snprintf(buf, sizeof buf, "%d", i);
		names_add_new(&l, buf);
	}
	ok(l.n == 1004 && names_have(&l, "999"), "a long one");
	is(l.item[4], "0", "keeps its order");
	names_free(&l);
	ok(!l.item && l.n == 0, "freed, it is empty");
}

static void too_long(void)
{
	struct names l = {0};
	char buf[17] = "1234567";
	names_add(&l, "abcd");
	names_add(&l, "efgh");
	names_add(&l, "ijkl");
	is(names_join(&l, buf, 17), "abcd, efgh, ijkl", "as many as fit");
	is(names_join(&l, buf, 16), "abcd, efgh, ...",
	   "and that there are more, after a whole name");
	is(names_join(&l, buf, 15), "abcd, ...", "with room for saying so");
	is(names_join(&l, buf, 9), "...", "even if no name fits");
	is(names_join(&l, buf, 1), "", "even if that is nothing");
	names_free(&l);
}

static void files(void)
{
	struct names l = {0};
	char buf[100];
	scratch_file("b.so", "");
	scratch_file("a.so", "");
	scratch_file("a.soo", "");
	scratch_file(".so", "");
	scratch_file(".hidden.so", "");
	scratch_file("so", "");
	scratch_file("c.so.so", "");
	ok(names_add_files(&l, scratch, ".so") == 0, "a folder of files");
	is(names_join(&l, buf, sizeof buf), "a, b, c.so",
	   "those with the suffix, ascending");
	ok(names_add_files(&l, scratch, ".so") == 0 && l.n == 3,
	   "known names are not added again");
	ok(names_add_files(&l, scratch_path("none"), ".so") == 0 && l.n == 3,
	   "no folder: no names");
	names_free(&l);
}

int main(void)
{
	scratch_open();
	lists();
	too_long();
	files();
	char text[] = "one\n\ntwo, three\none\nlast";
	struct names lines = {0};
	FILE *f = fmemopen(text, sizeof text - 1, "r");
	ok(f && names_add_lines(&lines, f) == 0 && lines.n == 4,
	   "lines of a file, each once");
	is(lines.item[2], "two, three", "as they stand");
	is(lines.item[3], "last", "also the last one, without its end");
	fclose(f);
	names_free(&lines);
	return done();
}
