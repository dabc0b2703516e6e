/* operators: its laws against figures of an independent implementation; the
 * rules between points on small tables made for it; steps against sums of its
 * own kernels, as the formulas of operators.md say. */
#include "tap.h"
#include "bare.h"
#include "stepcost/table.h"

static const sc_plugin *p;
static sc_error err = {.size = sizeof err};

/* ---- tables in a line ---- */

enum { COLS = 12, ROWS = 64, TABLES = 16, NOTES = 12 };
static struct made {
	sc_table is;
	const char *name[COLS];
	const double *number[COLS];
	const char *const *word[COLS];
	double value[COLS][ROWS];
	const char *text[COLS][ROWS];
	const char *note[2 * NOTES];
	char cells[4096];
} made[TABLES];
static const sc_table *view[TABLES];
static uint32_t n_views;

static int is_number(const char *s)
{
	char *end;
	strtod(s, &end);
	return end != s && !*end;
}

static void parse(struct made *m, const char *csv)
{
	char *line, *lines, *cell, *cells;
	int row = -1;
	snprintf(m->cells, sizeof m->cells, "%s", csv);
	for (line = strtok_r(m->cells, "\n", &lines); line;
	     line = strtok_r(NULL, "\n", &lines), row++) {
		int col = 0;
		for (cell = strtok_r(line, ",", &cells); cell;
		     cell = strtok_r(NULL, ",", &cells), col++) {
			if (row < 0) {
				m->name[col] = cell;
				continue;
			}
			m->text[col][row] = cell;
			m->value[col][row] = strtod(cell, NULL);
			if (is_number(cell))
				m->number[col] = m->value[col];
			else
				m->word[col] = m->text[col];
		}
		if (row < 0)
			m->is.n_cols = (uint32_t)col;
	}
	m->is.n_rows = (uint64_t)row;
}

/* A table of a set, measured on a GPU with the rates of `gpu` below. */
static void add(const char *set, const char *op, const char *csv)
{
	static const char *const note[2 * NOTES] = {
	    "peak_tflops_bf16",     "1000", "peak_tflops_fp8",    "2000",
	    "memory_bandwidth_tbs", "3",    "link_bandwidth_gbs", "400"};
	struct made *m = &made[n_views];
	memset(m, 0, sizeof *m);
	memcpy(m->note, note, sizeof note);
	m->is = (sc_table){.size = sizeof m->is,
			   .set = set,
			   .op = op,
			   .origin = op,
			   .col_name = m->name,
			   .col = m->number,
			   .text = m->word,
			   .n_notes = 4,
			   .note = m->note};
	parse(m, csv);
	view[n_views++] = &m->is;
}

/* In the MANIFEST of the last table's set. */
static void told(const char *key, const char *value)
{
	struct made *m = &made[n_views - 1];
	m->note[2 * m->is.n_notes] = key;
	m->note[2 * m->is.n_notes++ + 1] = value;
}

/* ---- what is priced ---- */

static sc_hardware gpu = {
    .size = sizeof gpu,
    .name = "gpu",
    .peak_flops = {[SC_BF16] = 1000e12, [SC_FP8] = 2000e12},
    .mem_bandwidth = 3e12,
    .link_bandwidth = 400e9};
static sc_engine engine = {.size = sizeof engine,
			   .max_num_seqs = 256,
			   .max_num_batched_tokens = 8192,
			   .block_size = 16,
			   .graph_max_tokens = 256};
static sc_parallel parallel = {
    .size = sizeof parallel, .tp = 1, .pp = 1, .ep = 1, .dp = 1};

#define LAYERS                                                                 \
	.size = sizeof(sc_layers), .n_layers = 1, .attn_format = SC_BF16,      \
	.ffn_format = SC_BF16, .expert_format = SC_BF16, .attn_bits = 16,      \
	.ffn_bits = 16, .expert_bits = 16
#define SOFTMAX(kind, w)                                                       \
	.attention = kind, .window = w, .n_heads = 16, .n_kv_heads = 4,        \
	.head_dim = 128
#define EXPERTS                                                                \
	.ffn = SC_FFN_MOE, .ffn_dim = 512, .n_experts = 64,                    \
	.experts_per_token = 4
static const sc_layers dense = {LAYERS, SOFTMAX(SC_ATTN_FULL, 0),
				.ffn = SC_FFN_GATED, .ffn_dim = 8192};
