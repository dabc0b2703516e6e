/* plugin/checks_bits.h -- checks that the same step gives the same bits.  Each
 * function is the `run` of a struct check (checks.h): it returns 0, or -1 with
 * *p filled in. */
#pragma once
#include "plugin/subject.h"

/* Asks one instance repeatedly, backwards. */
int check_same_bits(struct subject *s, struct problem *p);
/* Asks two instances in turn, from opposite ends. */
int check_interleaved(struct subject *s, struct problem *p);
/* Asks two instances, each in its own thread. */
int check_threads(struct subject *s, struct problem *p);
/* Puts the requests of a step in another order. */
int check_permuted(struct subject *s, struct problem *p);
/* Compares sc_step.decode_ctx_sum given and not given. */
int check_reported_sum(struct subject *s, struct problem *p);
/* Compares eval_batch() with eval() one by one. */
int check_batches(struct subject *s, struct problem *p);
