/* linear_attention.c -- Counts the parameters of linear attention and state
 * spaces. */
#include "model/linear_attention.h"
#include <math.h>
#include "stepcost/plugin.h"

/* The sizes in the formulas. */
struct sizes {
	double d;          /* hidden */
	double heads, dim; /* heads of values; for Mamba its heads */
	double inner;      /* heads · dim */
	double keys;   /* key heads · their size; Mamba-2: groups · state */
	double state;  /* of one key head */
	double kernel; /* of the convolution */
};

static struct sizes sizes_of(const struct model_keys *k)
{
	struct sizes s = {.d = (double)k->hidden_size,
			  .heads = (double)k->linear_num_value_heads,
			  .dim = (double)k->linear_value_head_dim,
			  .state = (double)k->linear_key_head_dim,
			  .kernel = (double)k->linear_conv_kernel_dim};
	s.inner = s.heads * s.dim;
	s.keys = (double)k->linear_num_key_heads * s.state;
	return s;
}

/* Q, K, V, Z in one matrix, B and A in another; a norm per value head. */
static struct linear_params gated_delta(const struct sizes *s)
{
	double conv = 2 * s->keys + s->inner;
	return (struct linear_params){
	    .in = s->d * (conv + s->inner + 2 * s->heads),
	    .out = s->inner * s->d,
	    .small = conv * s->kernel + 2 * s->heads + s->dim,
	    .state = s->heads * s->dim * s->state + conv * (s->kernel - 1),
	};
}

/* Q, K, V with a convolution each; the decay is a pair of matrices of rank dim;
 * the output gate is such a pair, or one matrix.  Checkpoints with one matrix
 * have A_log for each channel of a head. */
static struct linear_params kda(const struct sizes *s, int full_gate)
{
	double pair = s->d * s->dim + s->dim * s->inner;
	double gate = full_gate ? s->d * s->inner : pair;
	return (struct linear_params){
	    .in = 3 * s->d * s->inner + pair + s->d * s->heads + gate,
	    .out = s->inner * s->d,
	    .small = 3 * s->inner * s->kernel + s->inner + s->dim +
		     (full_gate ? s->dim : s->heads),
	    .state = s->inner * s->dim + 3 * s->inner * (s->kernel - 1),
	};
}

/* Q, K, V and an output gate; one norm over all heads. */
static struct linear_params lightning(const struct sizes *s)
{
	return (struct linear_params){
	    .in = 4 * s->d * s->inner,
	    .out = s->inner * s->d,
	    .small = s->inner,
	    .state = s->inner * s->dim,
	};
}

/* X and Z; X gives the time step (of rank dt), B and C. */
static struct linear_params mamba(const struct sizes *s,
				  const struct model_keys *k)
{
	double dt = (double)k->linear_dt_rank;
	double norm = k->linear_norm ? dt + 2 * s->state : 0;
	return (struct linear_params){
	    .in = s->d * 2 * s->inner,
	    .out = s->inner * s->d + s->inner * (dt + 2 * s->state) +
		   dt * s->inner,
	    .small = s->inner * s->kernel +
		     (k->linear_conv_bias ? s->inner : 0) + s->inner +
		     s->inner * s->state + s->inner + norm +
		     (k->linear_proj_bias ? 2 * s->inner + s->d : 0),
	    .state = s->inner * s->state + s->inner * (s->kernel - 1),
	};
}

/* Z, X, B, C and the time steps in one matrix; A, D and the bias of the time
 * step per head. */
static struct linear_params mamba2(const struct sizes *s,
				   const struct model_keys *k)
{
	double conv = s->inner + 2 * s->keys;
	double rows = s->inner + conv + s->heads;
	return (struct linear_params){
	    .in = s->d * rows,
	    .out = s->inner * s->d,
	    .small = conv * s->kernel + (k->linear_conv_bias ? conv : 0) +
		     3 * s->heads + (k->linear_norm ? s->inner : 0) +
		     (k->linear_proj_bias ? rows + s->d : 0),
	    .state = s->inner * s->state + conv * (s->kernel - 1),
	};
}

static struct linear_params short_conv(const struct sizes *s,
				       const struct model_keys *k)
{
	return (struct linear_params){
	    .in = 3 * s->d * s->d,
	    .out = s->d * s->d,
	    .small = s->d * s->kernel + (k->linear_conv_bias ? s->d : 0) +
		     (k->linear_proj_bias ? 4 * s->d : 0),
	    .state = s->d * (s->kernel - 1),
	};
}