static const sc_layers chunked = {LAYERS, SOFTMAX(SC_ATTN_CHUNK, 1024),
				  .ffn = SC_FFN_GATED, .ffn_dim = 8192};
static const sc_layers linear = {LAYERS, .attention = SC_ATTN_LINEAR,
				 .ffn = SC_FFN_GATED, .ffn_dim = 8192};
static const sc_layers mixture = {LAYERS, SOFTMAX(SC_ATTN_FULL, 0), EXPERTS,
				  .n_shared_experts = 1, .shared_ffn_dim = 512};
static const sc_layers latent = {LAYERS,
				 EXPERTS,
				 .attention = SC_ATTN_MLA,
				 .n_heads = 16,
				 .n_kv_heads = 16,
				 .q_lora_rank = 1536,
				 .kv_lora_rank = 512,
				 .qk_nope_dim = 128,
				 .qk_rope_dim = 64,
				 .v_dim = 128};
static const sc_layers *group[1];
static sc_model model = {.size = sizeof model,
			 .hidden = 2048,
			 .vocab = 32000,
			 .compute_format = SC_BF16,
			 .head_format = SC_BF16,
			 .kv_format = SC_BF16,
			 .n_groups = 1,
			 .group = group,
			 .name = "a model",
			 .head_bits = 16,
			 .kv_bits = 16};
static sc_setup setup = {.size = sizeof setup,
			 .model = &model,
			 .hardware = &gpu,
			 .parallel = &parallel,
			 .engine = &engine,
			 .table = view};

static void degrees(uint32_t tp, uint32_t ep, uint32_t dp, uint32_t pp)
{
	parallel.tp = tp;
	parallel.ep = ep;
	parallel.dp = dp;
	parallel.pp = pp;
}

/* knobs: "name", "value" … NULL.  NULL: refused, with err.text. */
static void *instance(const sc_layers *layers, const char *const *knobs)
{
	static sc_setup kept[96]; /* as long as its instance */
	static uint32_t n;
	void *inst = NULL, *block = bare_knobs(p);
	if (n == sizeof kept / sizeof *kept)
		bail_out("more instances than setups");
	kept[n] = setup;
	kept[n].n_tables = n_views;
	group[0] = layers;
	for (; knobs && *knobs; knobs += 2)
		if (bare_set(p, block, knobs[0], knobs[1]))
			bail_out("no such knob or value");
	if (p->create(&inst, &kept[n++], block, &err) != SC_OK)
		inst = NULL;
	free(block);
	return inst;
}

static sc_kernel_result kernel(void *inst, const sc_kernel *k)
{
	sc_kernel_result r = {.size = sizeof r, .latency_us = NAN};
	if (p->kernel(inst, k, &r, &err) != SC_OK)
		printf("# %s\n", err.text);
	return r;
}

static double us(void *inst, const sc_kernel *k)
{
	return kernel(inst, k).latency_us;
}

#define K(...) (&(sc_kernel){.size = sizeof(sc_kernel), __VA_ARGS__})

static void answers(void *inst, const sc_kernel *k, double want,
		    uint32_t provenance, const char *what)
{
	sc_kernel_result r = kernel(inst, k);
	near(r.latency_us, want, 1e-9, "%s", what);
	if (!ok(r.provenance == provenance, "%s: provenance", what))
		printf("# got %u want %u\n", r.provenance, provenance);
}

/* ---- laws ---- */

