/* report/sweep/sweep_choice.h -- which point each arm of a sweep would choose,
 * being the one that costs least, over all and for each value of each axis; and
 * where arms would choose differently. */
#ifndef SC_REPORT_SWEEP_SWEEP_CHOICE_H
#define SC_REPORT_SWEEP_SWEEP_CHOICE_H
#include <stdio.h>
#include "report/sweep/sweep_data.h"

/* expense: which of the columns that were read; less is better.  The column is
 * called name. */
void sweep_choices(FILE *f, const struct sweep_data *d, size_t expense,
		   const char *name);
#endif
