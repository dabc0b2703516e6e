/* plugin/dso.h -- a shared object as its file tells it, without loading it:
 * what it exports, what it imports, what it may write to.  64-bit ELF of this
 * machine's byte order. */
#ifndef SC_PLUGIN_DSO_H
#define SC_PLUGIN_DSO_H
#include <stddef.h>
#include "base/names.h"
#include "base/problem.h"

struct dso {
	void *file;
	size_t bytes;
	struct names exported, imported; /* by name */
	struct names writable; /* objects that are no constants after loading,
				  where the file still has its symbols */
	int sanitized;         /* a sanitizer's objects are among them */
	int exec_stack;        /* wants an executable stack */
	int text_relocations;
};

/* 0, or -1 with *p: EXIT_USAGE if it cannot be read, EXIT_PLUGIN if it is no
 * shared object.  dso_free() in either case. */
int dso_read(struct dso *d, const char *path, struct problem *p);
void dso_free(struct dso *d);
#endif
