/* operators: steps against sums of its own kernels, as the formulas of
 * operators.md say. */
#include "stepcost/kernel/kernel_law.h"
#include "tap.h"
#include "bare.h"
#include "operators_made.h"

/* ---- steps ---- */

static double parts[2 * 32];
static sc_result price(void *inst, uint32_t decodes, uint32_t context,
		       uint32_t prompts, uint32_t tokens, uint32_t cached)
{
	uint32_t kv[256], fresh[256], before[256];
	for (uint32_t i = 0; i < decodes; i++)
		kv[i] = context;
	for (uint32_t i = 0; i < prompts; i++) {
		fresh[i] = tokens;
		before[i] = cached;
	}
	sc_step step = {.size = sizeof step,
			.n_prefill = prompts,
			.n_decode = decodes,
			.n_sampled = decodes + prompts,
			.prefill_new = fresh,
			.prefill_ctx = before,
			.decode_ctx = kv};
	sc_result r = bare_result();
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		parts[i] = (double)NAN;
	r.part_us = parts;
	if (p->eval(inst, &step, &r, &err) != SC_OK)
		printf("# %s\n", err.text);
	return r;
}

/* Of a part, both phases. */
static double part(const char *name)
{
	for (uint32_t i = 0; i < p->n_parts; i++)
		if (!strcmp(p->part[i]->name, name))
			return fmax(0, parts[i]) +
			       fmax(0, parts[p->n_parts + i]);
	bail_out("no such part");
}

static double value(double x)
{
	return isnan(x) ? 0 : x;
}

static void check_sums(const sc_result *r, const char *what)
{
	double kind[4] = {0};
	double own[4] = {value(r->gemm_us[0]) + value(r->gemm_us[1]),
			 value(r->attention_us[0]) + value(r->attention_us[1]),
			 value(r->comm_us), value(r->overhead_us)};
	double lookups = 0;
	for (uint32_t i = 0; i < p->n_parts; i++)
		kind[p->part[i]->kind] += part(p->part[i]->name);
	near(own[0] + own[1] + own[2] + own[3], r->exact_us, 1e-9,
	     "%s: kinds make the whole", what);
	for (int i = 0; i < 4; i++)
		near(kind[i], own[i], 1e-9, "%s: parts make kind %d", what, i);
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		lookups += r->lookup_us[i];
	ok(lookups > 0 && lookups <= r->exact_us, "%s: time of lookups", what);
}

static sc_kernel gemm_of(uint64_t m, uint64_t n, uint64_t k)
{
	return *K(.op = SC_OP_GEMM, .dtype = "bf16", .m = m, .n = n, .k = k);
}
static double gemm_us(void *inst, uint64_t m, uint64_t n, uint64_t k)
{
	sc_kernel g = gemm_of(m, n, k);
	return us(inst, &g);
}
static double reduce_us(void *inst, uint32_t ranks, uint64_t bytes)
{
	return us(inst,
		  K(.op = SC_OP_ALL_REDUCE, .ranks = ranks, .bytes = bytes));
}

/* One dense layer at tp 2: 9 decodes are padded to 16 tokens. */
static void check_dense(void)
{
	n_views = 0;
	degrees(2, 1, 1, 1);
	void *inst = instance(&dense, NULL);
	sc_result r = price(inst, 9, 1000, 0, 0, 0);
	const double memory = 0.8 * 3e6;
	near(part("attention_gemm"),
	     gemm_us(inst, 16, (8 + 2 * 2) * 128, 2048) +
		 gemm_us(inst, 16, 2048, 8 * 128),
	     1e-9, "projections");
	near(part("ffn"),
	     gemm_us(inst, 16, 8192, 2048) + gemm_us(inst, 16, 2048, 4096),
	     1e-9, "dense FFN");
	near(part("attention"),
	     us(inst, K(.op = SC_OP_DECODE, .heads = 8, .kv_heads = 2,
			.head_dim = 128, .batch = 9, .context = 1000)),
	     1e-9, "attention at the mean context");
	near(part("all_reduce"), 2 * reduce_us(inst, 2, 2 * 16 * 2048), 1e-9,
	     "two all-reduces");
	near(part("logits"), 0.5 * reduce_us(inst, 2, 2 * 9 * 16000), 1e-9,
	     "logits: half an all-reduce");
	near(part("head"), gemm_us(inst, 9, 16000, 2048), 1e-9, "head");
	near(part("sampling"), 3 * 4 * 9 * 32000. / memory + 5 * 2, 1e-9,
	     "sampling");
	near(part("small_kernels"),
	     5 * 2 +
		 (16 * 16 * 2048. + 6 * 16 * (8 + 2) * 128. + 6 * 16 * 4096.) /
		     memory,
	     1e-9, "small kernels");
	near(part("host"), 12 + 5.2 * 9, 1e-9, "host");
	check_sums(&r, "dense");
	ok(isnan(r.host_us), "an asynchronous host hides nothing more");
	p->destroy(inst);
	inst = instance(&dense, (const char *[]){"host", "sync", NULL});
	r = price(inst, 9, 1000, 0, 0, 0);
	near(r.host_us, 1580 + 49 * 9, 1e-9, "a synchronous host");
	p->destroy(inst);
}

