/* mfu_interp: points that tables of attention leave out between others. */
#include "tap.h"
#include "bare.h"
#include "operators_made.h"

static void check_decode(void)
{
	n_views = 0;
	add("gpu.vllm-0.24", "gemm",
	    "dtype,m,n,k,latency_us\nbf16,1,2048,2048,5\n");
	add("gpu.vllm-0.24", "attention_prefill",
	    "dtype,heads,kv_heads,head_dim,batch,seq_len,latency_us\n"
	    "bf16,16,4,128,1,1000,100\nbf16,16,4,128,2,2000,800\n"
	    "bf16,16,4,128,2,1000,200\nbf16,16,4,128,1,3000,900\n");
	/* Batch 2 lacks 3,000; batch 4 lacks those above 1,000. */
	add("gpu.vllm-0.24", "attention_decode",
	    "dtype,heads,kv_heads,head_dim,batch,kv_len,latency_us\n"
	    "bf16,16,4,128,1,1000,100\nbf16,16,4,128,1,3000,150\n"
	    "bf16,16,4,128,1,9000,300\nbf16,16,4,128,2,1000,110\n"
	    "bf16,16,4,128,2,9000,510\nbf16,16,4,128,4,1000,120\n");
	void *inst = instance(&dense, NULL);
	sc_kernel k =
	    *K(.op = SC_OP_DECODE, .format = SC_BF16, .heads = 16,
	       .kv_heads = 4, .head_dim = 128, .batch = 1, .context = 3000);
	answers(inst, &k, 150, SC_EXACT, "a measured point");
	k.batch = 2;
	answers(inst, &k, 110 + 400. * 2 / 8, SC_INTERPOLATED,
		"the time grows with the tokens over a gap");
	k.batch = 4;
	k.context = 9000;
	ok(kernel(inst, &k).provenance == SC_FALLBACK,
	   "no point on both sides: not filled");
	k = *K(.op = SC_OP_PREFILL, .format = SC_BF16, .heads = 16,
	       .kv_heads = 4, .head_dim = 128, .batch = 1, .new_tokens = 2000);
	answers(inst, &k, 100 + 800. * 3 / 8, SC_INTERPOLATED,
		"of a prompt with the square of its length");
	p->destroy(inst);
}

int main(void)
{
	p = bare_load("mfu_interp");
	check_decode();
	return done();
}