/* Of an independent implementation, at the rates of `gpu`. */
static const struct {
	const sc_kernel *k;
	double us;
} laws[] = {
    {K(.op = SC_OP_GEMM, .dtype = "bf16", .m = 100, .n = 4096, .k = 7168),
     25.549266916122935},
    {K(.op = SC_OP_GEMM, .dtype = "fp8_block", .m = 100, .n = 4096, .k = 7168),
     14.417757556905903},
    {K(.op = SC_OP_GEMM, .dtype = "w4a16", .m = 7, .n = 1000, .k = 2000),
     3.3994772418636483},
    {K(.op = SC_OP_MOE, .dtype = "fp8_block", .tokens = 300, .hidden = 4096,
       .inter = 1536, .experts = 128, .topk = 8, .tp = 2, .ep = 4),
     125.13017862823185},
    {K(.op = SC_OP_MOE, .dtype = "w4a16_mxfp4", .tokens = 300, .hidden = 2688,
       .inter = 1856, .experts = 128, .topk = 6, .tp = 1, .ep = 1),
     282.2082112707095},
    {K(.op = SC_OP_DECODE, .kv_format = SC_FP8, .heads = 16, .kv_heads = 2,
       .head_dim = 64, .window = 128, .batch = 16, .context = 3000),
     10.277617777777778},
    {K(.op = SC_OP_DECODE, .heads = 32, .kv_heads = 8, .head_dim = 128,
       .batch = 16, .context = 3000),
     84.15277037037038},
    {K(.op = SC_OP_PREFILL, .heads = 16, .kv_heads = 2, .head_dim = 64,
       .window = 128, .batch = 1, .new_tokens = 3000),
     22.320114201114826},
    {K(.op = SC_OP_PREFILL, .heads = 32, .kv_heads = 8, .head_dim = 128,
       .batch = 4, .new_tokens = 3000),
     566.4394648829432},
    {K(.op = SC_OP_MLA_CORE, .kv_format = SC_FP8, .heads = 16, .batch = 32,
       .context = 5000),
     44.710637969663935},
    {K(.op = SC_OP_MLA_CORE, .heads = 16, .batch = 1, .new_tokens = 3000),
     108.29030100334448},
    {K(.op = SC_OP_MLA_DECODE, .gemm_dtype = "fp8_block", .kv_format = SC_FP8,
       .heads = 16, .batch = 32, .context = 5000),
     78.29124596359074},
    {K(.op = SC_OP_MLA_PREFILL, .gemm_dtype = "bf16", .heads = 16, .batch = 1,
       .new_tokens = 3000),
     458.9041889296623},
};

/* No table at all: the constants that a fit starts from. */
static void check_laws(void)
{
	n_views = 0;
	void *inst = instance(&dense, NULL);
	for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
		char what[32];
		snprintf(what, sizeof what, "law %zu of op %u", i,
			 laws[i].k->op);
		answers(inst, laws[i].k, laws[i].us, SC_FALLBACK, what);
	}
	p->destroy(inst);
}

/* Fitted constants are all there, or none counts. */
static void check_constants(void)
{
	sc_kernel k =
	    *K(.op = SC_OP_GEMM, .dtype = "bf16", .m = 1, .n = 1024, .k = 1024);
	sc_kernel twice = k;
	twice.n = 2048;
	n_views = 0;
	add("gpu.vllm-0.24", "gemm",
	    "dtype,m,n,k,latency_us\nbf16,1,1024,1024,50\n");
	told("operators.gemm.bf16.t0_us", "0");
	told("operators.gemm.bf16.e_c", ".5");
	told("operators.gemm.bf16.e_b", ".5");
	void *inst = instance(&dense, NULL);
	ok(us(inst, &twice) < 75, "a constant is missing");
	p->destroy(inst);
	told("operators.gemm.bf16.p", "2");
	inst = instance(&dense, NULL);
	answers(inst, &k, 50, SC_EXACT, "a measured point under any law");
	double compute = 2 * 1024. * 1024 / (1000e6 * .5);
	double bytes = 2 * (1024. * 1024 + 1024 + 1024) / (3e6 * .5);
	double bytes2 = 2 * (2048. * 1024 + 1024 + 2048) / (3e6 * .5);
	answers(inst, &twice,
		50 * hypot(2 * compute, bytes2) / hypot(compute, bytes),
		SC_CLAMPED, "the MANIFEST's law carries what is outside");
	p->destroy(inst);
}

/* ---- between points ---- */

static void check_gemm(void)
{
	n_views = 0;
	void *bare = instance(&dense, NULL);
	/* At n = 2048, k = 1024 only m = 1 was measured. */
	add("gpu.vllm-0.24", "gemm",
	    "dtype,m,n,k,latency_us\n"
	    "bf16,1,1024,1024,5\nbf16,8,1024,1024,9\nbf16,64,1024,1024,7\n"
	    "bf16,1,2048,1024,6\n");
	void *inst = instance(&dense, NULL);
	sc_kernel k =
	    *K(.op = SC_OP_GEMM, .dtype = "bf16", .m = 1, .n = 1024, .k = 1024);
	answers(inst, &k, 5, SC_EXACT, "a measured GEMM");
	k.m = 8;
	answers(inst, &k, 7, SC_INTERPOLATED, "no longer than of more tokens");
	/* Half way in log n at m = 1; at m = 64 one corner is missing. */
	k.m = 1;
	k.n = 1448;
	double t = log(1448. / 1024) / log(2);
	double law = us(bare, &k);
	sc_kernel low = k, high = k;
	low.n = 1024;
	high.n = 2048;
	answers(inst, &k,
		law * exp((1 - t) * log(5 / us(bare, &low)) +
			  t * log(6 / us(bare, &high))),
		SC_INTERPOLATED, "between two n");
	k.m = low.m = 64;
	law = us(bare, &k);
	answers(inst, &k, law * 7 / us(bare, &low), SC_INTERPOLATED,
		"a corner that is missing drops out");
	k.n = 512;
	answers(inst, &k, us(bare, &k) * 7 / us(bare, &low), SC_CLAMPED,
		"outside the law goes on");
	p->destroy(inst);
	p->destroy(bare);
}

