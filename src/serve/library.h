/* serve/library.h -- functions of a library that is loaded when it is needed.
 */
#pragma once
#include <dlfcn.h>
#include <string.h>

/* Puts the function of that name into *to, a pointer to a function.  Returns 0,
 * or -1 if the library has none. */
static inline int library_find(void *library, const char *name, void *to)
{
	void *at = dlsym(library, name);
	memcpy(to, &at, sizeof at);
	return at ? 0 : -1;
}
