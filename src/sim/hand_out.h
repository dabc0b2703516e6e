/* sim/hand_out.h -- the tokens of a batch on their way to the clients: who gets
 * how many, and when; and the text that ends a request.  [one thread] */
#pragma once
#include "sim/simulation_state.h"

/* Returns the time from `now` until the client has a token that takes
 * response_ns: not before the first one. */
int64_t hand_out_in_order(const struct sequence *q, int64_t now,
			  int64_t response_ns);
/* The batch of the replica was processed, and lists its tokens: tells who gets
 * them.  Returns 0, or -1 with *p filled in. */
int hand_out_tokens(struct simulation *m, const struct replica *r,
		    const struct batch *b);
