/* plugins/field/rows.h -- measured figures of kernels, by kind and shape: rows
 * of a CSV file with the columns of FIELD_ROWS, in the order of the source,
 * because some origins take the first or the last row that fits.  Rows of one
 * kind and shape are neighbours. */
#ifndef FIELD_ROWS_H
#define FIELD_ROWS_H
#include "figures.h"

#define FIELD_ROWS "gpu,kind,shape,kv_dtype,x,y,value"
enum { FIELD_SHAPE = 6 };

struct field_row {
	int kind;
	double shape[FIELD_SHAPE]; /* 64-8-128; unused: 0 */
	double kv_bytes, x, y, value;
};
struct field_rows {
	const struct field_row *row;
	size_t n;
};
struct field_hit {
	double value;
	uint32_t how; /* SC_EXACT ... */
};

static inline void field_take_row(struct field_row *r,
				  const struct field_figures *f, size_t i,
				  int kind)
{
	const char *kv = field_cell(f, i, 3);
	char *at = (char *)(uintptr_t)field_cell(f, i, 2);
	r->kind = kind;
	for (int k = 0; k < FIELD_SHAPE && *at; k++) {
		r->shape[k] = strtod(at, &at);
		at += *at == '-';
	}
	r->kv_bytes = !*kv ? 0 : !strcmp(kv, "fp8") ? 1 : 2;
	r->x = field_number(f, i, 4);
	r->y = *field_cell(f, i, 5) ? field_number(f, i, 5) : 0;
	r->value = field_number(f, i, 6);
}

/* Reads the rows of one GPU; a kind is its index among the names.  The caller
 * frees row of *all. */
static inline int32_t field_load_rows(struct field_rows *all, const sc_setup *s,
				      const char *file, const char *gpu,
				      const char *const *kinds, int n_kinds,
				      sc_error *err)
{
	struct field_figures f;
	struct field_row *row = NULL;
	int32_t rc = field_load(&f, s, file, FIELD_ROWS, err);
	if (rc == SC_OK &&
	    !(row = (struct field_row *)calloc(f.rows + 1, sizeof *row)))
		rc = sc_fail(err, SC_ENOMEM, "out of memory");
	*all = (struct field_rows){row, 0};
	for (size_t i = 0; rc == SC_OK && i < f.rows; i++)
		for (int k = 0; k < n_kinds; k++)
			if (!strcmp(field_cell(&f, i, 0), gpu) &&
			    !strcmp(field_cell(&f, i, 1), kinds[k]))
				field_take_row(&row[all->n++], &f, i, k);
	field_free(&f);
	return rc;
}

static inline struct field_rows field_find(struct field_rows all, int kind,
					   const double shape[FIELD_SHAPE])
{
	struct field_rows f = {NULL, 0};
	for (size_t i = 0; i < all.n; i++) {
		int same = all.row[i].kind == kind;
		for (int k = 0; same && k < FIELD_SHAPE; k++)
			same = all.row[i].shape[k] == shape[k];
		if (same && !f.n++)
			f.row = &all.row[i];
	}
	return f;
}

/* The last row at or below x.  in_order: rows behind the first one above x do
 * not count. */
static inline struct field_hit field_last(struct field_rows f, double x,
					  int in_order, double otherwise)
{
	struct field_hit hit = {otherwise, SC_FALLBACK};
	for (size_t i = 0; i < f.n; i++)
		if (f.row[i].x <= x)
			hit = (struct field_hit){f.row[i].value,
						 f.row[i].x < x ? SC_CLAMPED
								: SC_EXACT};
		else if (in_order)
			break;
	return hit;
}

/* The nearest row by |x| + |y|, the first of equals, of those with this KV
 * format (0: of all); NULL: there is none. */
static inline const struct field_row *
field_nearest(struct field_rows f, double x, double y, double kv_bytes)
{
	const struct field_row *best = NULL;
	double least = INFINITY;
	for (size_t i = 0; i < f.n; i++) {
		const struct field_row *r = &f.row[i];
		double far = fabs(r->x - x) + fabs(r->y - y);
		if (far < least &&
		    (!(kv_bytes > 0) || r->kv_bytes == kv_bytes)) {
			least = far;
			best = r;
		}
	}
	return best;
}
#endif
