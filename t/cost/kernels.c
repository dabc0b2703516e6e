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

/* Kernels of experts, of latent attention, between GPUs. */
static void since_1_1(void)
{
	ok(load("op,dtype,kv_dtype,gemm_dtype,heads,tp,ep,batch,context,"
		"tokens,hidden,inter,experts,topk,routing,kind,mode,window,"
		"kv_heads,head_dim,message_bytes\n"
		"moe,w4a16_mxfp4,,,,2,4,,,64,2880,2880,128,4,balanced,,,,,,\n"
		"mla_decode,,fp8,fp8_block,16,,,8,4096,,,,,,,,,,,,\n"
		"mla_decode,nvfp4,,,16,,,,4096,,,,,,,,,,,,\n"
		"attention_decode,,fp8,,8,,,2,100,,,,,,,,,128,1,64,\n"
		"collective,,,,,8,,,,,,,,,,all_gather,,,,,1024\n"
		"all_to_all,,,,,,16,,,32,7168,,256,8,,dispatch,normal,,,,\n") ==
	       0,
	   "%s", p.text);
	const sc_kernel *k = &s.item[0].kernel;
	ok(k->op == SC_OP_MOE && k->format == SC_FP4 &&
	       !strcmp(k->dtype, "w4a16_mxfp4") && k->tp == 2 && k->ep == 4 &&
	       k->ranks == 1 && k->tokens == 64 && k->hidden == 2880 &&
	       k->inter == 2880 && k->experts == 128 && k->topk == 4 &&
	       !strcmp(k->routing, "balanced"),
	   "experts");
	k = &s.item[1].kernel;
	ok(k->op == SC_OP_MLA_DECODE && !strcmp(k->gemm_dtype, "fp8_block") &&
	       k->kv_format == SC_FP8 && !k->dtype && k->context == 4096,
	   "latent attention");
	k = &s.item[2].kernel;
	ok(!strcmp(k->gemm_dtype, "nvfp4"), "its format in the usual column");
	k = &s.item[3].kernel;
	ok(k->window == 128 && k->kv_format == SC_FP8, "a window");
	k = &s.item[4].kernel;
	ok(k->op == SC_OP_COLLECTIVE && !strcmp(k->kind, "all_gather") &&
	       k->ranks == 8 && k->bytes == 1024,
	   "a collective");
	k = &s.item[5].kernel;
	ok(k->op == SC_OP_ALL_TO_ALL && k->ranks == 16 && k->tokens == 32 &&
	       !strcmp(k->kind, "dispatch") && !strcmp(k->mode, "normal"),
	   "an all-to-all");
	ok(kernels_show(&s, KERNEL_EP) && kernels_show(&s, KERNEL_M),
	   "columns to be written");
	kernels_free(&s);
}

static void mixers(void)
{
	ok(load("op,kind,v_heads,v_dim,conv,batch,new_tokens,model,heads,"
		"gemm_dtype,context,indexer,prefix,streams,tokens,hidden\n"
		"kda,step_verify,8,128,4,2,3,,,,,,,,,\n"
		"dsa_decode,,,,,,,glm_5,16,bf16,4096,0,,,,\n"
		"msa_prefill,,,,,,512,,16,,,,64,,,\n"
		"mhc,pre,,,,,,,,,,,,4,7,4096\n") == 0,
	   "%s", p.text);
	const sc_kernel *k = &s.item[0].kernel;
	ok(k->op == SC_OP_LINEAR && k->linear_kind == SC_LINEAR_KDA &&
	       k->v_heads == 8 && k->conv == 4 && k->new_tokens == 3,
	   "a kernel of linear attention");
	k = &s.item[1].kernel;
	ok(k->op == SC_OP_SPARSE_DECODE && !strcmp(k->model, "glm_5") &&
	       k->indexer == 0 && k->context == 4096,
	   "a module of sparse attention");
	k = &s.item[2].kernel;
	ok(k->op == SC_OP_SPARSE_PREFILL && !k->model && k->prefix == 64,
	   "one of the only model of its kind");
	k = &s.item[3].kernel;
	ok(k->op == SC_OP_MHC && k->streams == 4 && k->tokens == 7,
	   "hyper-connections");
	ok(kernels_show(&s, KERNEL_STREAMS) && !kernels_show(&s, KERNEL_CHUNK),
	   "columns beyond the 32nd");
	kernels_free(&s);
}

static void columns_of_a_file(void)
{
	ok(load("op,m,n,k,window\ngemm,1,2,3,\n") == 0 &&
	       !kernels_show(&s, KERNEL_EP),
	   "those that the file has");
	kernels_free(&s);
	ok(load("op,kind,tp,message_bytes\ncollective,,8,1\n") < 0, "%s",
	   p.text);
	ok(load("op,heads,context,kv_dtype\nmla_decode,8,1,fp7\n") < 0 &&
	       strstr(p.text, "kv_dtype is none of"),
	   "%s", p.text);
}

int main(void)
{
	mixers();
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
		"f:2: op is gemm, attention_prefill, attention_decode, "
		"all_reduce, moe, mla_decode, mla_prefill, mla_core, mla_bmm, "
		"collective, all_to_all, gdn, kda, mamba2, dsa_decode, "
		"dsa_prefill, msa_decode, msa_prefill, csa_decode, csa_prefill "
		"or mhc");
	refused("gemm,bf8,1,2,3,,,,,,,,",
		"f:2: dtype is none of fp32, fp16, bf16, fp8, int8, fp4, int4, "
		"fp8_block, nvfp4, mxfp4, w4a16_mxfp4, w4a8_mxfp4_mxfp8, "
		"w4a4_mxfp4, w4a16, w8a16");
	refused("gemm,,1,2,,,,,,,,,", "f:2: k is needed");
	refused("gemm,,1,2,0,,,,,,,,", "f:2: k is not a whole number above 0");
	refused("gemm,,1,2,-3,,,,,,,,", "f:2: k is not a whole number above 0");
	refused("gemm,,1,2,1.5,,,,,,,,",
		"f:2: k is not a whole number above 0");
	refused("gemm,,1,2,3,4,,,,,,,",
		"f:2: heads is no size of this op: leave it empty");
	refused("all_reduce,,,,,,,,,,,,8", "f:2: tp is needed");
	ok(load("op,x\n") < 0 &&
	       strstr(p.text, "f:1: column 'x' is not known, or is there "
			      "twice; columns are op,"),
	   "%s", p.text);
	ok(load("m\n") < 0 &&
	       strstr(p.text, "f:1: no column op; columns are op,"),
	   "no op");
	since_1_1();
	columns_of_a_file();
	return done();
}
