/* plugin/ask.h -- asks a plugin for its declarations in a child process.
 *
 * Loading runs the plugin's code, so code that only needs the declarations does
 * not load it.  A plugin that crashes, exits, hangs or prints while loading
 * causes an error that names its file, and this process continues.  The answer
 * is plain data, which is checked again on this side.  [main]; must not be used
 * in a process with threads. */
#pragma once
#include <stddef.h>
#include "base/arrays.h"
#include "base/problem.h"
#include "jobs/jobs.h"
#include "stepcost/plugin.h"

/* Owned; `is` points into the rest. */
struct plugin_description {
	sc_plugin is; /* as declared, but its functions are NULL */
	/* 1: it has the optional function */
	int prices_batches, prices_kernels, prices_requests;
	char *text;
	const char **list;
	sc_knob *knob;
	sc_preset *preset;
	const sc_knob **knobs;
	const sc_preset **presets;
	sc_need *need;
	const sc_need **needs;
	sc_sigma *sigma;
	const sc_sigma **sigmas;
	struct arrays arrays; /* those above, but the text */
};

/* file: NAME.so.  limit_s: time limit for loading (JOB_ANSWER_LIMIT_S).
 * Returns 0, or -1 with *p filled in, which names the file: EXIT_PLUGIN if it
 * cannot be used.  The caller calls plugin_description_free() in either
 * case. */
int plugin_ask(struct plugin_description *d, const char *file, double limit_s,
	       struct problem *p);

struct plugin_query {
	const char *file;
	/* The answer: valid if problem.code is EXIT_DONE. */
	struct plugin_description about;
	struct problem problem;
	/* Then the problem is none of the plugin's (struct job). */
	int machine_failed;
};
/* Asks several plugins at once.  Returns -1 with *p filled in if no plugin
 * could be asked, or if the user interrupted.  The caller frees each
 * description. */
int plugin_ask_all(struct plugin_query *q, size_t n, double limit_s,
		   struct problem *p);

void plugin_description_free(struct plugin_description *d);
