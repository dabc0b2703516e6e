/* validate/measured/facts.h -- facts about measured rows that another file has:
 * how their servers were launched.
 *
 * CSV with the column id, and columns of measured rows under their names or
 * aliases; others are skipped.  A cell takes the place of the row's own one; an
 * empty cell leaves it as it was.  [facts] of the aliases says what follows:
 *   certainty   which values of that column are of a known launch (a condition,
 *               condition.h); without one a row of prefill and decode apart is
 *               not simulated
 *   answers     flags that no longer hold for a row with a known launch */
#pragma once
#include "base/ini.h"
#include "base/problem.h"
#include "validate/measured/measured.h"

/* Lays the facts over the rows with their ids, and finds the launches of these
 * rows anew.  *laid: how many rows have some.  0, or -1 with *p. */
int facts_read(struct measured *m, const char *path, const struct ini *aliases,
	       size_t *laid, struct problem *p);
/* Why the facts do not tell how a row of prefill and decode apart was launched,
 * and the word that says it; NULL: they do. */
const char *facts_lack(const struct measured_row *r, const struct ini *aliases,
		       const char **word);
/* Whether the facts of a row answer a flag of it. */
int facts_answer(const struct measured_row *r, const struct ini *aliases,
		 const char *flag);