struct linear_params linear_attention_params(const struct model_keys *k)
{
	const struct sizes s = sizes_of(k);
	switch ((enum linear_attention)k->linear_attention) {
	case LINEAR_GATED_DELTA:
		return gated_delta(&s);
	case LINEAR_KDA:
	case LINEAR_KDA_FULL:
		return kda(&s, k->linear_attention == LINEAR_KDA_FULL);
	case LINEAR_LIGHTNING:
		return lightning(&s);
	case LINEAR_MAMBA:
		return mamba(&s, k);
	case LINEAR_MAMBA2:
		return mamba2(&s, k);
	case LINEAR_SHORT_CONV:
		return short_conv(&s, k);
	case LINEAR_MATRIX:
		return (struct linear_params){.in = s.d * s.d};
	case LINEAR_NONE:
		break;
	}
	return (struct linear_params){0};
}

static double state_number(const struct model_keys *k)
{
	int is_fp32 = k->linear_attention == LINEAR_KDA ||
		      k->linear_attention == LINEAR_KDA_FULL ||
		      k->linear_attention == LINEAR_LIGHTNING ||
		      k->torch_dtype == DTYPE_FP32;
	if (k->state_dtype != STATE_AUTO)
		is_fp32 = k->state_dtype == STATE_FP32;
	return is_fp32 ? 4 : 2;
}

double linear_state_bytes(const struct model_keys *k, uint32_t tp,
			  uint32_t drafts)
{
	const struct sizes s = sizes_of(k);
	double number = k->torch_dtype == DTYPE_FP32 ? 4 : 2;
	double groups = (double)k->linear_num_key_heads;
	double before = s.kernel - 1, channels = s.inner, state = s.state;
	switch ((enum linear_attention)k->linear_attention) {
	case LINEAR_GATED_DELTA:
		channels += 2 * s.keys;
		before += drafts;
		break;
	case LINEAR_KDA:
	case LINEAR_KDA_FULL:
		channels *= 3;
		state = s.dim;
		break;
	case LINEAR_LIGHTNING:
		before = 0;
		state = s.dim;
		break;
	case LINEAR_MAMBA:
		break;
	case LINEAR_MAMBA2:
		groups = fmod(groups, tp) > 0 ? tp : groups;
		channels += 2 * groups * s.state;
		before += drafts;
		break;
	case LINEAR_SHORT_CONV:
		channels = s.d;
		state = 0;
		break;
	case LINEAR_MATRIX:
	case LINEAR_NONE:
		return 0;
	}
	return (before * channels * number +
		s.inner * state * state_number(k)) /
	       tp;
}

uint32_t linear_state_bits(const struct model_keys *k)
{
	int64_t kind = k->linear_attention;
	if (kind == LINEAR_NONE || kind == LINEAR_SHORT_CONV ||
	    kind == LINEAR_MATRIX)
		return 0;
	return (uint32_t)(8 * state_number(k));
}

uint32_t linear_attention_code(const struct model_keys *k)
{
	static const uint32_t code[] = {
	    [LINEAR_NONE] = SC_LINEAR_NONE,
	    [LINEAR_GATED_DELTA] = SC_LINEAR_GDN,
	    [LINEAR_KDA] = SC_LINEAR_KDA,
	    [LINEAR_KDA_FULL] = SC_LINEAR_KDA,
	    [LINEAR_LIGHTNING] = SC_LINEAR_LIGHTNING,
	    [LINEAR_MAMBA] = SC_LINEAR_MAMBA1,
	    [LINEAR_MAMBA2] = SC_LINEAR_MAMBA2,
	    [LINEAR_SHORT_CONV] = SC_LINEAR_SHORT_CONV,
	    [LINEAR_MATRIX] = SC_LINEAR_MATRIX,
	};
	return code[k->linear_attention];
}

const char *linear_attention_name(const struct model_keys *k)
{
	static const char *const name[] = {
	    "linear",     "gated delta",       "Kimi delta",
	    "Kimi delta", "lightning",         "Mamba",
	    "Mamba-2",    "short convolution", "one matrix"};
	return name[k->linear_attention];
}

const char *linear_attention_lacks(const struct model_keys *k)
{
	int64_t kind = k->linear_attention;
	if (kind == LINEAR_NONE)
		return "linear_attention";
	if (kind == LINEAR_MATRIX)
		return NULL;
	if (k->linear_conv_kernel_dim == 0 && kind != LINEAR_LIGHTNING)
		return "linear_conv_kernel_dim";
	if (kind == LINEAR_SHORT_CONV)
		return NULL;
	if (k->linear_num_value_heads == 0)
		return "linear_num_value_heads";
	if (k->linear_value_head_dim == 0)
		return "linear_value_head_dim";
	if (k->linear_key_head_dim == 0 &&
	    (kind == LINEAR_GATED_DELTA || kind >= LINEAR_MAMBA))
		return "linear_key_head_dim";
	return NULL;
}