/* A format, an engine that has no rows. */
static void check_substitutes(void)
{
	n_views = 0;
	void *bare = instance(&dense, NULL);
	add("gpu.vllm-0.24", "gemm",
	    "dtype,m,n,k,latency_us\nfp8,1,1024,1024,4\n");
	add("gpu.sglang-0.5", "gemm",
	    "dtype,m,n,k,latency_us\nbf16,1,1024,1024,50\n");
	void *inst = instance(&dense, NULL);
	sc_kernel k = *K(.op = SC_OP_GEMM, .dtype = "fp8_block", .m = 1,
			 .n = 1024, .k = 1024);
	sc_kernel low = k;
	low.dtype = "fp8";
	answers(inst, &k, us(bare, &k) * 4 / us(bare, &low), SC_SUBSTITUTED,
		"blocks without a table: the residual of fp8");
	p->destroy(inst);
	told("stands_in_for", "gpu");
	inst = instance(&dense, (const char *[]){"engine", "sglang", NULL});
	k.dtype = "bf16";
	answers(inst, &k, 50, SC_SUBSTITUTED, "a GPU like it is another");
	p->destroy(inst);
	made[n_views - 1].is.n_notes--;
	inst = instance(&dense, (const char *[]){"engine", "sglang", NULL});
	answers(inst, &k, 50, SC_EXACT, "the engine's own table");
	k.dtype = "fp8";
	answers(inst, &k, 4, SC_SUBSTITUTED, "else another engine's");
	p->destroy(inst);
	p->destroy(bare);
}

/* Words of lists and tables that name how weights are stored. */
static void check_words(void)
{
	n_views = 0;
	add("gpu.vllm-0.24", "gemm_more",
	    "dtype,m,n,k,latency_us\nw8a8_int8,1,1024,1024,4\n"
	    "w4a16,1,1024,1024,5\n");
	add("gpu.vllm-0.24", "moe",
	    "dtype,kernel,routing,tokens,hidden,inter,experts,topk,tp,ep,"
	    "latency_us\n"
	    "w4a16_mxfp4,a,power_law_1.2,16,2048,512,64,4,1,1,80\n");
	void *inst = instance(&dense, NULL);
	sc_kernel gemm = *K(.op = SC_OP_GEMM, .format = SC_INT8, .m = 1,
			    .n = 1024, .k = 1024);
	answers(inst, &gemm, 4, SC_EXACT, "INT8 by its code");
	gemm.dtype = "int8";
	answers(inst, &gemm, 4, SC_EXACT, "and by its name");
	gemm.dtype = "int4";
	answers(inst, &gemm, 5, SC_EXACT, "INT4 weights, 16-bit activations");
	gemm.dtype = "mxfp4";
	answers(inst, &gemm, 5, SC_EXACT, "so is a GEMM of MXFP4");
	sc_kernel moe =
	    *K(.op = SC_OP_MOE, .dtype = "mxfp4", .tokens = 16, .hidden = 2048,
	       .inter = 512, .experts = 64, .topk = 4, .tp = 1, .ep = 1);
	answers(inst, &moe, 80, SC_EXACT, "MXFP4 experts");
	p->destroy(inst);
}

