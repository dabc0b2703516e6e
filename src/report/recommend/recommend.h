/* report/recommend/recommend.h -- writes which configuration each arm
 * recommends, what the choice loses if another arm is right, and what could not
 * be: as text, as CSV with a line per arm and searched configuration, or as
 * JSON.  doc/recommend.md explains the figures. */
#pragma once
#include <stdio.h>
#include "recommend/recommend.h"
#include "report/document.h"

/* Fills in the document; the caller frees it. */
void recommend_document(const struct recommend *r, int has_figures,
			struct document *d);
/* is_all: with every figure. */
void recommend_text(const struct recommend *r, int is_all, FILE *f);
void recommend_csv(const struct recommend *r, FILE *f);
void recommend_json(const struct recommend *r, FILE *f);
/* A page with pictures; command: the one that it answers.  Returns 0, or -1
 * with *p: memory is out. */
int recommend_page(const struct recommend *r, const char *command, FILE *f,
		   struct problem *p);
