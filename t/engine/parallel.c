/* Which splits are allowed, and what one GPU holds then. */
#include "engine/parallel.h"
#include "engine/keys/fill.h"
#include "tap.h"

static struct ini c;
static struct model m;
static const struct engine_source from = {.ini = &c};
static struct engine_keys keys;
static struct problem p;

/* A model, and the keys of an engine for it. */
static int check(const char *text)
{
	ini_free(&c);
	model_free(&m);
	p = (struct problem){0};
	if (ini_read(&c, text, strlen(text), &p) < 0 ||
	    model_load(&m, &c, &p) < 0 ||
	    engine_keys_fill(&keys, &from, &p) < 0)
		bail_out(p.text);
	return parallel_check(&keys, &m, &from, &p);
}

static void refused(const char *text, const char *want)
{
	int rc = check(text);
	if (!ok(rc < 0 && p.code == EXIT_USAGE && strstr(p.text, want), "%s",
		want))
		printf("# got %s\n", p.text);
}

/* 5 layers, 24 heads, 8 KV heads. */
#define DENSE                                                                  \
	"[model]\nnum_hidden_layers=5\nhidden_size=48\n"                       \
	"num_attention_heads=24\nnum_key_value_heads=8\nhead_dim=4\n"          \
	"intermediate_size=64\nvocab_size=96\n"
#define SPARSE                                                                 \
	DENSE "num_experts=12\nnum_experts_per_tok=2\n"                        \
	      "moe_intermediate_size=16\n"

static void tp(void)
{
	ok(check(DENSE "[engine]\ntensor_parallel_size=24\n") == 0,
	   "a multiple of the KV heads: %s", p.text);
	refused(DENSE "[engine]\n\ntensor_parallel_size=16\n",
		"<text>:11: tensor_parallel_size = 16: must divide the 24 "
		"query heads, and the 8 KV heads or be a multiple of them; "
		"allowed: 1, 2, 4, 8, 24");
	refused(DENSE "[engine]\ntensor_parallel_size=3\n",
		"tensor_parallel_size = 3: ");
	ok(check(DENSE "kv_lora_rank=8\nqk_nope_head_dim=4\n"
		       "qk_rope_head_dim=2\nv_head_dim=4\n"
		       "[engine]\ntensor_parallel_size=3\n") == 0,
	   "latent attention has no KV heads to split: %s", p.text);
	ok(check("[engine]\ntensor_parallel_size=3\n") == 0,
	   "no model, no rule");
}

static void ep(void)
{
	ok(check(SPARSE
		 "[engine]\ntensor_parallel_size=2\n"
		 "data_parallel_size=2\nenable_expert_parallel=true\n") == 0 &&
	       parallel_of(&keys, &m).ep == 4 && parallel_of(&keys, &m).dp == 2,
	   "expert parallelism over all GPUs: %s", p.text);
	ok(check(SPARSE "[engine]\ntensor_parallel_size=4\n"
			"expert_parallel_size=2\n") == 0 &&
	       parallel_of(&keys, &m).ep == 2,
	   "a split between");
	refused(SPARSE "[engine]\ntensor_parallel_size=8\n"
		       "enable_expert_parallel=true\n",
		"enable_expert_parallel: experts split 8 ways: must divide "
		"the experts of a layer and tensor_parallel_size x "
		"data_parallel_size = 8; allowed: 1, 2, 4");
	refused(SPARSE "[engine]\ntensor_parallel_size=4\n"
		       "expert_parallel_size=3\n",
		"expert_parallel_size: experts split 3 ways");
	refused(SPARSE "[engine]\ntensor_parallel_size=4\n"
		       "expert_parallel_size=2\nenable_expert_parallel=true\n",
		"enable_expert_parallel = true means 4");
	refused(DENSE "[engine]\nexpert_parallel_size=2\n",
		"expert_parallel_size: model [model] has no experts");
	ok(check(DENSE "[engine]\ndata_parallel_size=2\n") == 0 &&
	       parallel_of(&keys, &m).dp == 1,
	   "without experts there is no attention-DP");
}

static void pp(void)
{
	static const int64_t want[][4] = {{0, 15, 30, 45}, {0, 15, 30, 46}};
	int good = 1;
	for (uint32_t s = 0; s < 4; s++) {
		good &= parallel_stage(60, 4, s).from == want[0][s];
		good &= parallel_stage(61, 4, s).from == want[1][s];
	}
	ok(good && parallel_stage(61, 4, 3).to == 61,
	   "a layer more stands in the last stage but one");
	ok(parallel_stage(7, 4, 0).to == 2 - 0 &&
	       parallel_stage(7, 4, 3).to == 7 &&
	       parallel_stage(7, 4, 3).from == 6,
	   "three more");
	refused(DENSE "[engine]\npipeline_parallel_size=6\n",
		"pipeline_parallel_size = 6: allowed: 1 to 5, the layers");
}

