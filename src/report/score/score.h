/* report/score/score.h -- writes a score of cost models on measured steps: a
 * document with the verdict first, JSON, CSV, a row for each step, a plot.
 * Figures are percent in the document, fractions in JSON and CSV. */
#pragma once
#include <stdio.h>
#include "base/json/json_writer.h"
#include "draw/plot.h"
#include "report/document.h"
#include "steps/score.h"

/* Returns the verdict: the nearest arm, and whether an arm beats the baseline.
 * The caller frees it.  NULL: memory is out. */
char *score_verdict(const struct score *s);
/* Says which tables the arms had, and whether some were measured with the
 * steps; nothing if no arm has tables. */
void score_say_tables(const struct score *s, struct document *d);
/* Writes "2", "2-4", or "" without a rank. */
enum { SCORE_RANK = 44 };
const char *score_rank_text(char to[SCORE_RANK], const size_t rank[2]);
/* The caller calls document_free(). */
void score_document(const struct score *s, struct document *d);

void score_json(const struct score *s, FILE *f);
/* Writes [least, most] rank; null: the arm prices nothing. */
void score_ranks_json(struct jw *j, const char *key, const size_t rank[2]);
/* The members `tables` and `own_tables` of an arm, in an open object. */
void score_tables_json(struct jw *j, const struct score_arm *a);
/* The members of FIGURES, in an open object. */
void step_figures_json(struct jw *j, const struct step_set *set,
		       const double *measured, const double *predicted,
		       const struct step_figures *f);
/* A line for each arm and regime. */
void score_csv(const struct score *s, FILE *f);
/* A line for each step and arm. */
void score_rows(const struct score *s, FILE *f);
/* Lines of a file of errors (trust/scored.h) with metric = step. */
void score_errors(const struct score *s, const struct step_arms *arms, FILE *f);

/* Figures of a page.  If memory is out, one is left out, and the machine's
 * failure is noted.  The mean errors in each regime, as dots: */
void score_draw_errors(const struct score *s, struct document *d);
/* Predicted over measured times of each arm. */
void score_draw_predictions(const struct score *s, struct document *d);
/* Errors over the batch, the context and the new tokens. */
void score_draw_where(const struct score *s, struct document *d);
/* The mean error of an arm in percent, and its interval: the pair of the arm
 * with the measurement. */
struct dots_row score_dot(const struct score *s, size_t arm,
			  enum step_regime r);
/* Predicted over measured times of all arms.  Returns 0, or -1 with *p filled
 * in. */
int score_plot(const struct score *s, struct plot *to, struct problem *p);
