/* price/comm.h -- The price of what a table has along bytes or tokens: messages
 * between ranks, and the batched GEMMs of latent attention. */
#ifndef OPERATORS_PRICE_COMM_H
#define OPERATORS_PRICE_COMM_H
#include "price/answer.h"
#include "read/row_groups.h"

/* Time by bytes or tokens. */
struct curve {
	const struct row_group *from;        /* NULL: by formula */
	const struct sc_grid *below, *above; /* above NULL: below alone */
	double weight;                       /* of above */
	double factor;                       /* on the time */
	double scale;                        /* on what it is asked at */
	uint32_t provenance;
	double t0_us, unit_us; /* of the formula: t0 + x unit */
	double slower; /* links than those of the table, in times; 0: none */
	double least_unit_us; /* a byte on a link; 0: not known */
};

/* No table, no time yet. */
struct curve curve_none(void);
/* kind: NULL: all-reduce; "all_gather" … */
struct curve collective_for(struct inst *s, const char *kind, double ranks);
/* dtype: NULL: 16 bit. */
struct curve bmm_for(struct inst *s, const char *kind, double heads,
		     const char *dtype);

struct answer curve_us(const struct curve *c, double x);
/* The same for a message that can have up to `most` bytes. */
struct answer curve_at_least(const struct curve *c, double x, double most);
#endif
