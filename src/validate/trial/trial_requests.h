/* validate/trial/trial_requests.h -- the requests that a measured row was
 * measured with, by the kind of its protocol. */
#ifndef SC_VALIDATE_TRIAL_TRIAL_REQUESTS_H
#define SC_VALIDATE_TRIAL_TRIAL_REQUESTS_H
#include "validate/trial/protocol.h"
#include "validate/trial/trial.h"

/* Returns the fields that the protocol needs and the row lacks, in words, or
 * NULL if it has all. */
const char *trial_requests_lack(const struct protocol *c,
				const struct measured_row *r);
/* Plans t->request for the rows t->row, which lack nothing.  0, or -1 with
 * *p. */
int trial_requests(struct trial *t, const struct protocol *c,
		   const struct ini *aliases, struct problem *p);
#endif
