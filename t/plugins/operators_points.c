/* operators: the rules between measured points, and the substitutes of those
 * that were not measured, on small tables made for it. */
#include "tap.h"
#include "bare.h"
#include "operators_made.h"

/* ---- between points ---- */

static void check_gemm(void)
{
	n_views = 0;
	void *bare = instance(&dense, NULL);
	/* At n = 2048, k = 1024 only m = 1 was measured. */
	add("gpu.vllm-0.24", "gemm",
	    "dtype,m,n,k,latency_us\n"
	    "bf16,1,1024,1024,5\nbf16,8,1024,1024,9\nbf16,64,1024,1024,7\n"
	    "bf16,128,1024,1024,20\nbf16,1,2048,1024,6\n");
	void *inst = instance(&dense, NULL);
	sc_kernel k =
	    *K(.op = SC_OP_GEMM, .dtype = "bf16", .m = 1, .n = 1024, .k = 1024);
	answers(inst, &k, 5, SC_EXACT, "a measured GEMM");
	k.m = 8;
	answers(inst, &k, 7, SC_INTERPOLATED, "no longer than of more tokens");
	k.m = 65;
	answers(inst, &k, 20, SC_INTERPOLATED, "two tiles, not measured so");
	k.m = 128;
	answers(inst, &k, 20, SC_EXACT, "two whole tiles");
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

/* MXFP4 experts by Marlin: no shorter than its own law, in which each expert in
 * use has half a tile more rows. */
static void check_marlin(void)
{
	n_views = 0;
	add("gpu.vllm-0.24", "moe",
	    "dtype,kernel,routing,tokens,hidden,inter,experts,topk,tp,ep,"
	    "latency_us\n"
	    "w4a16_mxfp4,a,power_law_1.2,16,2048,512,64,4,1,1,80\n"
	    "w4a16_mxfp4,a,power_law_1.2,1024,2048,512,64,4,1,1,100\n"
	    "w4a16_mxfp4,a,power_law_1.2,1024,2048,512,64,4,2,4,10\n"
	    "bf16,a,power_law_1.2,1024,2048,512,64,4,1,1,90\n");
	sc_kernel k = *K(.op = SC_OP_MOE, .dtype = "mxfp4", .tokens = 1024,
			 .hidden = 2048, .inter = 512, .experts = 64, .topk = 4,
			 .tp = 1, .ep = 1);
	void *inst = instance(&dense, NULL);
	answers(inst, &k, 100, SC_EXACT, "the kernel of the tables");
	p->destroy(inst);
	inst =
	    instance(&dense, (const char *[]){"mxfp4_kernel", "marlin", NULL});
	const double row = 6. * 2048 * 512 / (.2072 * 1000e6);
	answers(inst, &k, 20 + row * (1024 * 4 + 8 * 64), SC_FALLBACK,
		"Marlin, every expert in use");
	k.tp = 2;
	k.ep = 4;
	answers(inst, &k, 20 + row / 2 * (1024 + 8 * 16), SC_FALLBACK,
		"half of the columns of a quarter of the experts");
	k.tp = k.ep = 1;
	k.tokens = 16;
	answers(inst, &k, 80, SC_EXACT, "no shorter than the tables");
	k.tokens = 1024;
	k.dtype = "bf16";
	answers(inst, &k, 90, SC_EXACT, "and MXFP4 alone");
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
	k.routing = "power_law_1.01";
	answers(inst, &k, 80, SC_SUBSTITUTED, "a routing without rows");
	used(inst, &k, "routing=power_law_1.2, gpu.vllm-0.24", "which is said");
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

/* Another engine's FP8 experts take eight times their law: its FP8 in blocks is
 * substituted.  The engine itself runs what it has. */
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
	k.dtype = "fp8";
	answers(inst, &k, 18, SC_SUBSTITUTED, "no attention in FP8");
	used(inst, &k, "dtype=bf16, gpu.vllm-0.24 16", "which is said");
	k.dtype = "fp16";
	answers(inst, &k, 18, SC_EXACT, "16 bit are 16 bit");
	k.dtype = NULL;
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
	    "bf16,mla_gen_pre,1,8,5\nbf16,mla_gen_pre,4,8,7\n"
	    "fp8,mla_gen_pre,1,8,3\nbf16,mla_gen_post,1,8,6\n");
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
	k.dtype = "fp8";
	answers(inst, &k, 20, SC_SUBSTITUTED, "of a format without rows");
	used(inst, &k, "dtype=bf16, ", "which is said");
	k = *K(.op = SC_OP_ALL_TO_ALL, .kind = "dispatch", .ranks = 8,
	       .hidden = 2048, .experts = 64, .topk = 4, .tokens = 1);
	answers(inst, &k, 20, SC_SUBSTITUTED, "the fastest number of SMs");
	used(inst, &k, "sms=fastest, ", "which is said");
	k.sms = 8;
	answers(inst, &k, 30, SC_EXACT, "a number of SMs that is told");
	k.sms = 12;
	answers(inst, &k, 20, SC_SUBSTITUTED, "one without rows");
	used(inst, &k, "sms=fastest, ", "which is said");
	k.sms = 16;
	k.tokens = 4;
	answers(inst, &k, sqrt(20 * 40), SC_INTERPOLATED, "between its points");
	k = *K(.op = SC_OP_MLA_BMM, .kind = "mla_gen_pre", .heads = 8,
	       .tokens = 2);
	answers(inst, &k, sqrt(5 * 7), SC_INTERPOLATED, "a batched GEMM");
	k.dtype = "fp8";
	k.tokens = 1;
	answers(inst, &k, 3, SC_EXACT, "of its own format");
	k.kind = "mla_gen_post";
	answers(inst, &k, 6, SC_SUBSTITUTED, "a format without rows: 16 bit");
	used(inst, &k, "dtype=bf16, gpu.vllm-0.24 8", "which is said");
	p->destroy(inst);
}

static char logged[512];

static void take_log(const sc_host *h, int32_t level, const char *text)
{
	(void)h, (void)level;
	snprintf(logged, sizeof logged, "%s", text);
}

/* Tables of another version of the engine answer as before, and a note says so.
 */
static void check_versions(void)
{
	static const struct {
		const char *preset, *says;
	} of[] = {{"vllm-0.15", "gpu.vllm-0.24, 9 versions"},
		  {"vllm-0.24", ""},
		  {"vllm-2026-07", ""},
		  {"sglang", ""}};
	const sc_host host = {.size = sizeof host, .log = take_log};
	n_views = 0;
	add("gpu.vllm-0.24", "gemm",
	    "dtype,m,n,k,latency_us\nbf16,1,1024,1024,5\n");
	setup.host = &host;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		engine.preset = of[i].preset;
		logged[0] = '\0';
		p->destroy(instance(&dense, NULL));
		ok(*of[i].says ? strstr(logged, of[i].says) != NULL : !*logged,
		   "%s: says '%s'", of[i].preset, logged);
	}
	engine.preset = NULL;
	setup.host = NULL;
}

int main(void)
{
	p = bare_load("operators");
	check_versions();
	check_gemm();
	check_substitutes();
	check_words();
	check_marlin();
	check_moe();
	check_untuned();
	check_family();
	check_thin();
	check_attention();
	check_latent();
	check_messages();
	return done();
}
