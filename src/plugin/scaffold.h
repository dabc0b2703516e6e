/* plugin/scaffold.h -- creates a new plugin: a folder with code, knobs, a
 * Makefile, a test and a configuration that compares it, from the templates in
 * etc/templates or from the source of an existing plugin. */
#pragma once
#include "base/problem.h"

struct scaffold {
	const char *name; /* of the plugin and its folder */
	/* overrides a function of this plugin; NULL: of none */
	const char *like;
	const char *lang; /* "c", "c++", "rust", "python" */
};

/* Returns 0 with the complete folder made; or -1 with *p filled in (EXIT_USAGE)
 * and nothing made. */
int scaffold_make(const struct scaffold *s, struct problem *p);
