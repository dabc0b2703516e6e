/* arm/host.h -- this program as a cost model sees it: it accepts log messages
 * from create(), and has no extensions yet. */
#ifndef SC_ARM_HOST_H
#define SC_ARM_HOST_H
#include <stdio.h>
#include "stepcost/plugin.h"

/* Drops log messages. */
extern const sc_host host_silent;
/* Writes information and warnings to f as lines "warning: text".  f is the
 * host's ctx; with NULL the caller fills it in later. */
sc_host host_writing(FILE *f);
/* The same as messages of this program, "stepcost: warning: text". */
sc_host host_saying(FILE *f);
#endif
