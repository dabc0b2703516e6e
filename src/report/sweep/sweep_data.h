/* report/sweep/sweep_data.h -- what the figures of a sweep need of its rows:
 * axes, arm, and a few columns. */
#ifndef SC_REPORT_SWEEP_SWEEP_DATA_H
#define SC_REPORT_SWEEP_SWEEP_DATA_H
#include "base/names.h"
#include "store/reader.h"

enum { SWEEP_FIGURES = 8 }; /* columns at most                               */

struct sweep_row {
	uint32_t arm; /* of sweep_data.arm                                   */
	uint32_t *at; /* [n_axes] the value on each axis                     */
	double v[SWEEP_FIGURES];
};
struct sweep_axis {
	const char *name; /* "engine.tensor_parallel_size"                   */
	struct names value; /* in the order of the rows                      */
};
struct sweep_data {
	struct sweep_axis *axis;
	size_t n_axes;
	struct names arm;
	struct sweep_row *row; /* those that went well                       */
	size_t n, cap;
	uint32_t *at; /* of all rows                                         */
};
/* The columns by number.  0, or -1 with *p; sweep_data_free() in either
 * case. */
int sweep_data_read(struct sweep_data *d, struct reader *r,
		    const size_t column[], size_t n_columns, struct problem *p);
void sweep_data_free(struct sweep_data *d);
/* The key of an axis, without its section where no other has that key. */
const char *sweep_axis_label(const struct sweep_data *d, size_t axis);
#endif
