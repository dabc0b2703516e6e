/* arm/provenance.h -- where and when a result was made: paths, hashes of
 * plugins, host, time of day.  Written only with --provenance, because it
 * differs in each run. */
#pragma once
#include <stdio.h>
#include "arm/arm.h"

/* Both write a JSON object on one line. */
void provenance_arm(FILE *f, const struct arm *a);
void provenance_host(FILE *f, const char *config_path);
