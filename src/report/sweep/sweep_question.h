/* report/sweep/sweep_question.h -- the question that a page of a sweep answers:
 * which values of its axes serve the model at the least expense, within which
 * bounds.  Also its options as words.  [one thread] */
#pragma once
#include "base/problem.h"
#include "report/document.h"
#include "report/sweep/sweep_data.h"
#include "store/store.h"

/* Puts the question at the head of the document; expense: the title of a
 * column.  Less of it is better.  Returns 0, or -1 with *p. */
int sweep_question_ask(struct document *to, const struct store_study *study,
		       const struct sweep_data *d, const char *expense,
		       struct problem *p);
/* Returns the options of the sweep, "seeds 2, rate 5", which the caller frees;
 * NULL: memory is out. */
char *sweep_options_text(const struct store_study *study);
