/* cmd/sweep.h -- what the commands of a sweep share. */
#ifndef SC_CMD_SWEEP_H
#define SC_CMD_SWEEP_H
#include "base/cmdline.h"
#include "report/sweep_table.h"
#include "store/reader.h"

/* The store c->arg[0], to be read; NULL with *p. */
struct store *sweep_store(const struct cmdline *c, struct problem *p);
/* Rows of an open store, to --output.  0, or -1 with *p. */
int sweep_write_table(const struct cmdline *c, const struct sweep_table *t,
		      struct problem *p);
#endif
