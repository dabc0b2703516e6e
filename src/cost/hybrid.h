/* cost/hybrid.h -- a cost model made of two: one part of a step's time comes
 * from the second, the rest from the first.  What that part alone does to a
 * running engine is then seen by running it.
 *
 * Where both models are additive (SC_CAP_ADDITIVE) the parts are components
 * (components.h).  In any other work overlaps, and the parts are phases: of a
 * step without communication and overheads, prefill is what it takes without
 * its decodes, decode is what they add.
 * The parts of a step are not negative and sum to total_us.
 * [instance]: as those that it is made of; no printing. */
#ifndef SC_COST_HYBRID_H
#define SC_COST_HYBRID_H
#include <stdint.h>
#include "cost/components.h"
#include "cost/cost.h"

enum { HYBRID_PARTS = 8 }; /* at most                                        */
struct hybrid_part {
	const char *name;    /* "decode attention", "decode"                 */
	uint32_t components; /* that it is made of; bit k: component k       */
};
/* Ends with a name that is NULL. */
extern const struct hybrid_part hybrid_component[HYBRID_PARTS + 1],
    hybrid_phase[HYBRID_PARTS + 1];
/* hybrid_component, if both are additive; else hybrid_phase. */
const struct hybrid_part *hybrid_parts(uint32_t a_capabilities,
				       uint32_t b_capabilities);

struct hybrid {
	struct cost *a, *b; /* the caller's                                  */
	const struct hybrid_part *part;
	uint32_t from_b; /* bit i: part i                                    */
	sc_plugin outer;
};
/* *out asks both from now on.  It needs no cost_destroy(); h, a and b must
 * outlive it. */
void hybrid_make(struct hybrid *h, struct cost *a, struct cost *b,
		 const struct hybrid_part *part, uint32_t from_b,
		 struct cost *out);
#endif
