/* BibTeX of the inputs: each plugin once, the source of each set, characters of
 * LaTeX as themselves. */
#include "report/cite.h"
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/inputs.h"
#include "tap.h"

static char *text;

static int says(const char *what)
{
	return strstr(text, what) != NULL;
}

int main(void)
{
	char folder[] = "cite.XXXXXX", clean[60];
	if (!mkdtemp(folder) || chdir(folder) < 0 || inputs_begin() < 0)
		bail_out("no folder");
	mkdir("own", 0777);
	FILE *m = fopen("own/MANIFEST", "we");
	fputs("source = a_b & 50 % of {x}\nlicence = MIT\n", m);
	fclose(m);
	inputs_note(INPUT_PROGRAM, (const char *const[]){"1", "00ff", ""}, 3);
	for (int i = 0; i < 2; i++)
		inputs_note(INPUT_ARM,
			    (const char *const[]){i ? "a" : "b", "p.so", "p",
						  "org.p", "3", "MIT",
						  "A. Author: P, 2025"},
			    7);
	inputs_note(INPUT_TABLES, (const char *const[]){"own", "own"}, 2);
	inputs_note(INPUT_TRACE, (const char *const[]){"none.csv"}, 1);
	size_t n;
	FILE *f = open_memstream(&text, &n);
	ok(cite_finish(f, "result", 6) == 0, "written");
	fclose(f);
	ok(says("@software{stepcost,\n") && says("note = {commit 00ff}"),
	   "stepcost, with its commit");
	const char *first = strstr(text, "@misc{plugin-p,\n");
	ok(first && !strstr(first + 1, "@misc{plugin-p,"), "a plugin once");
	ok(says("note = {A. Author: P, 2025}") && says("license = {MIT}"),
	   "as it says");
	ok(says("howpublished = {a\\_b \\& 50 \\% of \\{x\\}}"),
	   "characters of LaTeX");
	ok(says("@misc{trace-none-csv,") && says("SHA-256 not known"),
	   "a trace that is gone");
	ok(!says("result"), "in place of the result");
	free(text);
	snprintf(clean, sizeof clean, "cd .. && rm -rf %s", folder);
	return system(clean) == 0 ? done() : 1;
}