static void check_moe(void)
{
	n_views = 0;
	void *bare = instance(&dense, NULL);
	add("gpu.vllm-0.24", "moe",
	    "dtype,kernel,routing,tokens,hidden,inter,experts,topk,tp,ep,"
	    "latency_us\n"
	    "bf16,a,power_law_1.2,16,2048,512,64,4,1,1,100\n"
	    "bf16,b,power_law_1.2,16,2048,512,64,4,1,1,80\n"
	    "bf16,a,power_law_1.2,256,2048,512,64,4,1,1,160\n"
	    "bf16,a,power_law_1.2,16,2048,512,64,4,1,4,40\n"
	    "bf16,a,power_law_1.2,256,2048,512,64,4,1,4,50\n"
	    "bf16,a,balanced,16,2048,512,64,4,1,1,70\n"
	    "bf16,situ_as_silu,balanced,16,2048,512,64,4,1,1,7\n");
	void *inst = instance(&dense, NULL);
	sc_kernel k =
	    *K(.op = SC_OP_MOE, .dtype = "bf16", .tokens = 16, .hidden = 2048,
	       .inter = 512, .experts = 64, .topk = 4, .tp = 1, .ep = 1);
	answers(inst, &k, 80, SC_EXACT, "the faster of two kernels");
	k.routing = "balanced";
	answers(inst, &k, 70, SC_EXACT, "balanced experts");
	k.routing = NULL;
	k.ep = 2;
	sc_kernel one = k, four = k;
	one.ep = 1;
	four.ep = 4;
	answers(inst, &k,
		us(bare, &k) * sqrt(80 / us(bare, &one) * 40 / us(bare, &four)),
		SC_SUBSTITUTED, "between two splits");
	k.ep = 1;
	k.tokens = 1024;
	one.tokens = 256;
	answers(inst, &k, us(bare, &k) * 160 / us(bare, &one), SC_CLAMPED,
		"more tokens than measured");
	p->destroy(inst);
	p->destroy(bare);
}

/* Another engine's FP8 experts take eight times their law: its FP8 in blocks
 * stands in.  The engine itself runs what it has. */
static void check_untuned(void)
{
	char csv[2000] = "dtype,kernel,routing,tokens,hidden,inter,experts,"
			 "topk,tp,ep,latency_us\n";
	n_views = 0;
	void *bare = instance(&dense, NULL);
	sc_kernel k =
	    *K(.op = SC_OP_MOE, .dtype = "fp8", .tokens = 16, .hidden = 2048,
	       .inter = 512, .experts = 64, .topk = 4, .tp = 1, .ep = 1);
	snprintf(csv + strlen(csv), sizeof csv - strlen(csv),
		 "fp8,a,power_law_1.2,16,2048,512,64,4,1,1,%.17g\n"
		 "fp8_block,a,power_law_1.2,16,2048,512,64,4,1,1,70\n",
		 8 * us(bare, &k));
	add("gpu.trtllm-1.3", "moe", csv);
	void *inst = instance(&dense, (const char *[]){"engine", "vllm", NULL});
	answers(inst, &k, 70, SC_SUBSTITUTED, "what was not tuned is not lent");
	p->destroy(inst);
	inst = instance(&dense, (const char *[]){"engine", "trtllm", NULL});
	answers(inst, &k, 8 * us(bare, &k), SC_EXACT, "but is its engine's");
	p->destroy(inst);
	p->destroy(bare);
}

/* Twice the experts of the same width: asked at as many rows an expert. */
static void check_family(void)
{
	n_views = 0;
	void *bare = instance(&dense, NULL);
	add("gpu.vllm-0.24", "moe",
	    "dtype,kernel,routing,tokens,hidden,inter,experts,topk,tp,ep,"
	    "latency_us\n"
	    "bf16,a,power_law_1.2,16,2048,512,64,4,1,1,80\n"
	    "bf16,a,power_law_1.2,32,2048,512,64,4,1,1,120\n");
	void *inst = instance(&dense, NULL);
	sc_kernel k =
	    *K(.op = SC_OP_MOE, .dtype = "bf16", .tokens = 64, .hidden = 2048,
	       .inter = 512, .experts = 128, .topk = 4, .tp = 1, .ep = 1);
	sc_kernel like = k;
	like.experts = 64;
	like.tokens = 32;
	answers(inst, &k, us(bare, &k) * 120 / us(bare, &like), SC_SUBSTITUTED,
		"another family");
	p->destroy(inst);
	p->destroy(bare);
}

