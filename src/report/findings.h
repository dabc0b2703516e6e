/* report/findings.h -- writes all results of `run` and `compare` as one text,
 * one JSON document or one page, and the streams of all arms as one file
 * each. */
#pragma once
#include <stdio.h>
#include "base/problem.h"
#include "report/document.h"
#include "study/findings.h"

/* Adds its part on seeds, variants, and why arms differ. */
void findings_reasons(const struct findings *w, struct document *d);
/* is_all: with every figure. */
void findings_text(const struct findings *w, int is_all, FILE *f);
void findings_json(const struct findings *w, FILE *f);
/* Writes a page with every number of the JSON document; command: the one that
 * it answers.  Returns 0, or -1 with *p filled in. */
int findings_page(const struct findings *w, const char *command, FILE *f,
		  struct problem *p);
/* Write one line per request and arm; one line per step and arm; a timeline as
 * trace events. */
void findings_requests(const struct findings *w, FILE *f);
void findings_steps(const struct findings *w, FILE *f);
void findings_transfers(const struct findings *w, FILE *f);
void findings_scaling(const struct findings *w, FILE *f);
void findings_replicas(const struct findings *w, FILE *f);
void findings_sessions(const struct findings *w, FILE *f);
void findings_timeline(const struct findings *w, FILE *f);
