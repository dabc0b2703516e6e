/* model/linear_attention.h -- the matrices of linear attention and state
 * spaces: layers that remember a sequence in memory of fixed size. */
#pragma once
#include "model/model_keys.h"

/* Numbers of elements.  in, out: projections from and to hidden_size.  small:
 * convolution, decays, norms, biases, and everything inside one head, which tp
 * does not split. */
struct linear_params {
	double in, out;
	double small;
	double state; /* numbers kept per sequence of any length */
};
struct linear_params linear_attention_params(const struct model_keys *k);
/* Returns the bytes that one layer keeps of a sequence on one rank of tp, with
 * `drafts` speculative tokens: its convolution's inputs in the format of the
 * model, and its recurrent state in that of state_dtype.  0: it keeps nothing.
 * Mamba-2: every rank has at least one group.  Kimi delta attention and Mamba-1
 * keep no inputs of drafts.  Source: vLLM,
 * model_executor/layers/mamba/mamba_utils.py. */
double linear_state_bytes(const struct model_keys *k, uint32_t tp,
			  uint32_t drafts);
/* Returns the bits of a number of the recurrent state; 0: it has none. */
uint32_t linear_state_bits(const struct model_keys *k);
/* Returns the kind for cost models, SC_LINEAR_*. */
uint32_t linear_attention_code(const struct model_keys *k);
/* Returns the word of the key linear_attention, "gated_delta". */
const char *linear_attention_name(const struct model_keys *k);
/* Returns the key that is missing; NULL: nothing. */
const char *linear_attention_lacks(const struct model_keys *k);