static void shares(void)
{
	struct engine_share s[ENGINE_STAGES];
	sc_parallel split;
	check(DENSE);
	split = parallel_of(&keys, &m);
	parallel_shares(s, &split, &m, 16);
	near(s[0].weight_bytes, m.weight_bytes, 0, "one GPU holds all");
	near(s[0].kv_bytes_per_token, 5 * 2 * 8 * 4 * 2, 0, "and all KV");
	check(DENSE "[engine]\npipeline_parallel_size=2\n"
		    "tensor_parallel_size=24\n");
	split = parallel_of(&keys, &m);
	parallel_shares(s, &split, &m, 16);
	/* q and o, FFN; k and v of one head; two norms */
	double layer =
	    2 * (2 * 48 * 96 / 24. + 3 * 48 * 64 / 24. + 2 * 48 * 4 + 96);
	near(s[0].weight_bytes, 3 * layer + 2 * 48 * 96 / 24., 1e-12,
	     "three layers and the embedding");
	near(s[1].weight_bytes, 2 * layer + 2 * 48 * 96 / 24. + 2 * 48, 1e-12,
	     "two layers, the last norm and the head");
	near(s[1].kv_bytes_per_token, 2 * 2 * 4 * 2, 0,
	     "KV of one head in two layers");
}

/* What the KV-cache groups of a preset are made of. */
static void kv_layers(void)
{
	struct kv_layers l[KV_KINDS];
	check(DENSE "layer_types=full_attention,sliding_attention*4\n"
		    "sliding_window=10\nv_head_dim=8\n");
	uint32_t n = parallel_kv_layers(l, 0, &m, 2, 0, 16);
	ok(n == 2 && l[0].n == 1 && l[0].window == 0 && l[1].n == 4 &&
	       l[1].window == 10,
	   "layers of a window, and of none: %s", p.text);
	near(l[0].token_bytes, 4 * (4 + 8) * 2, 0,
	     "values of another size than keys, half of the heads");
	check(DENSE "kv_lora_rank=512\nqk_nope_head_dim=4\n"
		    "qk_rope_head_dim=64\nv_head_dim=4\nindex_topk=8\n"
		    "index_n_heads=2\nindex_head_dim=128\n");
	n = parallel_kv_layers(l, 0, &m, 1, 0, 16);
	ok(n == 1 && l[0].n == 5 && l[0].token_bytes == 2 * 576 + 132,
	   "sparse MLA keeps what its indexer reads, too: %s", p.text);
	check(DENSE "layer_types=full_attention*4,linear_attention\n"
		    "linear_attention=mamba2\nlinear_num_value_heads=4\n"
		    "linear_value_head_dim=8\nlinear_key_head_dim=8\n"
		    "linear_num_key_heads=4\nlinear_conv_kernel_dim=4\n");
	n = parallel_kv_layers(l, 0, &m, 1, 0, 16);
	ok(n == 2 && l[0].n == 4 && l[1].n == 1 && l[1].token_bytes == 0,
	   "a state beside KV: %s", p.text);
	/* 3 tokens of 32 + 2 * 32 channels, and 4 heads of 8 x 8 in bf16 */
	near(l[1].state_bytes, 2 * (3 * 96 + 256), 0, "convolution and state");
	parallel_kv_layers(l, 0, &m, 1, 2, 16);
	near(l[1].state_bytes, 2 * (5 * 96 + 256), 0, "and drafts");
	check(DENSE "layer_types=linear_attention\n"
		    "linear_attention=mamba2\nlinear_num_value_heads=4\n"
		    "linear_value_head_dim=8\nlinear_key_head_dim=8\n"
		    "linear_num_key_heads=4\nlinear_conv_kernel_dim=4\n");
	n = parallel_kv_layers(l, 0, &m, 1, 0, 16);
	ok(n == 1 && l[0].n == 5 && l[0].state_bytes > 0, "states alone: %s",
	   p.text);
}

int main(void)
{
	kv_layers();
	tp();
	ep();
	pp();
	shares();
	model_free(&m);
	ini_free(&c);
	return done();
}
