/* report/results/support.h -- writes how far a run's figures can be trusted
 * (study/trusted.h). */
#ifndef SC_REPORT_RESULTS_SUPPORT_H
#define SC_REPORT_RESULTS_SUPPORT_H
#include "base/json_writer.h"
#include "study/trusted.h"

/* Writes "support": {...} into the open object. */
void support_json(const struct support *s, struct jw *j);
/* Returns the text of support_write(); the caller frees it.  NULL: memory is
 * out. */
char *support_text(const struct support *s);
/* Sets the prediction of trusted_metric[k] and both ends of its interval.
 * Returns 0 if there is none. */
int interval_ends(const struct trusted *t, const struct outcome *o, int k,
		  double *predicted, double *low, double *high);
/* Writes "interval": {"mean_ttft_ms": {...}, ...} into the open object. */
void intervals_json(const struct trusted *t, const struct outcome *o,
		    struct jw *j);
/* Writes one line for each figure that has an interval: "mean_ttft_ms 45.8 (90
 * %: 41.2 to 52.9, from 88 runs of dense bf16 on H100)", or the reason why
 * there is none. */
void intervals_write(const struct trusted *t, const struct outcome *o,
		     const char *indent, FILE *f);
#endif
