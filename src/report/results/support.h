/* report/results/support.h -- writes how far a run's figures can be trusted
 * (trust/trusted.h). */
#pragma once
#include "base/json/json_writer.h"
#include "math/own_coverage.h"
#include "record/usd.h"
#include "record/uncertainty.h"
#include "trust/trusted.h"

/* Writes "support": {...} into the open object. */
void support_json(const struct support *s, struct jw *j);
/* Returns the text of support_write(); the caller frees it.  NULL: memory is
 * out. */
char *support_text(const struct support *s);
/* Returns how near scored runs are, in a short sentence; the caller frees it.
 * NULL: memory is out. */
char *support_brief(const struct support *s);
/* Sets the prediction of trusted_metric[k] and both ends of its interval.
 * Returns 0 if there is none. */
int interval_ends(const struct trusted *t, const struct outcome *o, int k,
		  double *predicted, double *low, double *high);
/* Writes "interval": {"mean_ttft_ms": {...}, ...} into the open object. */
void intervals_json(const struct trusted *t, const struct outcome *o,
		    struct jw *j);
/* Writes "model_interval": {"mean_ttft_ms": {...}, ...} into the open object,
 * or null if the model does not say how sure it is. */
void model_intervals_json(const struct uncertainty_run *run, struct jw *j);
/* Writes KEY: {"n": .., "share_50": .., ...} into the open object, or null if
 * no model says how sure it is. */
void own_coverage_json(struct jw *j, const char *key,
		       const struct own_coverage *c);
/* Returns "mean_tpot_ms 5.31 (model's own 90 %: 4.89 to 5.77)" for the means;
 * NULL: it does not say, or memory is out.  The caller frees it. */
char *model_intervals_text(const struct uncertainty_run *run,
			   const struct outcome *o);
/* The energy of a token and what it costs.  joules_per_token NaN: unknown. */
struct energy_priced {
	double joules_per_token, usd_per_joule;
	struct usd_per_mtok usd;
};
struct energy_priced energy_priced_run(const struct outcome *o);
/* Writes "energy: measured: 12 rows ...", with prices if energy has one, or why
 * it is not known although it has a price.  Returns 0 if there is nothing to
 * say. */
int energy_write(const struct trusted_energy *t, const struct energy_priced *x,
		 FILE *f);
/* Returns the same as text, "" for nothing; the caller frees it.  NULL: memory
 * is out. */
char *energy_text(const struct trusted_energy *t,
		  const struct energy_priced *x);
/* Writes "energy": {...} into the open object, if there is something to say. */
void energy_json(const struct trusted_energy *t, const struct energy_priced *x,
		 struct jw *j);
