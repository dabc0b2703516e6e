/* operators: its laws against figures of an independent implementation; answers
 * that do not depend on earlier questions; the models that it refuses. */
#include <inttypes.h>
#include "tap.h"
#include "bare.h"
#include "operators_made.h"

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

/* No table at all: the constants that a fit starts from.  The independent
 * figures know nothing of tiles. */
static void check_laws(void)
{
	static const char *const any[] = {"gemm_tile", "0", NULL};
	n_views = 0;
	void *inst = instance(&dense, any);
	for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
		char what[32];
		snprintf(what, sizeof what, "law %zu of op %u", i,
			 laws[i].k->op);
		answers(inst, laws[i].k, laws[i].us, SC_FALLBACK, what);
	}
	p->destroy(inst);
}

/* A GEMM of more rows than a tile takes as long as one of the next multiple. */
static void check_tiles(void)
{
	static const uint64_t rows[][2] = {
	    {65, 128}, {100, 128}, {129, 192}, {64, 64}};
	n_views = 0;
	void *inst = instance(&dense, NULL);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		sc_kernel k = *laws[0].k;
		k.m = rows[i][0];
		double is = us(inst, &k);
		k.m = rows[i][1];
		near(is, us(inst, &k), 0, "%" PRIu64 " rows as %" PRIu64,
		     rows[i][0], rows[i][1]);
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

/* ---- whatever was asked before ---- */

static uint32_t state;
static uint32_t below(uint32_t n)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % n;
}

enum { QUESTIONS = 1500, MOST = 9000, PARTS = 64 };
struct answered {
	sc_result r;
	double parts[PARTS];
};

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
	for (uint32_t k = 0; k < PARTS; k++)
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
	check_tiles();
	check_constants();
	check_memory();
	check_law_met();
	check_refusals();
	return done();
}
