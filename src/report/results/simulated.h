/* report/results/simulated.h -- describes the simulated set-up in a few lines,
 * which every result begins with: the model and its number formats, the GPUs
 * and how many, the engine settings that differ from the preset or the
 * defaults, the workload.  All of it is read from the resolved
 * configuration. */
#pragma once
#include <stdio.h>
#include "arm/configuration.h"
#include "base/json/json_writer.h"
#include "report/document.h"

enum simulated_part {
	SIMULATED_MODEL,
	SIMULATED_GPU,
	SIMULATED_ENGINE,
	SIMULATED_OUTSIDE, /* report/results/outside.h */
	SIMULATED_WORKLOAD,
	N_SIMULATED
};
extern const char *const simulated_label[N_SIMULATED];

/* Returns the text of one part; the caller frees it.  NULL: memory is out.  It
 * covers the first n_arms arms, which may run on different GPUs. */
char *simulated_part(const struct config *c, size_t n_arms,
		     enum simulated_part part);
/* Adds a fact per part. */
void simulated_facts(const struct config *c, size_t n_arms, struct document *d);
/* The same for several configurations with all their arms.  A part that is the
 * same in all has one fact; otherwise it has one per configuration, with
 * its name. */
void simulated_facts_of(const struct config *const *c, const char *const *name,
			size_t n, struct document *d);
/* Writes "simulated": {...} into the open object. */
void simulated_json(const struct config *c, size_t n_arms, struct jw *j);
