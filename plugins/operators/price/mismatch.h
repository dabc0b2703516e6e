/* price/mismatch.h -- What the answer for a single kernel does not have as it
 * was asked for.  An answer by rows of another kind is one by a substitute, and
 * `used` begins with what these rows have: "routing=balanced, SET 4096". */
#ifndef OPERATORS_PRICE_MISMATCH_H
#define OPERATORS_PRICE_MISMATCH_H
#include "price/mixer.h"

/* asked, is: words, which say nothing if they are NULL or the same. */
void mismatch_word(sc_kernel_result *out, const char *column, const char *asked,
		   const char *is);
/* The rows by which a kernel with a law is answered.  formats: the name of the
 * column of asked->dtype. */
void mismatch_rows(sc_kernel_result *out, const struct kernels *by,
		   const struct sc_op_key *asked, const char *formats);
/* A module of sparse attention. */
void mismatch_module(sc_kernel_result *out, const struct mixer_by *by,
		     const struct sc_mixer_key *asked);
/* A kernel of a linear layer: its sizes that are no axis of the tables, such as
 * the width of the convolution.  0 in *what: not told. */
void mismatch_sizes(const struct inst *s, sc_kernel_result *out,
		    const struct mixer_by *by, const struct sc_linear *what);
#endif
