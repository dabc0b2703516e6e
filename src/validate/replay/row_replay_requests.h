/* validate/replay/row_replay_requests.h -- the requests that a measured row was
 * measured with, by the kind of its protocol. */
#pragma once
#include "validate/replay/protocol.h"
#include "validate/replay/row_replay.h"

/* Returns the fields that the protocol needs and the row lacks, in words, or
 * NULL if it has all. */
const char *row_replay_requests_lack(const struct protocol *c,
				     const struct measured_row *r);
/* Plans t->request for the rows t->row, which lack nothing.  0, or -1 with
 * *p. */
int row_replay_requests(struct row_replay *t, const struct protocol *c,
			const struct ini *aliases, struct problem *p);
