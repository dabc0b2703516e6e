/* report/capacity_document.h -- a capacity as a document: the decision, a row
 * for each candidate and arm, and what the rows rest on. */
#pragma once
#include "capacity/deployment.h"
#include "report/document.h"

/* Fills in the document, which the caller frees in either case.  Returns 0, or
 * -1 with *p filled in. */
int capacity_document(const struct deployments *of, int has_figures,
		      struct document *d, struct problem *p);
