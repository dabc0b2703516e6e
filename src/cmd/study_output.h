/* cmd/study_output.h -- the files that `run` and `compare` write.  They are
 * opened before anything runs, so that a path that cannot be written is known
 * at once, and appear when all of it has gone well. */
#ifndef SC_CMD_STUDY_OUTPUT_H
#define SC_CMD_STUDY_OUTPUT_H
#include "base/cmdline.h"
#include "base/outfile.h"
#include "report/page/page.h"
#include "study/findings.h"

struct study_output {
	struct outfile document, requests, steps, timeline, page;
	struct page_plot plot;
};
/* Writes what is to stand on standard output or in --output. */
typedef void (*study_document_fn)(void *user, const struct cmdline *line,
				  const struct findings *w, FILE *f);

/* As the options say.  0, or -1 with *p; study_output_discard() in either
 * case. */
int study_output_open(struct study_output *out, const struct cmdline *line,
		      struct problem *p);
/* All of them, whole, or none; and --plot. */
int study_output_write(struct study_output *out, const struct cmdline *line,
		       const struct findings *w, study_document_fn document,
		       void *user, struct problem *p);
void study_output_discard(struct study_output *out);

/* As --format says.  A study_document_fn without a user. */
void study_document(void *user, const struct cmdline *line,
		    const struct findings *w, FILE *f);
#endif
