/* plugin/checks_bits.h -- does the same step have the same bits?  Each is the
 * `run` of a struct check (checks.h): 0, or -1 with *p. */
#ifndef SC_PLUGIN_CHECKS_BITS_H
#define SC_PLUGIN_CHECKS_BITS_H
#include "plugin/subject.h"

/* One instance asked again and again, backwards. */
int check_same_bits(struct subject *s, struct problem *p);
/* Two instances asked in turn, from opposite ends. */
int check_interleaved(struct subject *s, struct problem *p);
/* Two instances, a thread each. */
int check_threads(struct subject *s, struct problem *p);
/* The requests of a step in another order. */
int check_permuted(struct subject *s, struct problem *p);
/* sc_step.decode_ctx_sum told and not. */
int check_told_sum(struct subject *s, struct problem *p);
/* eval_batch() as eval() one by one. */
int check_batches(struct subject *s, struct problem *p);
#endif