/* One row that all sides are clamped to: what a layer of INT8 weights is
 * multiplied as. */
static void multiplies_as(const char *rows, uint32_t activation_bits,
			  const char *dtype)
{
	char csv[512];
	sc_layers layers = dense;
	layers.attn_format = layers.ffn_format = SC_INT8;
	layers.attn_bits = layers.ffn_bits = 8;
	layers.activation_bits = activation_bits;
	n_views = 0;
	snprintf(csv, sizeof csv, "dtype,m,n,k,latency_us\n%s", rows);
	add("gpu.vllm-0.24", "gemm_more", csv);
	void *inst = instance(&layers, NULL);
	sc_kernel up = gemm_of(16, 16384, 2048), down = gemm_of(16, 2048, 8192);
	up.dtype = down.dtype = dtype;
	price(inst, 16, 1000, 0, 0, 0);
	near(part("ffn"), us(inst, &up) + us(inst, &down), 1e-9,
	     "INT8 with %u-bit activations as %s", activation_bits, dtype);
	p->destroy(inst);
}
static void check_int8(void)
{
	static const char all[] = "int8,16,1024,1024,4\nw8a16,16,1024,1024,9\n"
				  "fp8,16,1024,1024,30\n";
	degrees(1, 1, 1, 1);
	multiplies_as(all, 0, "int8");
	multiplies_as(all, 8, "int8");
	multiplies_as(all, 16, "w8a16");
	multiplies_as("fp8,16,1024,1024,30\nbf16,16,1024,1024,90\n", 8, "fp8");
}

/* The engine of the host code; a preset of another engine says no version. */
static void check_host(void)
{
	n_views = 0;
	degrees(1, 1, 1, 1);
	const struct {
		const char *preset, *knob;
		double us;
	} host[] = {
	    {"vllm-0.12", "auto", 1580 + 49}, {"vllm-0.15", "auto", 12 + 5.2},
	    {"sglang-0.5", "auto", 510 + 22}, {"trtllm-1.0", "auto", 510 + 22},
	    {"trtllm-1.2", "auto", 12 + 5.2}, {"vllm-0.12", "trtllm", 12 + 5.2},
	    {NULL, "sglang", 510 + 22}};
	for (size_t i = 0; i < sizeof host / sizeof *host; i++) {
		engine.preset = host[i].preset;
		void *inst = instance(
		    &dense, (const char *[]){"engine", host[i].knob, NULL});
		price(inst, 1, 1000, 0, 0, 0);
		near(part("host"), host[i].us, 1e-9, "host of %s, knob %s",
		     host[i].preset ? host[i].preset : "no preset",
		     host[i].knob);
		p->destroy(inst);
	}
	engine.preset = NULL;
}

/* A chunk of 300 after 700: its share of a prompt of 1,000; 310 tokens are
 * rounded to 320. */
