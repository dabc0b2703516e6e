/* report/sweep/sweep_data.h -- the data of a sweep's rows that its figures
 * need: axes, arm, and a few columns. */
#pragma once
#include "base/names.h"
#include "store/reader.h"

enum { SWEEP_FIGURES = 8 }; /* at most */

struct sweep_row {
	uint32_t arm; /* index into sweep_data.arm */
	uint32_t *at; /* [n_axes] index of the value on each axis */
	double v[SWEEP_FIGURES];
	int is_served; /* 0: overloaded, or no request completed */
};
struct sweep_axis {
	const char *name;   /* for example "engine.tensor_parallel_size" */
	struct names value; /* in order of the rows */
};
struct sweep_data {
	struct sweep_axis *axis;
	size_t n_axes;
	struct names arm;
	struct sweep_row *row; /* the rows without an error */
	size_t n, cap;
	uint32_t *at; /* of all rows */
};
/* Reads the columns with these numbers.  Returns 0, or -1 with *p filled in.
 * The caller calls sweep_data_free() in either case. */
int sweep_data_read(struct sweep_data *d, struct reader *r,
		    const size_t column[], size_t n_columns, struct problem *p);
void sweep_data_free(struct sweep_data *d);
/* Returns the key of an axis; without its section, unless another axis has the
 * same key. */
const char *sweep_axis_label(const struct sweep_data *d, size_t axis);
