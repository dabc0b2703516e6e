/* cmd/output/command_files.h -- the files that a command writes: its result, a
 * page, a figure and lists, as its options ask.  They are opened before
 * anything runs, so that an error about a path comes at once, and appear when
 * all are written. */
#pragma once
#include "base/cmdline.h"
#include "base/file/outfile.h"
#include "draw/plot.h"
#include "report/document.h"

enum { COMMAND_LISTS = 7 };
/* Zeroed: none is open. */
struct command_files {
	struct outfile result, page, list[COMMAND_LISTS];
	struct plot plot;
	struct document document; /* for text and page; zeroed: there is none */
};
/* The values of options; NULL: the option is not given. */
struct command_paths {
	const char *page, *plot, *list[COMMAND_LISTS];
};

/* Returns 0, or -1 with *p filled in.  The caller calls command_files_discard()
 * in either case. */
int command_files_open(struct command_files *w, const struct cmdline *c,
		       const struct command_paths *to, struct problem *p);
/* Returns 1 if the command prints a document, or writes it as a page. */
int command_files_want_document(const struct command_files *w,
				const struct cmdline *c);
/* Writes the document where it is wanted, and gives the files their names.
 * Returns 0, or -1 with *p filled in. */
int command_files_commit(struct command_files *w, const struct cmdline *c,
			 struct problem *p);
/* Drops the files that are not committed. */
void command_files_discard(struct command_files *w);
