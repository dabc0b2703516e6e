/* operators: linear and sparse attention, on small tables made for it: which
 * rows answer, what a step adds up, and which layers are refused. */
#include "tap.h"
#include "bare.h"
#include "operators_made.h"

/* ---- layers ---- */

static const sc_layers delta = {LAYERS,
				.attention = SC_ATTN_LINEAR,
				.linear_kind = SC_LINEAR_GDN,
				.linear_k_heads = 2,
				.linear_k_dim = 128,
				.linear_v_heads = 8,
				.linear_v_dim = 128,
				.linear_conv = 4,
				.state_bits = 32};
static const sc_layers mamba = {LAYERS,
				.attention = SC_ATTN_LINEAR,
				.linear_kind = SC_LINEAR_MAMBA2,
				.linear_k_heads = 8,
				.linear_k_dim = 128,
				.linear_v_heads = 64,
				.linear_v_dim = 64,
				.linear_conv = 4,
				.linear_chunk = 128,
				.state_bits = 32};
static const sc_layers chosen = {LAYERS,
				 .attention = SC_ATTN_MLA,
				 .n_heads = 16,
				 .n_kv_heads = 16,
				 .q_lora_rank = 2048,
				 .kv_lora_rank = 512,
				 .qk_nope_dim = 192,
				 .qk_rope_dim = 64,
				 .v_dim = 256,
				 .flags = SC_LAYER_SPARSE | SC_LAYER_INDEXER,
				 .index_heads = 32,
				 .index_dim = 128,
				 .index_topk = 2048};

/* ---- tables ---- */

#define GDN                                                                    \
	"op,kernel,k_heads,k_dim,v_heads,v_dim,conv,batch,seq_len,latency_"    \
	"us\n"
#define DSA "model,indexer,gemm_dtype,kv_dtype,kernel,heads,batch,"

static void add_delta(void)
{
	add("gpu.vllm-0.24", "gdn",
	    GDN "conv_decode,a,2,128,8,128,4,1,1,2\n"
		"conv_decode,a,2,128,8,128,4,16,1,3\n"
		"step_decode,a,2,128,8,128,4,1,1,4\n"
		"step_decode,b,2,128,8,128,4,1,1,5\n"
		"step_decode,a,2,128,8,128,4,16,1,8\n"
		"conv_prefill,a,2,128,8,128,4,1,512,20\n"
		"scan_prefill,a,2,128,8,128,4,1,512,70\n"
		"scan_prefill,a,2,128,8,128,4,2,512,90\n");
}

static const sc_kernel one_step = {.size = sizeof one_step,
				   .op = SC_OP_LINEAR,
				   .kind = "step_decode",
				   .linear_kind = SC_LINEAR_GDN,
				   .k_heads = 2,
				   .k_dim = 128,
				   .v_heads = 8,
				   .v_dim = 128,
				   .conv = 4,
				   .batch = 1};

static sc_kernel of_kind(const char *kind, uint64_t batch, uint64_t tokens)
{
	sc_kernel k = one_step;
	k.kind = kind;
	k.batch = batch;
	k.new_tokens = tokens;
	return k;
}

/* ---- kernels of linear layers ---- */

static void check_linear(void)
{
	n_views = 0;
	void *bare = instance(&dense, NULL);
	add_delta();
	void *inst = instance(&dense, NULL);
	sc_kernel k = one_step, low = k, high = of_kind("step_decode", 16, 1);
	answers(inst, &k, 4, SC_EXACT, "of two kernels the faster");
	used(inst, &k, "gpu.vllm-0.24 step_decode", "it names its rows");
	k.batch = 4;
	double between =
	    (log(4 / us(bare, &low)) + log(8 / us(bare, &high))) / 2;
	answers(inst, &k, us(bare, &k) * exp(between), SC_INTERPOLATED,
		"half way in log batch");
	k.batch = 64;
	answers(inst, &k, us(bare, &k) * 8 / us(bare, &high), SC_CLAMPED,
		"the law goes on");
	k = of_kind("step_verify", 1, 2);
	answers(inst, &k, us(bare, &k), SC_FALLBACK, "no rows: the law alone");
	used(inst, &k, "law", "and says so");
	k = of_kind("walk", 1, 1);
	ok(isnan(us(inst, &k)), "no such kernel: %s", err.text);
	p->destroy(inst);
	inst = instance(&dense, (const char *[]){"engine", "sglang", NULL});
	answers(inst, &one_step, 4, SC_SUBSTITUTED, "another engine's");
	p->destroy(inst);
	p->destroy(bare);
}

