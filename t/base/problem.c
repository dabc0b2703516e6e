#include "base/problem.h"
#include "tap.h"

int main(void)
{
	struct problem p = {0};
	char text[3000];
	ok(problem_set(&p, EXIT_INPUT, "%s:%d: %s", "a.csv", 3, "bad") == -1,
	   "what went wrong is -1");
	is(p.text, "a.csv:3: bad", "in words");
	ok(p.code == EXIT_INPUT, "with the code that it means");
	ok(problem_set(NULL, EXIT_USAGE, "%s", "x") == -1,
	   "nobody has to listen");
	problem_set(&p, EXIT_USAGE, "again");
	ok(p.code == EXIT_USAGE && !strcmp(p.text, "again"),
	   "the last one counts");
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	problem_set(&p, EXIT_PLUGIN, "%s", text);
	ok(strlen(p.text) == sizeof p.text - 1 && p.code == EXIT_PLUGIN,
	   "a long text is cut");
	is(p.text + sizeof p.text - 6, "xx...", "and says so");
	struct problem q = {0};
	ok(problem_no_memory(&p) == -1 && p.code == EXIT_USAGE,
	   "memory that ran out has one exit code");
	is(p.text, out_of_memory, "and one text");
	ok(problem_at(&p, "a.csv", 3, "no rows") == -1 && p.code == EXIT_INPUT,
	   "what is wrong in a file is the file's");
	is(p.text, "a.csv:3: no rows", "at its line");
	ok(problem_at(&q, "a.csv", 4, out_of_memory) == -1 &&
	       q.code == EXIT_USAGE,
	   "memory that runs out in a row is not the file's");
	is(q.text, "a.csv:4: out of memory", "and the line is told");
	return done();
}
