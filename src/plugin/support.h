/* plugin/support.h -- which of the installed plugins can price a model.
 *
 * Each plugin is loaded in a child process and asked to create an instance with
 * its defaults and without tables; what it refuses then, it says in its own
 * words.  [main]; must not be used in a process with threads. */
#pragma once
#include "plugin/installed.h"

enum plugin_supports {
	SUPPORT_YES,
	SUPPORT_WITH_TABLES, /* it needs tables of the GPU */
	SUPPORT_NO,
};
struct plugin_support {
	const char *name; /* belongs to the installed plugins */
	enum plugin_supports is;
	char why[300]; /* SUPPORT_NO: its reason */
};

/* Asks those of l, which outlives the answer, except plugins that run another
 * program (SC_CAP_DOES_IO) or could not be loaded.  Returns the number of
 * answers in the array *s, which the caller frees, or -1 with *p filled in. */
int plugin_support_ask(struct plugin_support **s, const struct installed *l,
		       const sc_setup *setup, struct problem *p);
/* A GPU that all cost models know, an H100, but with a rate for every number
 * format: then the model alone decides. */
extern const sc_hardware plugin_support_gpu;
