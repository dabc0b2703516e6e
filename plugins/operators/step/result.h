/* result.h -- Fills in what the host asks for: sums by kind, and parts. */
#ifndef OPERATORS_RESULT_H
#define OPERATORS_RESULT_H
#include "step/price.h"

struct inst;

/* Places in sc_result.part_us, up to the last that has a part. */
enum { PART_PLACES = N_PARTS + PART_ALL_REDUCE };

/* share: of the tokens, by phase.  Of GEMMs each phase has that much. */
void result_sums(const struct inst *s, const struct price *p,
		 const double share[2], sc_result *out);
/* All parts but attention's and the host's. */
void result_shared_parts(const struct parts *p, const double share[2],
			 double part_us[PART_PLACES]);
/* These.  Parts of attention that the model lacks stay as they are. */
void result_own_parts(const struct inst *s, const struct parts *p,
		      double part_us[PART_PLACES]);
/* No part of attention is there. */
void result_no_attention(double part_us[PART_PLACES]);
#endif