/* One op, several kernels with a grid each. */
static void check_rivals(void)
{
	n_views = 0;
	add("gpu.vllm-0.24", "kda",
	    "op,kernel,heads,head_dim,conv,batch,seq_len,latency_us\n"
	    "step_decode,a,8,128,4,1,1,6\nstep_decode,a,8,128,4,16,1,12\n"
	    "step_decode,b,8,128,4,1,1,5\nstep_decode,b,8,128,4,16,1,18\n");
	void *inst = instance(&dense, NULL);
	sc_kernel k = one_step;
	k.linear_kind = SC_LINEAR_KDA;
	k.k_heads = 8;
	answers(inst, &k, 5, SC_EXACT, "the faster kernel of one sequence");
	k.batch = 16;
	answers(inst, &k, 12, SC_EXACT, "the faster of sixteen");
	used(inst, &k, "gpu.vllm-0.24 step_decode;a", "and its name");
	p->destroy(inst);
	k.linear_kind = SC_LINEAR_MAMBA2;
	k.k_dim = 128;
	k.v_heads = 64;
	k.v_dim = 64;
	k.chunk = 128;
	k.kv_format = SC_FP32;
	inst = instance(&dense, NULL);
	answers(inst, &k, 2 + 2 * 4 * 16 * 64. * 64 * 128 / (.78 * 3e6),
		SC_FALLBACK, "Mamba-2's step, which no table has");
	p->destroy(inst);
}

/* ---- modules of sparse attention ---- */

static const sc_kernel one_module = {.size = sizeof one_module,
				     .op = SC_OP_SPARSE_DECODE,
				     .model = "glm_5",
				     .gemm_dtype = "bf16",
				     .heads = 16,
				     .batch = 1,
				     .context = 4096,
				     .indexer = 1};

static void check_modules(void)
{
	n_views = 0;
	void *bare = instance(&dense, NULL);
	add("gpu.vllm-0.24", "dsa_module_decode",
	    DSA "kv_len,latency_us\n"
		"glm_5,1,bf16,bf16,a,16,1,4096,200\n"
		"glm_5,0,bf16,bf16,a,16,1,4096,100\n");
	void *inst = instance(&dense, NULL);
	sc_kernel k = one_module, measured = k;
	answers(inst, &k, 200, SC_EXACT, "a module");
	used(inst, &k, "gpu.vllm-0.24 glm_5;1;bf16;bf16", "its key");
	k.indexer = 0;
	answers(inst, &k, 100, SC_EXACT, "without an indexer");
	k.indexer = 1;
	k.gemm_dtype = "fp8_block";
	answers(inst, &k, us(bare, &k) * 200 / us(bare, &measured),
		SC_SUBSTITUTED, "another format: its residual");
	k.model = "deepseek_v32";
	answers(inst, &k, us(bare, &k) * 200 / us(bare, &measured),
		SC_SUBSTITUTED, "another model: its own sizes in the law");
	k.model = "minimax_m3";
	answers(inst, &k, us(bare, &k), SC_FALLBACK, "another kind has none");
	k.model = "gpt";
	ok(isnan(us(inst, &k)), "no such model: %s", err.text);
	p->destroy(inst);
	p->destroy(bare);
}

static void check_streams(void)
{
	n_views = 0;
	add("gpu.vllm-0.24", "mhc",
	    "op,kernel,hidden,mult,tokens,latency_us\n"
	    "pre,a,4096,4,1,7\npre,b,4096,4,1,6\npre,a,4096,4,64,24\n");
	void *inst = instance(&dense, NULL);
	sc_kernel k = *K(.op = SC_OP_MHC, .kind = "pre", .tokens = 1,
			 .hidden = 4096, .streams = 4);
	answers(inst, &k, 6, SC_EXACT, "hyper-connections, the faster kernel");
	k.tokens = 8;
	answers(inst, &k, 12, SC_INTERPOLATED, "log-log in tokens");
	k.kind = "post";
	ok(isnan(us(inst, &k)), "no rows: %s", err.text);
	p->destroy(inst);
}

/* ---- steps ---- */

static double parts[2 * 32];
static sc_result price(void *inst, uint32_t decodes, uint32_t each,
		       uint32_t prompts, uint32_t tokens)
{
	uint32_t kv[64], told[64], fresh[8], before[8] = {0};
	for (uint32_t i = 0; i < decodes; i++) {
		kv[i] = 4096;
		told[i] = each;
	}
	for (uint32_t i = 0; i < prompts; i++)
		fresh[i] = tokens;
	sc_step step = {.size = sizeof step,
			.n_prefill = prompts,
			.n_decode = decodes,
			.n_sampled = decodes + prompts,
			.prefill_new = fresh,
			.prefill_ctx = before,
			.decode_ctx = kv,
			.decode_new = each > 1 ? told : NULL};
	sc_result r = bare_result();
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		parts[i] = (double)NAN;
	r.part_us = parts;
	if (p->eval(inst, &step, &r, &err) != SC_OK)
		printf("# %s\n", err.text);
	return r;
}

/* Of a part in a phase. */
static double part(const char *name, int phase)
{
	for (uint32_t i = 0; i < p->n_parts; i++)
		if (!strcmp(p->part[i]->name, name))
			return parts[(uint32_t)phase * p->n_parts + i];
	bail_out("no such part");
}

