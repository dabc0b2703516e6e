/* Parameters and state of linear attention, by hand. */
#include "model/linear_attention.h"
#include "stepcost/plugin.h"
#include "tap.h"

/* 3 key heads of 5, 6 value heads of 7, a convolution of 4. */
static struct model_keys keys(int64_t kind)
{
	return (struct model_keys){.hidden_size = 100,
				   .linear_attention = kind,
				   .linear_num_key_heads = 3,
				   .linear_key_head_dim = 5,
				   .linear_num_value_heads = 6,
				   .linear_value_head_dim = 7,
				   .linear_conv_kernel_dim = 4,
				   .linear_dt_rank = 11};
}

static void counts(int64_t kind, double in, double out, double small,
		   double state)
{
	struct model_keys k = keys(kind);
	struct linear_params n = linear_attention_params(&k);
	if (!ok(n.in == in && n.out == out && n.small == small &&
		    n.state == state,
		"%s", linear_attention_name(&k)))
		printf("# got %g %g %g %g\n", n.in, n.out, n.small, n.state);
}

static void formulas(void)
{
	/* 15 + 15 + 42 of Q, K, V; 42 of Z; a decay and a gate a head */
	counts(LINEAR_GATED_DELTA, 100 * (72 + 42 + 12), 4200, 72 * 4 + 12 + 7,
	       6 * 7 * 5 + 72 * 3);
	/* decay and gate are pairs of rank 7 */
	counts(LINEAR_KDA, 3 * 4200 + 600 + 2 * (700 + 7 * 42), 4200,
	       3 * 42 * 4 + 42 + 7 + 6, 42 * 7 + 3 * 42 * 3);
	counts(LINEAR_KDA_FULL, 4 * 4200 + 600 + 700 + 7 * 42, 4200,
	       3 * 42 * 4 + 42 + 7 + 7, 42 * 7 + 3 * 42 * 3);
	counts(LINEAR_LIGHTNING, 4 * 4200, 4200, 42, 42 * 7);
	counts(LINEAR_MAMBA, 8400, 4200 + 42 * 21 + 11 * 42,
	       42 * 4 + 42 + 42 * 5 + 42, 42 * 5 + 42 * 3);
	/* Z and X of 42, B and C of 15, a step a head */
	counts(LINEAR_MAMBA2, 100 * (42 + 42 + 30 + 6), 4200, 72 * 4 + 18,
	       42 * 5 + 72 * 3);
	counts(LINEAR_SHORT_CONV, 30000, 10000, 400, 300);
	counts(LINEAR_MATRIX, 10000, 0, 0, 0);
	counts(LINEAR_NONE, 0, 0, 0, 0);
}

/* Bytes of a layer and sequence, convolution and recurrent state. */
static void states(void)
{
	const struct {
		int64_t kind, dtype;
		uint32_t tp, drafts;
		double bytes;
	} all[] = {
	    {LINEAR_GATED_DELTA, STATE_AUTO, 1, 0, 3 * 72 * 2 + 6 * 35 * 2},
	    {LINEAR_GATED_DELTA, STATE_FP32, 1, 0, 3 * 72 * 2 + 6 * 35 * 4},
	    {LINEAR_GATED_DELTA, STATE_FP32, 3, 2, 5 * 24 * 2 + 2 * 35 * 4},
	    {LINEAR_KDA, STATE_AUTO, 1, 2, 3 * 126 * 2 + 42 * 7 * 4},
	    {LINEAR_KDA_FULL, STATE_AUTO, 2, 0, 3 * 63 * 2 + 21 * 7 * 4},
	    {LINEAR_LIGHTNING, STATE_AUTO, 1, 0, 42 * 7 * 4},
	    {LINEAR_MAMBA, STATE_AUTO, 1, 2, 3 * 42 * 2 + 42 * 5 * 2},
	    {LINEAR_MAMBA2, STATE_AUTO, 1, 0, 3 * 72 * 2 + 42 * 5 * 2},
	    {LINEAR_MAMBA2, STATE_AUTO, 3, 1, 4 * 24 * 2 + 14 * 5 * 2},
	    /* 3 groups do not divide by 2: each rank has one */
	    {LINEAR_MAMBA2, STATE_AUTO, 2, 0, 3 * 31 * 2 + 21 * 5 * 2},
	    {LINEAR_SHORT_CONV, STATE_AUTO, 1, 0, 3 * 100 * 2},
	    {LINEAR_MATRIX, STATE_AUTO, 1, 0, 0},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct model_keys k = keys(all[i].kind);
		k.state_dtype = all[i].dtype;
		double bytes = linear_state_bytes(&k, all[i].tp, all[i].drafts);
		ok(bytes == all[i].bytes, "state of %s, tp %u: %g",
		   linear_attention_name(&k), all[i].tp, bytes);
	}
}

static void biases(void)
{
	struct model_keys k = keys(LINEAR_MAMBA2);
	double small = linear_attention_params(&k).small;
	k.linear_conv_bias = k.linear_norm = k.linear_proj_bias = 1;
	ok(linear_attention_params(&k).small ==
	       small + 72 + 42 + (42 + 42 + 30 + 6) + 100,
	   "biases and a norm");
}

static void lacking(void)
{
	struct model_keys k = keys(LINEAR_MAMBA2);
	ok(!linear_attention_lacks(&k), "nothing is lacking");
	k.linear_key_head_dim = 0;
	is(linear_attention_lacks(&k), "linear_key_head_dim",
	   "the state's size");
	k.linear_attention = LINEAR_KDA;
	ok(!linear_attention_lacks(&k), "which Kimi's has not");
	k.linear_num_value_heads = 0;
	is(linear_attention_lacks(&k), "linear_num_value_heads", "heads");
	k.linear_conv_kernel_dim = 0;
	is(linear_attention_lacks(&k), "linear_conv_kernel_dim",
	   "the convolution");
	k.linear_attention = LINEAR_NONE;
	is(linear_attention_lacks(&k), "linear_attention", "all of it");
}

static void codes(void)
{
	struct model_keys k = keys(LINEAR_GATED_DELTA);
	k.torch_dtype = DTYPE_BF16;
	ok(linear_attention_code(&k) == SC_LINEAR_GDN &&
	       linear_state_bits(&k) == 16,
	   "a gated delta net keeps its state in the model's format");
	k.linear_attention = LINEAR_KDA_FULL;
	ok(linear_attention_code(&k) == SC_LINEAR_KDA &&
	       linear_state_bits(&k) == 32,
	   "Kimi's in 32 bits");
	k.linear_attention = LINEAR_SHORT_CONV;
	ok(linear_attention_code(&k) == SC_LINEAR_SHORT_CONV &&
	       linear_state_bits(&k) == 0,
	   "a convolution has none");
}

int main(void)
{
	codes();
	formulas();
	states();
	biases();
	lacking();
	return done();
}
