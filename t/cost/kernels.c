#include "cost/kernels.h"
#include "tap.h"

static struct kernels s;
static struct problem p;

static int load(const char *text)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	if (!f)
		bail_out("fmemopen");
	strcpy(p.text, "(accepted)");
	int rc = kernels_read(&s, f, "f", &p);
	fclose(f);
	return rc;
}

static void refused(const char *row, const char *want)
{
	char text[300];
	snprintf(text, sizeof text,
		 "op,dtype,m,n,k,heads,kv_heads,head_dim,tp,batch,new_tokens,"
		 "context,message_bytes\n%s\n",
		 row);
	if (load(text) == 0)
		kernels_free(&s);
	is(p.text, want, "refused: %s", row);
}

int main(void)
{
	ok(load("n,m,op,k\n2,1,gemm,3\n") == 0,
	   "columns by name, some left out");
	const sc_kernel *k = &s.item[0].kernel;
	ok(k->op == SC_OP_GEMM && k->m == 1 && k->n == 2 && k->k == 3 &&
	       k->format == SC_BF16,
	   "a GEMM");
	is(s.item[0].cell[3], "2", "its cells in the usual order");
	kernels_free(&s);
	ok(load("op,dtype,heads,kv_heads,head_dim,tp,batch,new_tokens,context,"
		"message_bytes\n"
		"attention_prefill,fp8,32,8,128,,,100,,\n"
		"attention_decode,,32,0,128,2,7,,5000,\n"
		"all_reduce,,,,,4,,,,1024\n") == 0,
	   "%s", p.text);
	k = &s.item[0].kernel;
	ok(k->op == SC_OP_PREFILL && k->new_tokens == 100 && k->context == 0 &&
	       k->batch == 1 && k->ranks == 1 && k->format == SC_FP8,
	   "a prefill, what is left out has its default");
	k = &s.item[1].kernel;
	ok(k->op == SC_OP_DECODE && k->context == 5000 && k->ranks == 2 &&
	       k->batch == 7 && k->kv_heads == 0,
	   "a decode");
	k = &s.item[2].kernel;
	ok(k->op == SC_OP_ALL_REDUCE && k->ranks == 4 && k->bytes == 1024,
	   "an all-reduce");
	kernels_free(&s);
	refused("conv,,1,,,,,,,,,,",
		"f:2: op is gemm, attention_prefill, attention_decode or "
		"all_reduce");
	refused("gemm,bf8,1,2,3,,,,,,,,",
		"f:2: dtype is none of fp32, fp16, bf16, fp8, int8, fp4, int4");
	refused("gemm,,1,2,,,,,,,,,", "f:2: k is needed");
	refused("gemm,,1,2,0,,,,,,,,", "f:2: k is not a whole number above 0");
	refused("gemm,,1,2,-3,,,,,,,,", "f:2: k is not a whole number above 0");
	refused("gemm,,1,2,1.5,,,,,,,,",
		"f:2: k is not a whole number above 0");
	refused("gemm,,1,2,3,4,,,,,,,",
		"f:2: heads is not of this op: leave it empty");
	refused("all_reduce,,,,,,,,,,,,8", "f:2: tp is needed");
	ok(load("op,x\n") < 0 && strstr(p.text, "f:1: columns are op,"), "%s",
	   p.text);
	ok(load("m\n") < 0 && strstr(p.text, "f:1: columns are op,"), "no op");
	return done();
}