static void check_mixed(void)
{
	n_views = 0;
	degrees(1, 1, 1, 1);
	void *inst =
	    instance(&dense, (const char *[]){"mixed_decode", "1.5", NULL});
	sc_result r = price(inst, 10, 1000, 1, 300, 700);
	double decode =
	    us(inst, K(.op = SC_OP_DECODE, .heads = 16, .kv_heads = 4,
		       .head_dim = 128, .batch = 10, .context = 1000));
	double prompt =
	    us(inst, K(.op = SC_OP_PREFILL, .heads = 16, .kv_heads = 4,
		       .head_dim = 128, .batch = 1, .new_tokens = 1000));
	near(r.attention_us[SC_DECODE], 1.5 * decode, 1e-9,
	     "decode beside a prompt");
	near(r.attention_us[SC_PREFILL], prompt * (1 - .7 * .7), 1e-9,
	     "a chunk's share");
	near(part("ffn"),
	     gemm_us(inst, 320, 16384, 2048) + gemm_us(inst, 320, 2048, 8192),
	     1e-9, "one launch of rounded tokens");
	near(r.gemm_us[SC_PREFILL] / r.gemm_us[SC_DECODE], 30, 1e-9,
	     "phases by their tokens");
	check_sums(&r, "mixed");
	p->destroy(inst);
	inst = instance(&chunked, NULL);
	r = price(inst, 4, 3000, 1, 2048, 0);
	near(r.attention_us[SC_DECODE],
	     us(inst, K(.op = SC_OP_DECODE, .heads = 16, .kv_heads = 4,
			.head_dim = 128, .batch = 4, .context = 512)),
	     1e-9, "a chunk's mean context is half of it");
	near(r.attention_us[SC_PREFILL],
	     us(inst, K(.op = SC_OP_PREFILL, .heads = 16, .kv_heads = 4,
			.head_dim = 128, .batch = 2, .new_tokens = 1024)),
	     1e-9, "a prompt is chunks side by side");
	p->destroy(inst);
}

/* tp 2, dp 2, ep 4: 10 decodes are 5 a rank, prompts of 1,000 one each. */
static void check_groups(void)
{
	n_views = 0;
	degrees(2, 4, 2, 1);
	add("gpu.nccl-2", "collective",
	    "op,ranks,message_bytes,dtype,latency_us\n"
	    "all_gather,4,1024,fp16,10\nall_gather,4,8388608,fp16,100\n"
	    "reduce_scatter,4,1024,fp16,11\n"
	    "reduce_scatter,4,8388608,fp16,110\n");
	sc_kernel experts =
	    *K(.op = SC_OP_MOE, .dtype = "bf16", .hidden = 2048, .inter = 512,
	       .experts = 64, .topk = 4, .tp = 1, .ep = 4, .tokens = 10);
	void *inst = instance(&mixture, NULL);
	sc_result r = price(inst, 10, 1000, 0, 0, 0);
	near(part("moe"), us(inst, &experts), 1e-9,
	     "experts see the tokens of the group");
	near(part("shared_experts"),
	     gemm_us(inst, 5, 1024, 2048) + gemm_us(inst, 5, 2048, 512), 1e-9,
	     "shared experts are whole");
	near(part("router"), gemm_us(inst, 5, 64, 2048), 1e-9, "router");
	near(part("all_reduce"), reduce_us(inst, 2, 2 * 5 * 2048), 1e-9,
	     "one all-reduce, after attention");
	double gather = 0;
	const char *const kind[] = {"all_gather", "reduce_scatter"};
	for (int i = 0; i < 2; i++)
		gather += us(inst, K(.op = SC_OP_COLLECTIVE, .kind = kind[i],
				     .ranks = 4, .bytes = 2 * 10 * 2048));
	near(part("gather"), 2.5 * gather, 1e-9, "gather and scatter");
	near(part("host"), 12 + 5.2 * 5, 1e-9, "the host of one rank");
	check_sums(&r, "group");
	r = price(inst, 10, 1000, 3, 1000, 0);
	experts.tokens = 64 * 47; /* 3,010 */
	near(part("moe"), us(inst, &experts), 1e-9, "prompts of all ranks");
	near(part("router"), gemm_us(inst, 1984, 64, 2048), 1e-9,
	     "the busiest rank has two of three prompts");
	p->destroy(inst);
	gpu.link_bandwidth = 32e9;
	inst = instance(&mixture, NULL);
	price(inst, 10, 1000, 0, 0, 0);
	double slower = 0;
	for (int i = 0; i < 2; i++)
		slower += us(inst, K(.op = SC_OP_COLLECTIVE, .kind = kind[i],
				     .ranks = 4, .bytes = 2 * 10 * 2048));
	near(part("gather"), slower, 1e-9, "over PCIe the factor is 1");
	/* Three of four ranks' bytes cross a link, by the law of all-reduces.
	 */
	const struct sc_law_kind *law = sc_law_kind_of(SC_OP_ALL_REDUCE);
	double t0 = law->constant[0].start + 2 * law->constant[1].start;
	double bytes = 1e6 * 0.75 * 2 * 10 * 2048 / law->constant[2].start;
	near(slower / gather, (t0 + bytes / 32e9) / (t0 + bytes / 400e9), 1e-9,
	     "and its links are slower than those of the table");
	p->destroy(inst);
	gpu.link_bandwidth = 400e9;
}

