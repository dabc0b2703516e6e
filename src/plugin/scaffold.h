/* plugin/scaffold.h -- begins a plugin: a folder with code, knobs, a Makefile,
 * a test and a configuration that compares it, from the templates in
 * etc/templates or from the source of a plugin that is there. */
#ifndef SC_PLUGIN_SCAFFOLD_H
#define SC_PLUGIN_SCAFFOLD_H
#include "base/problem.h"

struct scaffold {
	const char *name; /* of the plugin, and of the folder that is made */
	const char *like; /* whose source it begins with; NULL: a template's */
	const char *lang; /* "c", "c++", "rust", "python" */
};

/* 0: the folder is there, complete; -1 with *p (EXIT_USAGE): nothing is. */
int scaffold_make(const struct scaffold *s, struct problem *p);
#endif
