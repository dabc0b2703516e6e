/* arm/coefficients.h -- whose coefficients an arm has: what its errors were
 * scored with must be the same.  The texts are the configuration's. */
#ifndef SC_ARM_COEFFICIENTS_H
#define SC_ARM_COEFFICIENTS_H
#include "arm/configuration.h"

struct arm_coefficients {
	const char *preset; /* "": none */
	const char *tables; /* as `tables.set` has them; "": none           */
	const char
	    *changed; /* a number among its knobs that is set; "": none */
};

struct arm_coefficients arm_coefficients_of(const struct config *c, size_t arm);
#endif
