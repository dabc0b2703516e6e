/* The work of a layer on one rank. */
#include "cost/floor_layers.h"
#include "tap.h"
#include "model_8b.h"

int main(void)
{
	const struct floor_ranks f = {&model_8b, 4, 2, 3};
	sc_layers g = layers_8b;
	ok(floor_attention_weights(&f, &g) == 4096. * 128 * (2 * 8 + 2 * 2),
	   "queries, keys, values and output");
	ok(floor_dense_weights(&f, &g) == 3. * 4096 * 14336 / 4, "gated FFN");
	g.ffn = SC_FFN_PLAIN;
	ok(floor_dense_weights(&f, &g) == 2. * 4096 * 14336 / 4, "plain FFN");
	struct sc_work w = floor_attention_work(&f, &g, SC_DECODE, 10, 7);
	ok(w.flops == 4 * 8 * 128 * 10. && w.bytes == 2 * 2 * 128 * 7 * 2.,
	   "softmax attention");
	g.flags = SC_LAYER_OUTPUT_GATE;
	ok(floor_attention_weights(&f, &g) == 4096. * 128 * (3 * 8 + 2 * 2),
	   "a gate as wide as the output");
	g.flags = SC_LAYER_OTHER;
	ok(floor_attention_weights(&f, &g) == 0 && !floor_reads_cache(&g),
	   "of a layer that is not described nothing is known");
	g = (sc_layers){.size = sizeof g,
			.attention = SC_ATTN_MLA,
			.n_heads = 64,
			.q_lora_rank = 1536,
			.kv_lora_rank = 512,
			.qk_nope_dim = 128,
			.qk_rope_dim = 64,
			.v_dim = 128,
			.ffn = SC_FFN_MOE,
			.ffn_dim = 1000,
			.n_experts = 64,
			.experts_per_token = 6,
			.n_shared_experts = 2,
			.shared_ffn_dim = 500};
	ok(floor_has_latent(&g) && floor_has_experts(&g) &&
	       floor_attention_weights(&f, &g) ==
		   4096. * 1536 / 4 + 1536. * 16 * 192 + 4096. * 576 / 4 +
		       512. * 16 * 256 + 16. * 128 * 4096,
	   "latent attention");
	w = floor_attention_work(&f, &g, SC_PREFILL, 10, 7);
	ok(w.flops == 2 * 16 * 320 * 10. && w.bytes == 576 * 7 * 2.,
	   "prompts compute whole heads; heads share the cache");
	w = floor_attention_work(&f, &g, SC_DECODE, 10, 7);
	ok(w.flops == 2 * 16 * 1088 * 10., "decodes absorb the projections");
	struct sc_moe e = floor_experts(&f, &g);
	ok(sc_moe_weights(&e) == 3. * 4096 * 1000 / 8 &&
	       floor_shared_weights(&f, &g) == 3. * 4096 * 1000 / 8,
	   "all ranks share experts");
	return done();
}
