/* validate/replay/row_replay_requests.h -- the requests that a measured row was
 * measured with, by the kind of its protocol. */
#pragma once
#include "validate/replay/row_replay.h"

/* Returns the fields that the protocol needs and the row lacks, in words, or
 * NULL if it has all. */
const char *row_replay_requests_lack(const struct protocol *c,
				     const struct measured_row *r);
/* Plans t->request for the rows t->row, which lack nothing, by t->protocol.  0,
 * or -1 with *p. */
int row_replay_requests(struct row_replay *t, const struct ini *aliases,
			struct problem *p);
/* Returns the requests [n] of a simulation from 1 to repeats - 1, which have a
 * seed of their own, for the caller to free; NULL: memory is out. */
struct planned_request *row_replay_draw(const struct row_replay *t,
					uint64_t repeat);
