/* report/findings.h -- all that `run` and `compare` found, as one text, one
 * JSON document, one page; and the streams that arms left as one file each. */
#ifndef SC_REPORT_FINDINGS_H
#define SC_REPORT_FINDINGS_H
#include <stdio.h>
#include "base/problem.h"
#include "study/findings.h"

void findings_text(const struct findings *w, FILE *f);
void findings_json(const struct findings *w, FILE *f);
/* The page has every number of the JSON document.  0, or -1 with *p. */
int findings_page(const struct findings *w, FILE *f, struct problem *p);
/* A line per request and arm, per step and arm; a timeline as trace events. */
void findings_requests(const struct findings *w, FILE *f);
void findings_steps(const struct findings *w, FILE *f);
void findings_timeline(const struct findings *w, FILE *f);
#endif
