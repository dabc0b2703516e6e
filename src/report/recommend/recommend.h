/* report/recommend/recommend.h -- writes which configuration each arm
 * recommends, what the choice loses if another arm is right, and what could not
 * be: as a document, as CSV with a line per arm and searched configuration, or
 * as JSON.  doc/recommend.md explains the figures. */
#pragma once
#include <stdio.h>
#include "recommend/recommend.h"
#include "report/document.h"

/* Fills in the document; the caller frees it. */
void recommend_document(const struct recommend *r, int has_figures,
			struct document *d);
void recommend_csv(const struct recommend *r, FILE *f);
void recommend_json(const struct recommend *r, FILE *f);
