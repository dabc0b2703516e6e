/* tables/infersim.h -- tables in the layout of InferSim's data folders
 * (set.h has it), presented with the ops and columns of all other sets. */
#ifndef SC_TABLES_INFERSIM_H
#define SC_TABLES_INFERSIM_H
#include "tables/table_set.h"

/* The folders in which sets of this layout lie: "gemm", "mha/decode" …; NULL
 * behind the last. */
const char *infersim_folder(int i);
/* The tables of PATH/FOLDER/NAME of the set, by op in ascending order.  Those
 * that cannot be read: as set_load_some().  0, or -1 with *p. */
int infersim_load(struct table_set *s, const char *path,
		  const struct table_bad *bad, struct problem *p);
#endif
