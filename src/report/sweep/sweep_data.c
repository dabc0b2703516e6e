/* sweep_data.c -- Collects the rows of a sweep for its figures. */
#include "report/sweep/sweep_data.h"
#include <stdlib.h>
#include <string.h>
#include "sim/saturation.h"
#include "store/rows.h"

/* Returns the name's index in the list, and adds the name if it is new.
 * UINT32_MAX: memory is out. */
static uint32_t place(struct names *l, const char *name)
{
	for (size_t i = l->n; i-- > 0;)
		if (!strcmp(l->item[i], name))
			return (uint32_t)i;
	return names_add(l, name) < 0 ? UINT32_MAX : (uint32_t)(l->n - 1);
}

/* Makes room for one more row.  Returns 0, or -1 if memory is out. */
static int grow(struct sweep_data *d)
{
	if (d->n < d->cap)
		return 0;
	size_t cap = d->cap ? 2 * d->cap : 256;
	struct sweep_row *row = realloc(d->row, cap * sizeof *row);
	if (!row)
		return -1;
	d->row = row;
	uint32_t *at = realloc(d->at, cap * (d->n_axes + 1) * sizeof *at);
	if (!at)
		return -1;
	d->at = at;
	d->cap = cap;
	for (size_t i = 0; i < d->n; i++)
		d->row[i].at = d->at + i * d->n_axes;
	return 0;
}

/* Capacity searches never answer with an overloaded rate, and have no such
 * column. */
static int is_served(const struct reader *r)
{
	struct problem none;
	long c = reader_column(r, "saturation", &none);
	const char *is = c < 0 ? NULL : reader_cell(r, (size_t)c)->text;
	return !is ||
	       (strcmp(is, saturation_name[SATURATION_OVERLOADED]) != 0 &&
		strcmp(is, saturation_name[SATURATION_NOTHING]) != 0);
}

/* The point's columns are followed by the axes, then by the arm. */
static int add_row(struct sweep_data *d, const struct reader *r,
		   const size_t *column, size_t n_columns)
{
	char number[32];
	if (grow(d) < 0)
		return -1;
	struct sweep_row *row = &d->row[d->n];
	row->at = d->at + d->n * d->n_axes;
	for (size_t a = 0; a < d->n_axes; a++) {
		row->at[a] =
		    place(&d->axis[a].value, reader_text(r, 1 + a, number));
		if (row->at[a] == UINT32_MAX)
			return -1;
	}
	row->arm = place(&d->arm, reader_text(r, 1 + d->n_axes, number));
	for (size_t i = 0; i < n_columns; i++)
		row->v[i] = reader_cell(r, column[i])->number;
	row->is_served = is_served(r);
	d->n++;
	return row->arm == UINT32_MAX ? -1 : 0;
}

static int list_axes(struct sweep_data *d, const struct reader *r)
{
	size_t n = 0;
	while (reader_head(r, 1 + n)->role == READER_AXIS)
		n++;
	d->axis = calloc(n + 1, sizeof *d->axis);
	if (!d->axis)
		return -1;
	for (d->n_axes = 0; d->n_axes < n; d->n_axes++)
		d->axis[d->n_axes].name = reader_head(r, 1 + d->n_axes)->name;
	return 0;
}

int sweep_data_read(struct sweep_data *d, struct reader *r,
		    const size_t column[], size_t n_columns, struct problem *p)
{
	*d = (struct sweep_data){0};
	long status = reader_column(r, "status", p);
	int rc = status < 0 ? -1 : 1, failed = list_axes(d, r) < 0;
	while (rc == 1 && !failed && (rc = reader_next(r, p)) == 1) {
		const char *is = reader_cell(r, (size_t)status)->text;
		if (is && !strcmp(is, store_status_name[STATUS_OK]))
			failed = add_row(d, r, column, n_columns) < 0;
	}
	return failed ? problem_no_memory(p) : rc;
}

void sweep_data_free(struct sweep_data *d)
{
	for (size_t a = 0; a < d->n_axes; a++)
		names_free(&d->axis[a].value);
	names_free(&d->arm);
	free(d->axis), free(d->row), free(d->at);
	*d = (struct sweep_data){0};
}

const char *sweep_axis_label(const struct sweep_data *d, size_t axis)
{
	const char *dot = strrchr(d->axis[axis].name, '.');
	const char *key = dot ? dot + 1 : d->axis[axis].name;
	for (size_t a = 0; a < d->n_axes; a++)
		if (a != axis && name_is_tail(key, d->axis[a].name))
			return d->axis[axis].name;
	return key;
}
