/* base/file/outfile.h -- an output that appears whole or not at all: a file is
 * written without a name and gets the name of its target when all of it has
 * been written, and it is noted as written (inputs.h).  Whatever ends the
 * program before that, nothing is left behind.
 * Standard output and everything that is no regular file (/dev/stdout, a pipe)
 * is written directly; failed writes are detected there as well. */
#pragma once
#include <stdio.h>
#include "base/problem.h"

struct outfile {
	FILE *f;    /* write here */
	char *path; /* the target; NULL: standard output */
	/* 1: f gets its name at the end; 0: f is written directly */
	int nameless;
	/* After outfile_through(): f is `text` in memory, `to` is the former
	 * f. */
	FILE *to;
	int (*finish)(FILE *to, const char *text, size_t n);
	char *text;
	size_t size;
};

/* path is NULL or "-": standard output.  Returns 0, or -1 with *p filled in
 * (EXIT_USAGE). */
int outfile_open(struct outfile *o, const char *path, struct problem *p);
/* The same for a file that is asked for by an option; path NULL: it is not, *o
 * stays zeroed, and outfile_commit() does nothing. */
int outfile_open_if(struct outfile *o, const char *path, struct problem *p);
/* Collects the output in memory; outfile_commit() gives it to `finish`, which
 * writes it in its final form (returns 0, or -1 with errno).  Returns 0, or -1
 * with *p filled in; call outfile_discard() in either case. */
int outfile_through(struct outfile *o,
		    int (*finish)(FILE *to, const char *text, size_t n),
		    struct problem *p);
/* Makes the output text for people: characters that control a terminal are
 * written as their code.  Returns as outfile_through(). */
int outfile_for_people(struct outfile *o, struct problem *p);
/* Call it when everything is written: flushes, checks, gives the file its name.
 * Frees *o also if it fails; then no file is left behind. */
int outfile_commit(struct outfile *o, struct problem *p);
/* Ends what wrote it: commits if rc is 0, else discards.  Returns 0, or -1 with
 * *p filled in. */
int outfile_end(struct outfile *o, int rc, struct problem *p);
/* Drops the output; an existing target keeps its content.  May be called after
 * outfile_commit(). */
void outfile_discard(struct outfile *o);
