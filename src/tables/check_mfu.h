/* tables/check_mfu.h -- what is suspicious about the MFU of a table: the peak
 * it was taken from, zeros that are rounding, values above 1. */
#ifndef SC_TABLES_CHECK_MFU_H
#define SC_TABLES_CHECK_MFU_H
#include "tables/checked_table.h"

/* noted: the peak that the MANIFEST says, TFLOP/s; NaN: it does not. */
void tables_check_mfu(const struct checked_table *c, double noted);
#endif
