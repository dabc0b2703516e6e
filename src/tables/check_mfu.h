/* tables/check_mfu.h -- finds suspicious things in the MFU of a table: the peak
 * that it refers to, zeros from rounding, values above 1. */
#pragma once
#include "tables/checked_table.h"

/* noted: the peak in the MANIFEST, TFLOP/s; NaN: it has none. */
void tables_check_mfu(const struct checked_table *c, double noted);
