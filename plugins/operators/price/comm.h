/* price/comm.h -- The price of what a table has along bytes or tokens: messages
 * between ranks, and the batched GEMMs of latent attention. */
#ifndef OPERATORS_PRICE_COMM_H
#define OPERATORS_PRICE_COMM_H
#include "price/answer.h"
#include "read/row_groups.h"

/* How the time grows with bytes or tokens. */
struct curve {
	const struct row_group *from;        /* NULL: by formula */
	const struct sc_grid *below, *above; /* above NULL: below alone */
	double weight;                       /* of above */
	double factor;                       /* on the time */
	double scale;                        /* on the bytes or tokens */
	uint32_t provenance;
	double t0_us, unit_us; /* of the formula: t0 + x unit */
	/* how many times slower the links are than those of the table; 0: not
	 * slower */
	double slower;
	double least_unit_us; /* us of a byte on a link; 0: not known */
};

/* No table, no time yet. */
struct curve curve_none(void);
/* Returns the curve of a message between ranks.  kind: "all_gather" …; NULL:
 * all-reduce. */
struct curve collective_for(struct inst *s, const char *kind, double ranks);
/* Returns the curve of a batched GEMM of latent attention.  dtype: NULL: 16
 * bits. */
struct curve bmm_for(struct inst *s, const char *kind, double heads,
		     const char *dtype);

/* Returns the time for x bytes or tokens: along the curve of the table, between
 * two of them if there are two, or by formula. */
struct answer curve_us(const struct curve *c, double x);
/* The same, but never less than the links need at least for `most` bytes, if a
 * message can be that long. */
struct answer curve_at_least(const struct curve *c, double x, double most);
#endif
