/* base/outfile.h -- an output that appears whole or not at all: a file is
 * written without a name, and gets its target's once all of it has been
 * written; whatever ends the program before, nothing is left behind.  Standard
 * output, and what is no regular file (/dev/stdout, a pipe), is written
 * directly; there too a failed write is noticed. */
#ifndef SC_BASE_OUTFILE_H
#define SC_BASE_OUTFILE_H
#include <stdio.h>
#include "base/problem.h"

struct outfile {
	FILE *f;      /* write here                                           */
	char *path;   /* the target, NULL: standard output                    */
	int nameless; /* f is to get that name; 0: it is written directly    */
	/* outfile_for_people(): f is `text` in memory, `to` what was f       */
	FILE *to;
	char *text;
	size_t size;
};

/* path NULL or "-": standard output.  0, or -1 with *p (EXIT_USAGE). */
int outfile_open(struct outfile *o, const char *path, struct problem *p);
/* Text that people read: what a terminal would obey is written as its code.
 * 0, or -1 with *p; discard in either case. */
int outfile_for_people(struct outfile *o, struct problem *p);
/* All has been written: flush, check, give the name.  Frees also when it fails,
 * and then no file is left behind. */
int outfile_commit(struct outfile *o, struct problem *p);
/* Drops the output; an existing target keeps its content.  May follow
 * outfile_commit(). */
void outfile_discard(struct outfile *o);
#endif
