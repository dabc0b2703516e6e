/* arm/coefficients.h -- which coefficients an arm uses.  They must be the same
 * as when its errors were scored.  The texts belong to the configuration. */
#ifndef SC_ARM_COEFFICIENTS_H
#define SC_ARM_COEFFICIENTS_H
#include "arm/configuration.h"

struct arm_coefficients {
	const char *preset; /* "": none */
	const char *tables; /* value of `tables.set`; "": none */
	/* a numeric knob that is set; "": none */
	const char *changed;
};

struct arm_coefficients arm_coefficients_of(const struct config *c, size_t arm);
#endif
