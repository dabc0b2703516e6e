/* capacity.c -- Names what a capacity search can find. */
#include "capacity/capacity.h"

const char *const capacity_verdict_name[] = {"found", "none", "undecided"};
const char *const capacity_question_name[] = {"rate", "fleet"};
const char *const capacity_carries_name[] = {"undecided", "yes", "no"};
const char *const capacity_stop_name[] = {
    "",      "precision", "decision",    "limit",
    "trace", "none",      "interrupted", "runs"};
const char *const capacity_basis_name[] = {"replications", "stretches",
					   "cycles", "one draw"};

double capacity_half_width(const struct capacity *c)
{
	return c->high > c->low ? (c->high - c->low) / 2 / c->request_rate : 0;
}

int capacity_is_less(const struct capacity *a, const struct capacity *b)
{
	if (a->verdict != b->verdict)
		return a->verdict != CAPACITY_FOUND;
	return a->question == QUESTION_FLEET
		   ? a->units_high > b->units_high
		   : a->request_rate < b->request_rate;
}

const char *capacity_limited_by(const struct capacity *c,
				const struct bounds *b)
{
	return c->limited_by == LIMITED_BY_REJECTION ? "rejection"
	       : c->limited_by == LIMITED_BY_LENGTH  ? "too short"
	       : c->limited_by < 0                   ? "saturation"
				   : slo_bound_name(&b->bound[c->limited_by]);
}
