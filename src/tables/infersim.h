/* tables/infersim.h -- reads tables in the layout of InferSim's data folders
 * (see set.h), with the ops and columns of all other sets. */
#pragma once
#include "tables/table_set.h"

/* The folders with sets of this layout: "gemm", "mha/decode" …; NULL behind the
 * last. */
const char *infersim_folder(int i);
/* Loads the tables PATH/FOLDER/NAME of the set, ascending by op.  For tables
 * that cannot be read see set_load_some().  Returns 0, or -1 with *p filled
 * in. */
int infersim_load(struct table_set *s, const char *path,
		  const struct table_bad *bad, struct problem *p);