/* One row of a strange shape in the format, many of another format. */
static void check_thin(void)
{
	char csv[2048] = "dtype,m,n,k,latency_us\nbf16,1,128,65536,400\n";
	n_views = 0;
	void *bare = instance(&dense, NULL);
	for (int i = 0; i < 12; i++)
		snprintf(csv + strlen(csv), sizeof csv - strlen(csv),
			 "fp8,%d,1024,1024,%d\n", i + 1, 4);
	add("gpu.vllm-0.24", "gemm", csv);
	void *inst = instance(&dense, NULL);
	sc_kernel k =
	    *K(.op = SC_OP_GEMM, .dtype = "bf16", .m = 1, .n = 1024, .k = 1024);
	sc_kernel fp8 = k;
	fp8.dtype = "fp8";
	answers(inst, &k, us(bare, &k) * 4 / us(bare, &fp8), SC_SUBSTITUTED,
		"a shape that few rows do not speak of");
	k.n = 128;
	k.k = 65536;
	answers(inst, &k, 400, SC_EXACT, "and the one that they do");
	p->destroy(inst);
	p->destroy(bare);
}

static void check_attention(void)
{
	n_views = 0;
	void *bare = instance(&dense, NULL);
	add("gpu.vllm-0.24", "attention_decode_more",
	    "dtype,kv_dtype,heads,kv_heads,head_dim,window,batch,kv_len,"
	    "latency_us\n"
	    "bf16,fp8,16,4,128,0,1,256,12\nbf16,fp8,16,4,128,0,1,1024,14\n"
	    "bf16,fp8,16,4,128,0,2,256,13\nbf16,fp8,16,4,128,0,2,1024,18\n"
	    "bf16,bf16,16,4,128,0,1,128,10\nbf16,bf16,16,4,128,0,1,1024,13\n"
	    "bf16,bf16,16,4,128,64,1,256,11\n"
	    "bf16,bf16,16,4,128,64,1,1024,11.5\n");
	void *inst = instance(&dense, NULL);
	sc_kernel k =
	    *K(.op = SC_OP_DECODE, .kv_format = SC_FP8, .heads = 16,
	       .kv_heads = 4, .head_dim = 128, .batch = 2, .context = 1024);
	answers(inst, &k, 18, SC_EXACT, "a measured decode");
	sc_kernel a = k, b = k;
	k.context = 512;
	a.context = 256;
	answers(inst, &k,
		us(bare, &k) * sqrt(13 / us(bare, &a) * 18 / us(bare, &b)),
		SC_INTERPOLATED, "between two lengths");
	k = *K(.op = SC_OP_DECODE, .heads = 16, .kv_heads = 4, .head_dim = 128,
	       .window = 64, .batch = 1, .context = 1024);
	answers(inst, &k, 11.5, SC_EXACT, "a window of its own");
	a = k;
	a.window = 0;
	k.window = 128;
	a.context = 128;
	answers(inst, &k, us(bare, &k) * 10 / us(bare, &a), SC_SUBSTITUTED,
		"another window: full attention of that length");
	p->destroy(inst);
	p->destroy(bare);
}

static void check_latent(void)
{
	n_views = 0;
	void *bare = instance(&dense, NULL);
	add("gpu.vllm-0.24", "mla_module_decode",
	    "gemm_dtype,kv_dtype,kernel,heads,batch,kv_len,latency_us\n"
	    "bf16,bf16,a,8,1,1024,90\nbf16,bf16,a,32,1,1024,100\n");
	add("gpu.trtllm-1.3", "mla_module_decode",
	    "gemm_dtype,kv_dtype,kernel,heads,batch,kv_len,latency_us\n"
	    "bf16,bf16,default,16,1,1024,60\n");
	void *inst = instance(&dense, NULL);
	sc_kernel k = *K(.op = SC_OP_MLA_DECODE, .gemm_dtype = "bf16",
			 .heads = 16, .batch = 1, .context = 1024);
	sc_kernel low = k, high = k;
	low.heads = 8;
	high.heads = 32;
	answers(inst, &k,
		us(bare, &k) *
		    sqrt(90 / us(bare, &low) * 100 / us(bare, &high)),
		SC_SUBSTITUTED, "between two numbers of heads, its own engine");
	p->destroy(inst);
	p->destroy(bare);
}

