/* report/results/simulated.h -- what was simulated, in a few lines that every
 * result opens with: the model and its number formats, the GPU and how many,
 * the engine settings that differ from its preset or the defaults, the
 * workload. All of it is read from the resolved configuration. */
#ifndef SC_REPORT_RESULTS_SIMULATED_H
#define SC_REPORT_RESULTS_SIMULATED_H
#include <stdio.h>
#include "arm/configuration.h"
#include "base/json_writer.h"

enum simulated_part {
	SIMULATED_MODEL,
	SIMULATED_GPU,
	SIMULATED_ENGINE,
	SIMULATED_WORKLOAD,
	N_SIMULATED
};
extern const char *const simulated_label[N_SIMULATED];

/* The text of one part, to be freed; NULL: out of memory.  Of the first n_arms
 * arms, which may run on different GPUs. */
char *simulated_part(const struct config *c, size_t n_arms,
		     enum simulated_part part);
/* A line for each part. */
void simulated_text(const struct config *c, size_t n_arms, FILE *f);
/* The same of several configurations, all of their arms: a line for a part that
 * is the same in all, else one for each, with its name. */
void simulated_text_of(const struct config *const *c, const char *const *name,
		       size_t n, FILE *f);
/* "simulated": {...} of the open object. */
void simulated_json(const struct config *c, size_t n_arms, struct jw *j);
#endif
