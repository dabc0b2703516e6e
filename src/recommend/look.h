/* recommend/look.h -- looks again once the shortlist was searched in full: the
 * race judges by one draw of requests, and the searches may see it
 * otherwise.  [main] */
#pragma once
#include "recommend/state.h"

/* Searches more rows, and judges: those that the race has above the winner, and
 * with a rate to serve the least fleet of each shape.  It ends if there are
 * none, after LOOKS of them, or at the budget; r->n_unsearched says how many
 * are left.  Returns 0, or -1 with *p. */
enum { LOOKS = 4, LOOK_ROWS = 2 };
int look_again(struct recommend *r, struct problem *p);
