/* mhd.c -- Loads libmicrohttpd. */
#include "serve/mhd.h"
#include "serve/library.h"

int mhd_load(struct mhd *m, struct problem *p)
{
	int rc = 0;
	m->library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
	if (!m->library)
		return problem_set(p, EXIT_USAGE,
				   "serve needs libmicrohttpd: %s", dlerror());
#define FIND(name) rc |= library_find(m->library, "MHD_" #name, &m->name);
	MHD_FUNCTIONS(FIND)
#undef FIND
	return rc ? problem_set(p, EXIT_USAGE,
				"serve: this libmicrohttpd lacks a function; "
				"0.9.75 has all")
		  : 0;
}
