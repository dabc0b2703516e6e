/* model/linear_attention.h -- the matrices of linear attention and of state
 * spaces: layers whose memory of a sequence does not grow. */
#ifndef SC_MODEL_LINEAR_ATTENTION_H
#define SC_MODEL_LINEAR_ATTENTION_H
#include "model/model_keys.h"

/* Elements of the mixer's projections, sides of hidden_size; of its
 * convolution, decays, norms and biases; and of what is inside a head alone,
 * which tp does not split. */
struct linear_params {
	double in, out;
	double small;
	double state; /* numbers kept for a sequence, whatever its length */
};
struct linear_params linear_attention_params(const struct model_keys *k);
/* "gated_delta", as the key linear_attention. */
const char *linear_attention_name(const struct model_keys *k);
/* What its keys lack; NULL: nothing. */
const char *linear_attention_lacks(const struct model_keys *k);
#endif
