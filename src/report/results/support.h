/* report/results/support.h -- how far a run's figures can be trusted
 * (study/trusted.h), as a document has it. */
#ifndef SC_REPORT_RESULTS_SUPPORT_H
#define SC_REPORT_RESULTS_SUPPORT_H
#include "base/json_writer.h"
#include "study/trusted.h"

/* "support": {...} of the open object. */
void support_json(const struct support *s, struct jw *j);
/* As support_write(); to be freed; NULL: out of memory. */
char *support_text(const struct support *s);
/* The prediction of trusted_metric[k], and its interval.  0: there is none. */
int interval_ends(const struct trusted *t, const struct outcome *o, int k,
		  double *predicted, double *low, double *high);
/* "interval": {"mean_ttft_ms": {...}, ...} of the open object. */
void intervals_json(const struct trusted *t, const struct outcome *o,
		    struct jw *j);
/* A line for each figure that has one: "mean_ttft_ms 45.8 (90 %: 41.2 to 52.9,
 * from 88 runs of dense bf16 on H100)"; or why there is none. */
void intervals_write(const struct trusted *t, const struct outcome *o,
		     const char *indent, FILE *f);
/* The same in a text, to be freed; NULL: out of memory. */
char *intervals_text(const struct trusted *t, const struct outcome *o);
#endif
