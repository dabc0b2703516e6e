/* import_steps.c -- The command `import steps`: measured steps from what an
 * engine tells while it serves. */
#include <stdlib.h>
#include "base/file/infile.h"
#include "cmd/cmd.h"
#include "steps/logged.h"

enum { LONGEST_MIB = 1024 };
struct options {
	double context;
};

static const struct option_def option[] = {
    OPTION(NUMBER, "context", "TOKENS", context,
	   "mean context of the decodes, where a log does not tell it",
	   .min = 1, .max = 1e9),
};

static int write_steps(const struct cmdline *line, struct logged *l,
		       struct problem *p)
{
	struct outfile out;
	size_t n;
	char *text = infile_read(line->arg[0], LONGEST_MIB, &n, p);
	int rc = text ? open_output(&out, line, p) : -1;
	if (rc == 0)
		rc = outfile_end(
		    &out, logged_write(l, text, n, line->arg[0], out.f, p), p);
	free(text);
	return rc;
}

static int run(const struct cmdline *line)
{
	const struct options *o = line->own;
	struct logged l = {.context_tokens = o->context};
	struct problem p;
	if (write_steps(line, &l, &p) < 0)
		return print_error(&p);
	print_note(line, "%llu steps; %llu idle or dummy ones left out",
		   (unsigned long long)l.n, (unsigned long long)l.idle);
	if (l.waited)
		print_note(line,
			   "%llu steps below 0.1 ms have the flag WAITED_ONLY: "
			   "with async scheduling the engine times how long it "
			   "waits",
			   (unsigned long long)l.waited);
	return EXIT_DONE;
}

const struct command command_import_steps = {
    .name = "import steps",
    .args = "FILE",
    .summary = "write measured steps from forward-pass metrics or vLLM's log",
    .formats = WRITES_TEXT,
    .min_args = 1,
    .max_args = 1,
    .has_no_config = 1,
    OWN_OPTIONS(option, struct options),
    .run = run,
};
