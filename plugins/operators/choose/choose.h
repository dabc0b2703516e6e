/* choose/choose.h -- Which source answers for an operator: the set of an engine
 * on a GPU, and the format. */
#ifndef OPERATORS_CHOOSE_CHOOSE_H
#define OPERATORS_CHOOSE_CHOOSE_H
#include "price/least.h"
#include "read/row_groups.h"

/* Which source answers, and the law here: of this GPU and format. */
struct kernels {
	const struct row_group *from; /* NULL: no table; the law alone */
	struct sc_oplaw law;
	struct least least;  /* on the GPU that is simulated */
	uint32_t provenance; /* of the choice */
};

/* Engines in the order in which they are asked. */
struct order {
	uint32_t n, engine[ENGINE_OTHER];
};
/* Returns the order for an op or ORDER_*, in a dtype; NULL: in none. */
struct order engines_for(const struct inst *s, const char *of,
			 const char *dtype);
/* The first set in that order that has rows; NULL: none.  *provenance: of the
 * choice. */
const struct row_group *choose(struct inst *s, const struct order *order,
			       const struct row_key *row_key,
			       uint32_t *provenance);
/* Who answers for a law's op in a dtype, for a shape with these first n numbers
 * of its key; without any table the law alone. */
struct kernels kernels_for(struct inst *s, const struct sc_op_key *row_key,
			   const double *key, int n);
/* Finds the kernels of each engine that has measured ones: those of the nearest
 * GPU that any engine has, in the nearest dtype.  Returns how many engines it
 * found. */
uint32_t kernels_of_each(struct inst *s, const struct sc_op_key *row_key,
			 const struct order *order,
			 struct kernels of[ENGINE_OTHER]);
/* Finds the kernels in one set alone; from is NULL in the result if it has
 * none. */
struct kernels kernels_in(struct inst *s, const struct row_group *from,
			  const struct sc_op_key *row_key, uint32_t provenance);
#endif
