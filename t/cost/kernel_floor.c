/* The least time of a kernel, against sums by hand. */
#include "cost/kernel_floor.h"
#include "tap.h"
#include "model_8b.h"

static sc_hardware gpu = {.size = sizeof gpu,
			  .mem_bandwidth = 1e12,
			  .link_bandwidth = 1e11,
			  .l2_bytes = 10e6};
static const sc_parallel ranks = {.size = sizeof ranks, .tp = 1};
static const sc_setup setup = {.size = sizeof setup,
			       .model = &model_8b,
			       .hardware = &gpu,
			       .parallel = &ranks};
static struct floor f;

static double least(const sc_kernel *k)
{
	enum floor_limit unused;
	return kernel_floor_us(&f, k, &unused);
}

static void gemms(void)
{
	sc_kernel k = {.size = sizeof k,
		       .op = SC_OP_GEMM,
		       .format = SC_FP8,
		       .dtype = "fp8_block",
		       .m = 1,
		       .n = 100000,
		       .k = 8192};
	near(least(&k), 819.2, 1e-12, "a GEMM reads its weights");
	k.m = 1 << 20;
	near(least(&k), 2. * (1 << 20) * 8192 * 1e5 / 2e9, 1e-12,
	     "and multiplies at the peak of its format");
	k.m = 1;
	k.n = 1000;
	ok(least(&k) < 1e-2, "small weights can be in the cache");
	k.n = 3000;
	near(least(&k), (3000. * 8192 - 10e6) / 1e6, 1e-12, "or some of them");
	gpu.l2_bytes = 0;
	floor_of(&f, &setup, 0);
	ok(least(&k) < 1, "a cache of unknown size can have them all");
	gpu.l2_bytes = 10e6;
	floor_of(&f, &setup, 0);
}

static void attention(void)
{
	sc_kernel k = {.size = sizeof k,
		       .op = SC_OP_DECODE,
		       .format = SC_BF16,
		       .heads = 32,
		       .kv_heads = 8,
		       .head_dim = 128,
		       .ranks = 2,
		       .batch = 64,
		       .context = 10000};
	near(least(&k), 64. * 10000 * 2 * 4 * 128 * 2 / 1e6, 1e-12,
	     "a decode reads the KV cache");
	k.kv_format = SC_FP8;
	near(least(&k), 64. * 10000 * 2 * 4 * 128 / 1e6, 1e-12, "in 8 bits");
	k.window = 1000;
	near(least(&k), 64. * 1000 * 2 * 4 * 128 / 1e6, 1e-12,
	     "as far as the window goes");
	k = (sc_kernel){.size = sizeof k,
			.op = SC_OP_PREFILL,
			.format = SC_BF16,
			.heads = 32,
			.kv_heads = 8,
			.head_dim = 128,
			.batch = 2,
			.new_tokens = 30000};
	near(least(&k), 2 * 4. * 32 * 128 * 30000 * 30001 / 2 / 1e9, 1e-12,
	     "a prompt computes the pairs that see each other");
	k.window = 100;
	near(least(&k),
	     2 * 4. * 32 * 128 * (100. * 101 / 2 + 29900. * 100) / 1e9, 1e-12,
	     "within the window");
	k = (sc_kernel){.size = sizeof k,
			.op = SC_OP_MLA_CORE,
			.heads = 16,
			.batch = 100,
			.context = 10000};
	near(least(&k), 100. * 10000 * 576 * 2 / 1e6, 1e-12,
	     "heads share the latent cache");
}

static void experts(void)
{
	sc_kernel k = {.size = sizeof k,
		       .op = SC_OP_MOE,
		       .format = SC_BF16,
		       .tokens = 1,
		       .hidden = 4096,
		       .inter = 4096,
		       .experts = 64,
		       .topk = 8,
		       .tp = 2,
		       .ep = 1};
	near(least(&k), 8 * 2. * 4096 * 4096 / 2 * 2 / 1e6, 1e-12,
	     "at least the experts of one token are read");
	k.ep = 4;
	ok(least(&k) == 0, "if other ranks have none of them");
}

static void messages(void)
{
	enum floor_limit limit;
	sc_kernel k = {.size = sizeof k,
		       .op = SC_OP_ALL_REDUCE,
		       .ranks = 4,
		       .bytes = 1000000};
	near(kernel_floor_us(&f, &k, &limit), 7.5, 1e-12,
	     "an all-reduce receives what the others have");
	ok(limit == FLOOR_LINKS, "over the links");
	k.op = SC_OP_COLLECTIVE;
	k.kind = "all_gather";
	near(least(&k), 7.5, 1e-12, "as a gather does");
	k.kind = "odd";
	ok(least(&k) == 0, "of others nothing is known");
}

static void marks(void)
{
	char text[FLOOR_TEXT];
	sc_kernel k = {.size = sizeof k,
		       .op = SC_OP_GEMM,
		       .format = SC_BF16,
		       .m = 1,
		       .n = 100000,
		       .k = 5000};
	struct floor_mark m = kernel_floor_mark(&f, &k, 1000);
	ok(m.least_us == 1000 && !m.is_below, "the least time is allowed");
	m = kernel_floor_mark(&f, &k, 231.5);
	ok(m.is_below, "less is not");
	is(kernel_floor_text(text, &m.worst),
	   "231.5 us, but reading its data takes 1000 us", "in words");
}

int main(void)
{
	gpu.peak_flops[SC_BF16] = 1e15;
	gpu.peak_flops[SC_FP8] = 2e15;
	floor_of(&f, &setup, 0);
	gemms();
	attention();
	experts();
	messages();
	marks();
	return done();
}
