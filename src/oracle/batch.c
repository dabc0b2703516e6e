/* batch.c -- Prices a batch. */
#include "oracle/batch.h"

static const sc_result nothing = {.size = sizeof nothing};

int batch_price(struct arm *a, const sc_step *step, const sc_result **to,
		struct problem *p)
{
	*to = &nothing;
	if (step->n_prefill + step->n_decode == 0)
		return 0;
	if (step->decode_new &&
	    !(a->plugin.p.capabilities & SC_CAP_DECODE_NEW)) {
		problem_set(p, EXIT_USAGE,
			    "%s cannot price decodes of several tokens",
			    a->is->plugin);
		return 1;
	}
	*to = cost_eval(&a->cost, step, p);
	return *to ? 0 : -1;
}