static void check_all_to_all(void)
{
	n_views = 0;
	degrees(1, 8, 8, 1);
	add("gpu.deepep-1", "all_to_all",
	    "mode,op,ranks,hidden,experts,topk,sms,tokens,latency_us\n"
	    "low_latency,dispatch,8,2048,64,4,8,1,20\n"
	    "low_latency,combine,8,2048,64,4,8,1,30\n"
	    "normal,dispatch,8,2048,64,4,8,1,200\n"
	    "normal,combine,8,2048,64,4,8,1,300\n");
	void *inst = instance(
	    &mixture, (const char *[]){"moe_exchange", "all_to_all", NULL});
	price(inst, 8, 1000, 0, 0, 0);
	near(part("all_to_all"), 50, 1e-9, "decodes: low latency");
	price(inst, 0, 0, 8, 1, 0);
	near(part("all_to_all"), 500, 1e-9, "prompts: normal");
	p->destroy(inst);
}

/* On a number of ranks: decodes alone, 50 us with 8. */
static double by_phase(uint32_t ranks, const char *node_gpus)
{
	degrees(1, ranks, ranks, 1);
	void *inst =
	    instance(&mixture, (const char *[]){"moe_exchange", "by_phase",
						"node_gpus", node_gpus, NULL});
	price(inst, ranks, 1000, 0, 0, 0);
	double exchange = part("all_to_all");
	price(inst, 0, 0, ranks, 1, 0);
	ok(part("gather") > 0 && part("all_to_all") == 0,
	   "prompts are gathered");
	p->destroy(inst);
	return exchange;
}

static void check_by_phase(void)
{
	n_views = 0;
	add("gpu.deepep-1", "all_to_all",
	    "mode,op,ranks,hidden,experts,topk,sms,tokens,latency_us\n"
	    "low_latency,dispatch,8,2048,64,4,8,1,20\n"
	    "low_latency,combine,8,2048,64,4,8,1,30\n");
	near(by_phase(8, "8"), 50, 1e-9, "as measured with 8 ranks");
	near(by_phase(4, "8"), 37.5, 1e-9, "fewer send fewer copies");
	near(by_phase(32, "72"), 1.2 * 50, 1e-9, "more wait longer");
	near(by_phase(16, "8"), 50 + 30 + 16 * 2 * 2048 / 40e3, 1e-9,
	     "and all tokens cross a network between machines");
}

/* Tensor parallelism over two machines. */
static void check_net_reduce(void)
{
	n_views = 0;
	degrees(16, 1, 1, 1);
	void *inst = instance(&dense, NULL);
	double all = 2 * reduce_us(inst, 16, 2 * 8 * 2048);
	price(inst, 8, 1000, 0, 0, 0);
	near(part("all_reduce"), all + 2 * 2 * (15 + 2 * 8 * 2048 / 40e3), 1e-9,
	     "there and back over the network");
	p->destroy(inst);
	inst = instance(&dense, (const char *[]){"node_gpus", "16", NULL});
	price(inst, 8, 1000, 0, 0, 0);
	near(part("all_reduce"), all, 1e-9, "unless links join them");
	p->destroy(inst);
}

/* Without a table: over a network a token goes once to each other node, however
 * many of its experts are there; in mode low_latency once for each expert. */
static void check_nodes(void)
{
	n_views = 0;
	void *inst = instance(&dense, NULL);
	sc_kernel k = *K(.op = SC_OP_ALL_TO_ALL, .kind = "dispatch",
			 .mode = "normal", .ranks = 32, .hidden = 2048,
			 .experts = 64, .topk = 8, .tokens = 1 << 20);
	double once = us(inst, &k);
	k.topk = 16;
	near(us(inst, &k) / once, (1 - pow(.75, 16)) / (1 - pow(.75, 8)), 0.01,
	     "once a node");
	k.mode = "low_latency";
	double all = us(inst, &k);
	k.topk = 8;
	near(all / us(inst, &k), 2, 0.01, "or once for each expert");
	k.kind = "combine";
	near(us(inst, &k) / all, 0.97, 0.01, "dispatch in FP8, back in 16 bit");
	p->destroy(inst);
	inst = instance(&dense, (const char *[]){"node_gpus", "32", NULL});
	k.kind = "dispatch";
	k.mode = "normal";
	ok(us(inst, &k) < once / 2, "links alone between GPUs of one node");
	p->destroy(inst);
}

