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
	return done();
}
