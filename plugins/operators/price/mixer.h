/* price/mixer.h -- The price of one kernel of a linear layer, or of one module
 * of sparse attention. */
#ifndef OPERATORS_PRICE_MIXER_H
#define OPERATORS_PRICE_MIXER_H
#include "choose/choose.h"
#include "price/answer.h"
#include "read/mixers.h"

/* What answers: the rows of a set, or its law alone. */
struct mixer_by {
	const struct mixer_group *from; /* NULL: no table has it */
	struct sc_mixer_law law;        /* here, in the wanted format */
	uint32_t provenance;            /* of the choice */
};
/* Several kernels of one work, or several engines: the fastest counts. */
enum { MAX_MIXER_BY = 8 };
struct mixer {
	struct sc_mixer what;
	uint32_t n; /* 1 at least */
	struct mixer_by by[MAX_MIXER_BY];
};

/* One kernel of a linear layer; table: SC_MIXER_GDN ..., op: SC_CONV_DECODE
 * ... */
struct mixer mixer_for_linear(struct inst *s, uint32_t table, uint32_t op,
			      const struct sc_linear *what);
/* A module; row key: its formats, and the model that its sizes are of.  A step
 * takes the fastest of several engines' where some were timed with host code;
 * is_step 0: the own engine's alone. */
struct mixer mixer_for_sparse(struct inst *s,
			      const struct sc_mixer_key *row_key,
			      const struct sc_sparse *what, int is_step);
/* which: NULL, or the number of the answer in by[]. */
struct answer mixer_us(const struct mixer *m, const struct sc_mixer_at *at,
		       uint32_t *which);
/* Any table of the instance's sets measured it. */
static inline int mixer_is_measured(const struct mixer *m)
{
	return m->by[0].from != NULL;
}
#endif
