/* read/row_groups.h -- Rows of one set that belong together, as grids.  All of
 * it lies in the arena of the instance. */
#ifndef OPERATORS_READ_ROW_GROUPS_H
#define OPERATORS_READ_ROW_GROUPS_H
#include "stepcost/kernel/operator_rows.h"
#include "stepcost/kernel/grid.h"
#include "choose/sets.h"

/* Selects rows that belong together: those of a law (curve NULL), or those of a
 * table that has times by bytes or tokens.  The latter are of the format
 * law.dtype; NULL: 16 bit. */
struct row_key {
	struct sc_op_key law;
	const char *curve;       /* "all_reduce", "collective", "mla_bmm" … */
	const char *kind, *mode; /* of it: columns op and mode; NULL: none */
	double sms;              /* of it; 0: the fastest number of SMs */
};
struct row_group {
	const struct set *set;
	struct row_key row_key;
	struct sc_oplaw law;  /* at the rates of the set's GPU */
	uint32_t n_grids;     /* 0: the set has no such rows */
	int is_thin;          /* fewer rows than a fit of the law wants */
	int has_rivals;       /* a curve of the fastest of several rows */
	struct sc_grid *grid; /* ascending by key */
	uint32_t n_m;         /* GEMM: every m that was measured;
				  experts, MLA: tokens or lengths that
				  most shapes have */
	double *m, *log_m;
	struct sc_grid *dense;  /* attention, with rows between rows; NULL
					 until one is needed */
	struct sc_grid *filled; /* experts, MLA, without missing points; NULL
				   until one is needed */
};
enum { MAX_ROW_GROUPS = 4096 };

/* The format of a curve's rows. */
const char *curve_dtype(const struct row_key *p);
/* The rows of a set; NULL: it has none.  Built at the first time. */
const struct row_group *row_group_of(struct inst *s, const struct set *set,
				     const struct row_key *row_key);
/* Its grid of a shape, the first n numbers of the key; NULL: none. */
const struct sc_grid *row_group_find(const struct row_group *f,
				     const double *key, int n);
#endif
