/* report/capacity_document.h -- a capacity as text and as a page: the decision,
 * a row for each candidate and arm, and what the rows rest on. */
#pragma once
#include "capacity/deployment.h"
#include "report/document.h"

/* is_all: with what the rows rest on. */
void capacity_text(const struct deployments *of, int is_all, FILE *f);
/* command: the one that it answers.  Returns 0, or -1 with *p filled in. */
int capacity_page(const struct deployments *of, const char *command, FILE *f,
		  struct problem *p);