static void check_delta_steps(void)
{
	n_views = 0;
	add_delta();
	void *inst = instance(&delta, NULL);
	sc_result r = price(inst, 16, 1, 0, 0);
	near(part("linear", SC_DECODE), 3 + 8, 1e-12, "convolution and step");
	near(r.attention_us[SC_DECODE], 11, 1e-12, "they are attention");
	ok(r.lookups[SC_EXACT] == 2, "two exact lookups");
	price(inst, 8, 2, 0, 0);
	near(part("linear", SC_DECODE), 3 + 8, 1e-12,
	     "two tokens of eight sequences are sixteen");
	price(inst, 1, 1, 2, 512);
	sc_kernel conv = of_kind("conv_prefill", 2, 512);
	near(part("linear", SC_DECODE), 2 + 4, 1e-12, "decodes beside prompts");
	near(part("linear", SC_PREFILL), us(inst, &conv) + 90, 1e-12,
	     "both prompts are one call");
	p->destroy(inst);
	inst = instance(&mamba, NULL);
	r = price(inst, 16, 1, 0, 0);
	ok(r.lookups[SC_FALLBACK] >= 1, "Mamba-2's step is a fallback");
	p->destroy(inst);
}

static void check_module_steps(void)
{
	n_views = 0;
	model.hidden = 6144;
	add("gpu.sglang-0.5", "dsa_module_prefill",
	    DSA "seq_len,prefix,latency_us\n"
		"glm_5,1,bf16,bf16,a,16,1,512,0,300\n");
	add("gpu.vllm-0.24", "dsa_module_prefill",
	    DSA "seq_len,prefix,latency_us\n"
		"glm_5,1,bf16,bf16,a,16,1,512,0,1500\n");
	add("gpu.vllm-0.24", "dsa_module_decode",
	    DSA "kv_len,latency_us\nglm_5,1,bf16,bf16,a,16,4,4096,200\n");
	void *inst = instance(&chosen, NULL);
	price(inst, 4, 1, 1, 512);
	near(part("sparse", SC_DECODE), 200, 1e-12, "decodes are one query");
	near(part("sparse", SC_PREFILL), 300, 1e-12,
	     "of two engines the one without host time");
	ok(isnan(part("attention_gemm", 0)), "the module has its projections");
	p->destroy(inst);
	const char *const sglang[] = {"engine", "sglang", NULL};
	inst = instance(&chosen, sglang);
	price(inst, 0, 1, 1, 512);
	near(part("sparse", SC_PREFILL), 300, 1e-12, "SGLang's own");
	p->destroy(inst);
	model.hidden = 2048;
}

/* A gate makes the projection of queries twice as wide. */
static void check_gate(void)
{
	n_views = 0;
	sc_layers gated = dense;
	gated.flags = SC_LAYER_OUTPUT_GATE;
	void *plain = instance(&dense, NULL), *inst = instance(&gated, NULL);
	sc_kernel narrow = *K(.op = SC_OP_GEMM, .dtype = "bf16", .m = 1,
			      .n = 24 * 128, .k = 2048),
		  wide = narrow;
	wide.n = 40 * 128;
	price(plain, 1, 1, 0, 0);
	double before = part("attention_gemm", SC_DECODE);
	double small = part("small_kernels", 0);
	price(inst, 1, 1, 0, 0);
	near(part("attention_gemm", SC_DECODE) - before,
	     us(inst, &wide) - us(inst, &narrow), 1e-6, "queries and gate");
	near(part("small_kernels", 0) - small, 2 + 8 * 16 * 128 / (.8 * 3e6),
	     1e-9, "one small kernel more");
	p->destroy(plain);
	p->destroy(inst);
}

/* ---- refusals ---- */

static void refuses(const sc_layers *layers, const char *word)
{
	void *inst = instance(layers, NULL);
	ok(!inst && strstr(err.text, word), "refused: %s", err.text);
	if (inst)
		p->destroy(inst);
}

static void check_refusals(void)
{
	sc_layers g = delta;
	n_views = 0;
	g.linear_kind = SC_LINEAR_MAMBA1;
	refuses(&g, "Mamba-1");
	g.linear_kind = SC_LINEAR_LIGHTNING;
	refuses(&g, "lightning attention");
	g.linear_kind = SC_LINEAR_SHORT_CONV;
	refuses(&g, "short convolutions");
	g = mamba;
	g.linear_chunk = 0;
	refuses(&g, "chunk");
	g = delta;
	g.state_bits = 4;
	refuses(&g, "less than 16 bits");
	g = delta;
	g.linear_k_heads = 0;
	refuses(&g, "no state");
	g = dense;
	g.linear_kind = SC_LINEAR_MAMBA2;
	refuses(&g, "attention and a state space at once");
	g = dense;
	g.flags = SC_LAYER_SPARSE;
	g.o_lora_rank = 1024;
	g.compress_ratio = 4;
	refuses(&g, "compressed attention: they need tables");
	add_delta();
	refuses(&g, "compressed attention: no table of this GPU");
	n_views = 0;
	g = dense;
	g.flags = SC_LAYER_SPARSE;
	g.index_topk = 2048;
	refuses(&g, "chosen or compressed");
	g = chosen;
	g.index_topk = 0;
	refuses(&g, "chosen or compressed");
}

int main(void)
{
	p = bare_load("operators");
	check_linear();
	check_rivals();
	check_modules();
	check_streams();
	check_delta_steps();
	check_module_steps();
	check_gate();
	check_refusals();
	return done();
}
