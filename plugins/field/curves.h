/* plugins/field/curves.h -- figures of a profile over one axis, and straight
 * lines between them: a file has the axis in its first column. */
#ifndef FIELD_CURVES_H
#define FIELD_CURVES_H
#include "figures.h"

/* value[row * columns + column]; NaN: no point.  The caller frees axis. */
struct field_curves {
	size_t rows, columns;
	double *axis, *value;
};
/* Reads FOLDER/file of the plugin; its header begins with `axis`.  The caller
 * calls field_free(f) and frees c->axis. */
static inline int32_t field_load_curves(struct field_curves *c,
					struct field_figures *f,
					const sc_setup *setup, const char *file,
					const char *axis, sc_error *err)
{
	int32_t rc = field_load(f, setup, file, axis, err);
	if (rc != SC_OK)
		return rc;
	c->rows = f->rows, c->columns = f->columns - 1;
	c->axis = calloc(f->rows * f->columns + 1, sizeof *c->axis);
	if (!c->axis)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	c->value = c->axis + c->rows;
	for (size_t i = 0; i < c->rows; i++) {
		c->axis[i] = field_number(f, i, 0);
		for (size_t k = 0; k < c->columns; k++)
			c->value[i * c->columns + k] =
			    field_number(f, i, k + 1);
	}
	return c->columns <= 16 ? SC_OK
				: sc_fail(err, SC_ENODATA,
					  "%s has more than 16 columns", file);
}

/* Adds x to an ascending axis unless it is there. */
static inline void field_add_to_axis(double *axis, size_t *n, double x)
{
	size_t i = *n;
	while (i > 0 && axis[i - 1] > x)
		i--;
	if ((i > 0 && axis[i - 1] == x) || *n == 64)
		return;
	memmove(axis + i + 1, axis + i, (*n - i) * sizeof *axis);
	axis[i] = x;
	++*n;
}

struct field_bracket {
	size_t low, high;
	double w;
};
/* At or below the first point that one alone; beyond the last the last two. */
static inline struct field_bracket field_bracket(const double *axis, size_t n,
						 size_t stride, double x)
{
#define AT(i) (*(const double *)((const char *)axis + (i)*stride))
	size_t high = n - 1, low = 0;
	if (n == 1 || x <= AT(0))
		return (struct field_bracket){0, 0, 0};
	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		if (AT(middle) <= x)
			low = middle;
		else
			high = middle;
	}
	if (x == AT(high))
		return (struct field_bracket){high, high, 0};
	return (struct field_bracket){low, high,
				      (x - AT(low)) / (AT(high) - AT(low))};
#undef AT
}
static inline double field_between(double low, double high, double w)
{
	return low + w * (high - low);
}
/* Times are whole ns, at least one. */
static inline double field_whole_ns(double ns)
{
	return fmax(1, trunc(ns));
}
static inline double field_curve_at(const struct field_curves *c,
				    struct field_bracket b, size_t column)
{
	return field_between(c->value[b.low * c->columns + column],
			     c->value[b.high * c->columns + column], b.w);
}

/* A column with holes; not truncated. */
static inline double field_column_at(const struct field_curves *c,
				     size_t column, double x)
{
	double axis[64], value[64];
	size_t n = 0;
	for (size_t i = 0; i < c->rows && n < 64; i++) {
		double is = c->value[i * c->columns + column];
		if (is > 0)
			axis[n] = c->axis[i], value[n++] = is;
	}
	struct field_bracket b = field_bracket(axis, n, sizeof *axis, x);
	return field_between(value[b.low], value[b.high], b.w);
}
#endif
