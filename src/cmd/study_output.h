/* cmd/study_output.h -- the files that `run` and `compare` write.  They are
 * opened before anything runs, so that an error about a path comes at once.
 * They appear only when everything went well. */
#pragma once
#include "cmd/output/command_files.h"
#include "report/page/page.h"
#include "study/findings.h"

/* Lists of requests, steps, transfers, decisions of the autoscaler, lifetimes
 * of replicas, sessions, and the timeline. */
enum { STUDY_LISTS = COMMAND_LISTS };
struct study_output {
	struct command_files files;
	struct page_plot plot;
};
/* Writes the document that goes to standard output or --output. */
typedef void (*study_document_fn)(void *user, const struct cmdline *line,
				  const struct findings *w, FILE *f);

/* Opens the outputs in the options.  Returns 0, or -1 with *p filled in.  The
 * caller calls study_output_discard() in either case. */
int study_output_open(struct study_output *out, const struct cmdline *line,
		      struct problem *p);
/* Writes all files completely, or none; and the figure of --plot. */
int study_output_write(struct study_output *out, const struct cmdline *line,
		       const struct findings *w, study_document_fn document,
		       void *user, struct problem *p);
void study_output_discard(struct study_output *out);

/* Writes the format of --format.  A study_document_fn that ignores user. */
void study_document(void *user, const struct cmdline *line,
		    const struct findings *w, FILE *f);
