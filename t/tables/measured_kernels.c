/* measured_kernels.c -- Rows of a set as kernels, and those that are none. */
#include "tables/measured_kernels.h"
#include <sys/stat.h>
#include <unistd.h>
#include "tables/set.h"
#include "tap.h"

static struct table_set set;
static struct measured_kernels k;
static struct problem p;

static void write_table(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");
	if (!f)
		bail_out(name);
	fputs(text, f);
	fclose(f);
}

static int load(const char *name)
{
	p = (struct problem){0};
	set_free(&set);
	measured_kernels_free(&k);
	if (set_load(&set, ".", name, KERNEL_OF_ANY, &p) < 0)
		bail_out(p.text);
	return measured_kernels_of(&k, &set, &p);
}

int main(void)
{
	char folder[] = "/tmp/stepcost-set-XXXXXX";
	if (!mkdtemp(folder) || chdir(folder) < 0)
		bail_out("no folder");
	mkdir("mine", 0777), mkdir("none", 0777);
	write_table("mine/gemm_more.csv",
		    "dtype,n,k,m=8,m=16\nfp8,4096,2048,,12.5\n");
	write_table("mine/attention_decode.csv",
		    "dtype,model_heads,model_kv_heads,head_dim,tp,batch,kv_len,"
		    "latency_us\nbf16,32,8,128,2,4,1024,30\n");
	write_table("mine/elementwise.csv",
		    "dtype,op,width,tokens,latency_us\nbf16,norm,8,4,3\n");
	write_table("mine/all_to_all.csv",
		    "mode,op,ranks,hidden,experts,topk,sms,tokens=1\n"
		    "normal,dispatch,8,2048,64,4,24,30\n");
	write_table("mine/mamba2.csv",
		    "op,kernel,heads,head_dim,state,groups,conv,chunk,batch,"
		    "seq_len,latency_us\n"
		    "scan_prefill,a,64,64,128,8,4,256,1,512,90\n");
	write_table("none/elementwise.csv",
		    "dtype,op,width,tokens,latency_us\nbf16,norm,8,4,3\n");
	ok(load("mine") == 0 && k.kernels.n == 4 && k.n_left_out == 1,
	   "four kernels, and one that no cost model is asked for: %s", p.text);
	const sc_kernel *is = &k.kernels.item[0].kernel;
	ok(is->op == SC_OP_ALL_TO_ALL && is->sms == 24,
	   "a dispatch with its SMs");
	is = &k.kernels.item[1].kernel;
	ok(is->op == SC_OP_DECODE && is->heads == 32 && is->kv_heads == 8 &&
	       is->head_dim == 128 && is->ranks == 2 && is->batch == 4 &&
	       is->context == 1024,
	   "attention, with columns under their other names");
	is = &k.kernels.item[2].kernel;
	ok(is->op == SC_OP_GEMM && is->m == 16 && is->n == 4096 &&
	       is->k == 2048 && !strcmp(is->dtype, "fp8"),
	   "a GEMM of the second table of its kind");
	is(k.of[2].op, "gemm", "under the name of a list");
	is(k.of[2].table, "gemm_more", "of this table");
	ok(k.of[2].line == 2 && k.of[2].us == 12.5, "where, and its time");
	is = &k.kernels.item[3].kernel;
	ok(is->op == SC_OP_LINEAR && is->linear_kind == SC_LINEAR_MAMBA2 &&
	       is->k_dim == 128,
	   "of the kinds that share an op, its own");
	is(k.of[3].op, "mamba2", "under its own name");
	ok(load("none") < 0 && p.code == EXIT_INPUT, "nothing to ask for");
	is(p.text,
	   "set none: no row of it is a kernel that cost models are asked for; "
	   "`stepcost tables list` has others",
	   "which is said");
	set_free(&set);
	measured_kernels_free(&k);
	unlink("mine/gemm_more.csv"), unlink("mine/attention_decode.csv");
	unlink("mine/elementwise.csv"), unlink("mine/all_to_all.csv"),
	    unlink("mine/mamba2.csv"), unlink("none/elementwise.csv");
	rmdir("mine"), rmdir("none"), rmdir(folder);
	return done();
}
