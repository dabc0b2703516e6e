/* plugin/ask.h -- what a plugin declares of itself, asked in a child process.
 *
 * Loading runs the plugin's code, so nobody who only wants to know loads it: a
 * plugin that crashes, exits, hangs or prints while loading is a problem that
 * names its file, and this process goes on.  What comes back is plain data,
 * checked anew on this side.  [main]; not from a process with threads. */
#ifndef SC_PLUGIN_ASK_H
#define SC_PLUGIN_ASK_H
#include <stddef.h>
#include "base/problem.h"
#include "jobs/jobs.h"
#include "stepcost/plugin.h"

/* Owned; `is` points into the rest. */
struct plugin_description {
	sc_plugin is; /* as declared, but for its functions: they are NULL   */
	int prices_batches, prices_kernels; /* it has the optional functions */
	char *text;
	const char **list;
	sc_knob *knob;
	sc_preset *preset;
	const sc_knob **knobs;
	const sc_preset **presets;
};

/* file: NAME.so.  limit_s: for loading it (JOB_ANSWER_LIMIT_S).  0, or -1 with
 * *p, which names the file: EXIT_PLUGIN if it cannot be used.
 * plugin_description_free() in either case. */
int plugin_ask(struct plugin_description *d, const char *file, double limit_s,
	       struct problem *p);

struct plugin_question {
	const char *file;
	/* the answer: problem.code is EXIT_DONE, or there is none */
	struct plugin_description about;
	struct problem problem;
};
/* Several at once.  -1 with *p: nobody could be asked, or it was interrupted.
 * Each description is to be freed. */
int plugin_ask_all(struct plugin_question *q, size_t n, double limit_s,
		   struct problem *p);

void plugin_description_free(struct plugin_description *d);
#endif
