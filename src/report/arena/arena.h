/* report/arena/arena.h -- writes a leaderboard of cost models: a document with
 * the verdict first, JSON, CSV.  Figures are percent in the document, fractions
 * in JSON and CSV. */
#pragma once
#include <stdio.h>
#include "arena/arena.h"
#include "report/document.h"

/* Says who leads over all sets, and on which sets an arm beats the baseline. */
void arena_answer(const struct arena *a, struct document *d);
/* The caller calls document_free(). */
void arena_document(const struct arena *a, struct document *d);
void arena_json(const struct arena *a, FILE *f);
/* A line for each set and arm. */
void arena_csv(const struct arena *a, FILE *f);

/* Figures of a page.  If memory is out, one is left out, and the machine's
 * failure is noted.  The skill of each arm over all sets: */
void arena_draw_skills(const struct arena *a, struct document *d);
/* Mean errors of arms by sets, and by classes of their steps; and the numbers
 * that the sets have there. */
void arena_draw_heat(const struct arena *a, struct document *d);
/* The mean errors on each set, as dots. */
void arena_draw_errors(const struct arena *a, struct document *d);
/* Predicted over measured times of each arm. */
void arena_draw_predictions(const struct arena *a, struct document *d);
/* Fills in the arms of a set by their mean error, those without figures last.
 * order[n_arms + 1] has the baseline, too.  Returns how many there are. */
size_t arena_order(const struct arena_set *s, size_t *order);
