/* sim/offload/lookup.h -- which tokens of a waiting request the host has.
 *
 * Groups with full attention are searched first, then windows, the largest
 * first.  Each shortens what the others have to have; a window that the result
 * of another one has shortened is searched again.  [one thread] */
#pragma once
#include "sim/offload/offload.h"

/* A look-up behind the first `found` tokens, which the GPU has. */
struct offload_question {
	const struct offload_text *text;
	uint32_t found;
	int drops;  /* 1: a drafter needs the last found chunk computed */
	int shares; /* 1: chunks that are being loaded will be on the GPU */
};
/* Returns 0 if that must be asked again in a later call.  *more: tokens that
 * can be loaded.  Touches the chunks of the request. */
int offload_find(struct offload *o, struct offloaded *of,
		 const struct offload_question *q, uint32_t *more);