/* A set that has the ranks goes before a newer one; ranks that none has are
 * scaled as the formula says. */
static void check_ranks(void)
{
	n_views = 0;
	void *bare = instance(&dense, NULL);
	add("gpu.deepep-2", "all_to_all",
	    "mode,op,ranks,hidden,experts,topk,sms,tokens,latency_us\n"
	    "normal,dispatch,8,2048,64,8,8,1048576,1000\n");
	add("gpu.deepep-1", "all_to_all",
	    "mode,op,ranks,hidden,experts,topk,sms,tokens,latency_us\n"
	    "normal,dispatch,8,2048,64,8,8,1048576,1100\n"
	    "normal,dispatch,16,2048,64,8,8,1048576,3000\n");
	void *inst = instance(&dense, NULL);
	sc_kernel k = *K(.op = SC_OP_ALL_TO_ALL, .kind = "dispatch",
			 .mode = "normal", .ranks = 8, .hidden = 2048,
			 .experts = 64, .topk = 8, .tokens = 1 << 20);
	sc_kernel two = k, four = k;
	answers(inst, &k, 1000, SC_EXACT, "the newest set");
	two.ranks = 16;
	answers(inst, &two, 3000, SC_EXACT, "the one that has the ranks");
	four.ranks = 32;
	double far = us(bare, &four) / us(bare, &two);
	near(us(inst, &four) / 3000, far, 0.01, "more nodes, by formula");
	p->destroy(inst);
	p->destroy(bare);
}

/* Two stages: two micro-batches of 8, each through both. */
static void check_pipeline(void)
{
	n_views = 0;
	degrees(1, 1, 1, 2);
	void *inst = instance(&dense, NULL);
	sc_result r = price(inst, 16, 1000, 0, 0, 0);
	degrees(1, 1, 1, 1);
	void *whole = instance(&dense, NULL);
	sc_result half = price(whole, 8, 1000, 0, 0, 0);
	double send = 2 * (10 + 2 * 2048. * 8 / (.7 * 400e3));
	near(r.total_us, half.total_us + send, 1e-9, "a micro-batch's time");
	near(r.ready_us, r.total_us / 2, 1e-9, "a stage is free earlier");
	double seven_us = price(whole, 7, 1000, 0, 0, 0).total_us;
	double less = 2 * (2 * 2048. * 0.5 / (.7 * 400e3));
	near(price(inst, 15, 1000, 0, 0, 0).total_us,
	     (half.total_us + seven_us) / 2 + send - less, 1e-9,
	     "the mean of two that are not alike");
	p->destroy(whole);
	p->destroy(inst);
}

/* The core with the kernels around it: a hidden size that no module has. */
static void check_core(void)
{
	n_views = 0;
	degrees(1, 1, 1, 1);
	void *inst = instance(&latent, NULL);
	sc_result r = price(inst, 8, 1000, 0, 0, 0);
	double core = us(inst, K(.op = SC_OP_MLA_CORE, .heads = 16, .batch = 8,
				 .context = 1000));
	double around = gemm_us(inst, 8, 1536 + 576, 2048) +
			gemm_us(inst, 8, 2048, 128 * 16) +
			gemm_us(inst, 8, 192 * 16, 1536);
	double bmm =
	    gemm_us(inst, 8, 512 * 16, 128) + gemm_us(inst, 8, 128 * 16, 512);
	near(part("mla"), core + around + bmm + 4 * 2, 1e-9,
	     "core, projections, batched GEMMs, small kernels");
	near(part("small_kernels"), (2 + 1) * 2 + 16 * 8 * 2048. / (.8 * 3e6),
	     1e-9, "two small kernels beside MLA, one beside experts");
	check_sums(&r, "latent");
	p->destroy(inst);
}

int main(void)
{
	p = bare_load("operators");
	check_dense();
	check_int8();
	check_host();
	check_mixed();
	check_groups();
	check_all_to_all();
	check_by_phase();
	check_net_reduce();
	check_nodes();
	check_ranks();
	check_pipeline();
	check_core();
	return done();
}