static void check_messages(void)
{
	n_views = 0;
	add("gpu.vllm-0.24", "all_reduce",
	    "dtype,ranks,message_bytes,latency_us\n"
	    "bf16,2,1024,4\nbf16,2,4096,8\nbf16,4,1024,6\nbf16,4,4096,5\n");
	add("gpu.nccl-2", "collective",
	    "op,ranks,message_bytes,dtype,latency_us\n"
	    "all_gather,8,1024,fp16,10\nall_gather,8,4096,fp16,20\n");
	add("gpu.deepep-1", "all_to_all",
	    "mode,op,ranks,hidden,experts,topk,sms,tokens,latency_us\n"
	    "low_latency,dispatch,8,2048,64,4,8,1,30\n"
	    "low_latency,dispatch,8,2048,64,4,16,1,20\n"
	    "low_latency,dispatch,8,2048,64,4,16,16,40\n");
	add("gpu.vllm-0.24", "mla_bmm",
	    "dtype,op,tokens,heads,latency_us\n"
	    "bf16,mla_gen_pre,1,8,5\nbf16,mla_gen_pre,4,8,7\n");
	void *inst = instance(&dense, NULL);
	sc_kernel k = *K(.op = SC_OP_ALL_REDUCE, .ranks = 2, .bytes = 2048);
	answers(inst, &k, sqrt(4 * 8), SC_INTERPOLATED, "log-log in bytes");
	k.bytes = 16;
	answers(inst, &k, 4, SC_CLAMPED, "below: the first");
	k.bytes = 40960;
	answers(inst, &k, 80, SC_CLAMPED, "above: in proportion");
	k.ranks = 4;
	k.bytes = 1024;
	answers(inst, &k, 5, SC_INTERPOLATED, "no longer than more bytes");
	k.ranks = 8;
	k.bytes = 4096;
	answers(inst, &k, 5 * 1.15, SC_SUBSTITUTED, "more ranks: 15 %");
	k = *K(.op = SC_OP_COLLECTIVE, .kind = "all_gather", .ranks = 8,
	       .bytes = 4096);
	answers(inst, &k, 20, SC_EXACT, "a collective");
	k = *K(.op = SC_OP_ALL_TO_ALL, .kind = "dispatch", .ranks = 8,
	       .hidden = 2048, .experts = 64, .topk = 4, .tokens = 1);
	answers(inst, &k, 20, SC_EXACT, "the fastest number of SMs");
	k = *K(.op = SC_OP_MLA_BMM, .kind = "mla_gen_pre", .heads = 8,
	       .tokens = 2);
	answers(inst, &k, sqrt(5 * 7), SC_INTERPOLATED, "a batched GEMM");
	p->destroy(inst);
}

/* ---- steps ---- */

static double parts[2 * 32];
static sc_result price(void *inst, uint32_t decodes, uint32_t context,
		       uint32_t prompts, uint32_t tokens, uint32_t cached)
{
	uint32_t kv[256], fresh[8], before[8];
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

/* Whose host code it is; a preset of another engine says no version. */
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
	near(part("gather"), gather, 1e-9, "over PCIe the factor is 1");
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

/* The core with what stands around it: a hidden size that no module has. */
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

/* ---- whatever was asked before ---- */

static uint32_t state;
static uint32_t below(uint32_t n)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % n;
}

struct answered {
	sc_result r;
	double parts[sizeof parts / sizeof *parts];
};
enum { QUESTIONS = 1500, MOST = 9000 };

/* Step number i: numbers of decodes that share places in a memory, lengths that
 * go on and jump, drafts, ranks in lockstep. */
static void ask(void *inst, uint32_t i, struct answered *a)
{
	static uint32_t kv[MOST], drafts[MOST], fresh[3], before[3];
	state = i * 2654435761u;
	uint32_t n = below(9) + 8 * below(3) + 64 * below(3) * below(2) +
		     2048 * below(4) * below(2);
	uint32_t mean = below(3) ? 900 + i % 300 : below(5000);
	uint32_t prompts = below(3) ? 0 : 1 + below(3);
	for (uint32_t k = 0; k < n; k++) {
		kv[k] = mean + below(2);
		drafts[k] = 1 + below(4);
	}
	for (uint32_t k = 0; k < prompts; k++) {
		fresh[k] = 1 + below(700);
		before[k] = below(2) * below(3000);
	}
	sc_step step = {.size = sizeof step,
			.n_prefill = prompts,
			.n_decode = n,
			.n_sampled = n + prompts,
			.prefill_new = fresh,
			.prefill_ctx = before,
			.decode_ctx = kv,
			.decode_new = below(6) ? NULL : drafts};
	if (below(3) == 0)
		step.dp_tokens = 2 * (step.dp_max_tokens = n + below(300));
	memset(a, 0, sizeof *a);
	a->r = bare_result();
	for (uint32_t k = 0; k < sizeof parts / sizeof *parts; k++)
		a->parts[k] = (double)NAN;
	a->r.part_us = below(4) ? a->parts : NULL;
	if (p->eval(inst, &step, &a->r, &err) != SC_OK)
		bail_out(err.text);
	a->r.part_us = NULL;
}

