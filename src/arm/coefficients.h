/* arm/coefficients.h -- which coefficients an arm uses.  They must be the same
 * as when its errors were scored.  The texts belong to the configuration; the
 * names are freed with arm_coefficients_free(). */
#pragma once
#include "arm/configuration.h"

struct arm_coefficients {
	const char *preset; /* "": none */
	const char *tables; /* what chose its sets (arm_config.set)          */
	/* Other choices of sets from which it would get the same tables: the
	 * list of its sets, and each set that is the first to have any of its
	 * kinds of tables. */
	struct names same_tables;
	/* a numeric knob that is set; "": none */
	const char *changed;
};

struct arm_coefficients arm_coefficients_of(const struct config *c, size_t arm);
/* Returns the name of the first set of the arm with GEMMs that were measured
 * under an engine ("vllm", "sglang", "trtllm"); NULL: there is none. */
const char *arm_kernels_under(const struct config *c, size_t arm,
			      const char *engine);
void arm_coefficients_free(struct arm_coefficients *a);
