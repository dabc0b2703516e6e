/* cost/composite.h -- a cost model made of two: one part of a step's time comes
 * from the second, the rest from the first.  Running it shows what that part
 * alone changes in a running engine.
 *
 * If both models are additive (SC_CAP_ADDITIVE) the parts are components
 * (components.h).  In other models work overlaps, and the parts are phases of
 * the step without communication and overheads: prefill is the time of the step
 * without its decodes, decode is what the decodes add.  The parts of a step are
 * not negative and sum to total_us. [instance]: as the two models; no
 * printing. */
#pragma once
#include <stdint.h>
#include "cost/components.h"
#include "cost/cost.h"

enum { COMPOSITE_PARTS = 8 }; /* at most */
struct composite_part {
	const char *name;    /* "decode attention", "decode" */
	uint32_t components; /* bit k: component k belongs to it */
};
/* The last element has a name of NULL. */
extern const struct composite_part composite_component[COMPOSITE_PARTS + 1],
    composite_phase[COMPOSITE_PARTS + 1];
/* Returns composite_component if both are additive, else composite_phase. */
const struct composite_part *composite_parts(uint32_t a_capabilities,
					     uint32_t b_capabilities);

struct composite {
	struct cost *a, *b; /* owned by the caller */
	const struct composite_part *part;
	uint32_t from_b; /* bit i: part i comes from b */
	sc_plugin outer;
};
/* From now on *out asks both models.  It needs no cost_destroy(); h, a and b
 * must outlive it. */
void composite_make(struct composite *h, struct cost *a, struct cost *b,
		    const struct composite_part *part, uint32_t from_b,
		    struct cost *out);
