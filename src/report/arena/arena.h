/* report/arena/arena.h -- writes a leaderboard of cost models: text with the
 * verdict first, JSON, CSV, a page.  Figures are percent in text and on pages,
 * fractions in JSON and CSV. */
#pragma once
#include <stdio.h>
#include "arena/arena.h"

/* Returns who leads over all sets, and on which sets an arm beats the baseline;
 * the caller frees it.  NULL: memory is out. */
char *arena_verdict(const struct arena *a);
void arena_text(const struct arena *a, FILE *f);
void arena_json(const struct arena *a, FILE *f);
/* A line for each set and arm. */
void arena_csv(const struct arena *a, FILE *f);
/* command: as it was typed, or NULL. */
void arena_html(const struct arena *a, const char *command, FILE *f);
/* Writes "2", "2-4", or "" without a rank. */
enum { ARENA_RANK = 40 };
const char *arena_rank(char to[ARENA_RANK], const size_t rank[2]);
/* Returns the index of an arm's i-th place in the order of a set: by its mean
 * error, those without figures last.  order[n_arms + 1] has the baseline, too.
 */
size_t arena_order(const struct arena_set *s, size_t *order);
