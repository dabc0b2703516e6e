/* steps/baseline.h -- five numbers fitted to the measured steps themselves, and
 * asked about steps that they have not seen: as good as measurements of one
 * deployment make a model for nothing.
 *
 * Features are those of plugin `linear` with scale = time.  Within each
 * deployment that has at least BASELINE_ROWS rows, a row of fold fnv1a64(decode
 * "|" prefill) mod 5 is predicted by the non-negative least squares of relative
 * errors on the other four folds.  [any thread] */
#pragma once
#include "steps/set.h"

enum { BASELINE_ROWS = 25, BASELINE_FOLDS = 5, N_FEATURES = 5 };

/* 1, new prompt tokens, decodes, contexts of decodes, pairs of tokens. */
void baseline_features(const sc_step *step, double f[N_FEATURES]);
/* The fold of a row, from 0, by its composition as it is written. */
uint32_t baseline_fold(const struct step_row *r);
/* us[set->n]: NaN in deployments with fewer rows, and where a fit has no data;
 * measured[set->n].  Returns 0, or -1 if memory is out. */
int baseline_predict(const struct step_set *set, const double *measured,
		     double *us);
