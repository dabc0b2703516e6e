/* arena/fitted.h -- whether the coefficients of an arm were fitted to a file of
 * measurements: then its errors there are no predictions.
 *
 * Three places say so: bench_data/accuracy/fitted_to.csv for shipped plugins,
 * and the notes `fitted_to` and `perhaps_fitted_to` (names of files, comma
 * between) in the file MANIFEST of a plugin's folder and of each of the arm's
 * sets of tables.  [main] */
#pragma once
#include "arm/configuration.h"

enum fitted { FITTED_NO, FITTED_PERHAPS, FITTED_YES, N_FITTED };
extern const char *const fitted_name[N_FITTED];

/* file: its name counts, without folders.  Returns 0, or -1 with *p filled in:
 * one of these places cannot be read. */
int fitted_find(enum fitted *is, const struct config *c, size_t arm,
		const char *file, struct problem *p);
