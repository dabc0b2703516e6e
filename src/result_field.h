/* result_field.h -- the parts of a cost model's answer by the names they have
 * in every output. */
#ifndef SC_SRC_RESULT_FIELD_H
#define SC_SRC_RESULT_FIELD_H
#include "stepcost/plugin.h"

/* "total_us" … "overhead_us", "lookups_exact" …; NaN for a part that the answer
 * does not have.  0, or -1: there is no such field. */
int result_field(const sc_result *r, const char *name, double *out);
/* "compute", "memory" … */
const char *result_bound(const sc_result *r);
#endif
