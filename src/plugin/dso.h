/* plugin/dso.h -- reads a shared object without loading it: its exports, its
 * imports, its writable objects.  64-bit ELF in this machine's byte order. */
#pragma once
#include <stddef.h>
#include "base/names.h"
#include "base/problem.h"

struct dso {
	void *file;
	size_t bytes;
	struct names exported, imported; /* sorted by name */
	/* Objects that stay writable after loading, if the file still has its
	 * symbols. */
	struct names writable;
	int sanitized;  /* 1: objects of a sanitizer are among them */
	int exec_stack; /* 1: needs an executable stack */
	int text_relocations;
};

/* Returns 0, or -1 with *p filled in: EXIT_USAGE if it cannot be read,
 * EXIT_PLUGIN if it is no shared object.  The caller calls dso_free() in either
 * case. */
int dso_read(struct dso *d, const char *path, struct problem *p);
void dso_free(struct dso *d);