static void check_orders(const sc_layers *layers, const char *what)
{
	static struct answered first[QUESTIONS], again;
	void *inst = instance(layers, NULL), *other = instance(layers, NULL);
	uint32_t n = 0;
	for (uint32_t i = 0; i < QUESTIONS; i++)
		ask(inst, i, &first[i]);
	for (uint32_t k = 0; k < 2 * QUESTIONS; k++) {
		uint32_t i =
		    k < QUESTIONS ? QUESTIONS - 1 - k : k * 7919 % QUESTIONS;
		ask(other, i, &again);
		n += memcmp(&again, &first[i], sizeof again) != 0;
	}
	ok(n == 0, "%s: %u answers depend on those before", what, n);
	p->destroy(inst);
	p->destroy(other);
}

static void check_memory(void)
{
	n_views = 0;
	add("gpu.vllm-0.24", "attention_decode",
	    "dtype,kv_dtype,heads,kv_heads,head_dim,window,batch,kv_len,"
	    "latency_us\n"
	    "bf16,bf16,16,4,128,0,1,128,10\nbf16,bf16,16,4,128,0,1,1024,13\n"
	    "bf16,bf16,16,4,128,0,1,4096,23\nbf16,bf16,16,4,128,0,4,512,12\n"
	    "bf16,bf16,16,4,128,0,4,1024,15\nbf16,bf16,16,4,128,0,64,256,21\n"
	    "bf16,bf16,16,4,128,0,64,1024,45\n");
	degrees(1, 1, 1, 1);
	check_orders(&dense, "dense");
	check_orders(&chunked, "in chunks");
	check_orders(&latent, "latent");
	degrees(1, 4, 4, 1);
	check_orders(&mixture, "ranks");
	degrees(1, 1, 1, 2);
	check_orders(&dense, "stages");
	degrees(1, 1, 1, 1);
}

/* A measured point that is the law's own: no residual at all. */
static void check_law_met(void)
{
	const sc_kernel k = *K(.op = SC_OP_DECODE, .heads = 16, .kv_heads = 4,
			       .head_dim = 128, .batch = 2, .context = 1000);
	char csv[256];
	n_views = 0;
	void *bare = instance(&dense, NULL);
	double law_us = us(bare, &k);
	snprintf(csv, sizeof csv,
		 "dtype,kv_dtype,heads,kv_heads,head_dim,window,batch,kv_len,"
		 "latency_us\nbf16,bf16,16,4,128,0,2,1000,%.17g\n",
		 law_us);
	add("gpu.vllm-0.24", "attention_decode", csv);
	void *inst = instance(&dense, NULL);
	answers(inst, &k, law_us, SC_EXACT, "a point that is the law's");
	p->destroy(inst);
	p->destroy(bare);
}

/* ---- refusals ---- */

static void refuses(const sc_layers *layers, const char *word, const char *what)
{
	void *inst = instance(layers, NULL);
	ok(!inst && strstr(err.text, word), "%s is refused: %s", what,
	   err.text);
	if (inst)
		p->destroy(inst);
}

static void check_refusals(void)
{
	n_views = 0;
	degrees(1, 1, 1, 1);
	refuses(&linear, "linear", "linear attention");
	sc_layers sparse = latent;
	sparse.flags = SC_LAYER_SPARSE;
	refuses(&sparse, "chosen or compressed", "sparse attention");
	sc_layers narrow = latent;
	narrow.kv_lora_rank = 256;
	refuses(&narrow, "320 cached elements", "another latent");
	degrees(2, 3, 1, 1);
	refuses(&mixture, "does not divide", "ep 3 on 2 ranks");
	degrees(2, 1, 1, 1);
	gpu.link_bandwidth = 0;
	refuses(&dense, "link_bandwidth_gbs", "two ranks without a link");
	gpu.link_bandwidth = 400e9;
	degrees(1, 1, 1, 1);
}

int main(void)
{
	p = bare_load("operators");
	check_laws();
	check_constants();
	check_gemm();
	check_substitutes();
	check_words();
	check_moe();
	check_untuned();
	check_family();
	check_thin();
	check_attention();
	check_latent();
	check_messages();
	check_dense();
	check_int8();
	check_host();
	check_mixed();
	check_groups();
	check_all_to_all();
	check_nodes();
	check_ranks();
	check_pipeline();
	check_core();
	check_memory();
	check_law_met();
	check_refusals();
	return done();
}
