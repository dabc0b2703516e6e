/* arm/provenance.h -- where a result comes from in this world: paths, hashes of
 * plugins, host, time of day.  Only with --provenance, since none of it is the
 * same on the next run. */
#ifndef SC_ARM_PROVENANCE_H
#define SC_ARM_PROVENANCE_H
#include <stdio.h>
#include "arm/arm.h"

/* Both: a JSON object on one line. */
void provenance_arm(FILE *f, const struct arm *a);
void provenance_host(FILE *f, const char *config_path);
#endif
