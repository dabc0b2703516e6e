/* arm/host.h -- what a cost model sees of this program: where the lines go that
 * it logs from create(), and no extensions yet. */
#ifndef SC_ARM_HOST_H
#define SC_ARM_HOST_H
#include <stdio.h>
#include "stepcost/plugin.h"

/* Drops them. */
extern const sc_host host_silent;
/* Writes information and warnings to f, "warning: text" a line.  f is the
 * host's ctx; NULL: whoever passes the host on fills that in. */
sc_host host_writing(FILE *f);
/* The same as messages of this program, "stepcost: warning: text". */
sc_host host_saying(FILE *f);
#endif
