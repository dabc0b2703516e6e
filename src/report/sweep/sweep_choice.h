/* report/sweep/sweep_choice.h -- the point of a sweep that each arm would
 * choose because it costs least, over all points and for each value of each
 * axis; and where arms would choose differently. */
#ifndef SC_REPORT_SWEEP_SWEEP_CHOICE_H
#define SC_REPORT_SWEEP_SWEEP_CHOICE_H
#include <stdio.h>
#include "report/sweep/sweep_data.h"

/* expense: one of the columns that were read; less is better.  name: the name
 * of that column. */
void sweep_choices(FILE *f, const struct sweep_data *d, size_t expense,
		   const char *name);
#endif
