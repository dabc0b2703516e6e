/* The list of kernels: names, columns, FLOPs; and what others know of them. */
#include "cost/kernel_op.h"
#include <string.h>
#include "stepcost/kernel_law.h"
#include "tap.h"

static void finding(void)
{
	char names[KERNEL_NAMES];
	const struct kernel_op *o = kernel_op_find("attention_decode");
	ok(o && o->op == SC_OP_DECODE, "an op by its name");
	ok(!kernel_op_find("attention") && !kernel_op_find("") &&
	       !kernel_op_find("gemm.csv"),
	   "and by no part of it, nor more");
	is(kernel_op_names(names),
	   "gemm, attention_prefill, attention_decode or all_reduce",
	   "all of them");
	ok(kernel_size_find("context") == KERNEL_CONTEXT &&
	       kernel_size_find("message_bytes") == KERNEL_MESSAGE_BYTES,
	   "a size by its name");
	ok(kernel_size_find("op") == -1 && kernel_size_find("dtype") == -1 &&
	       kernel_size_find("seq_len") == -1,
	   "which op and dtype are not");
	is(kernel_size_names(names),
	   "m, n, k, heads, kv_heads, head_dim, tp, batch, new_tokens, context "
	   "or message_bytes",
	   "all of them");
}

/* A kernel with the size of each column a number of its own. */
static void storing(void)
{
	sc_kernel k = {.size = sizeof k};
	int rc = 0;
	for (int c = KERNEL_M; c < KERNEL_COLUMNS; c++)
		rc |= kernel_set_size(&k, (enum kernel_column)c,
				      100 + (uint64_t)c);
	ok(rc == 0 && k.m == 100 + KERNEL_M && k.n == 100 + KERNEL_N &&
	       k.k == 100 + KERNEL_K && k.heads == 100 + KERNEL_HEADS &&
	       k.kv_heads == 100 + KERNEL_KV_HEADS &&
	       k.head_dim == 100 + KERNEL_HEAD_DIM &&
	       k.ranks == 100 + KERNEL_TP && k.batch == 100 + KERNEL_BATCH &&
	       k.new_tokens == 100 + KERNEL_NEW_TOKENS &&
	       k.context == 100 + KERNEL_CONTEXT &&
	       k.bytes == 100 + KERNEL_MESSAGE_BYTES,
	   "each size has its place");
	ok(kernel_set_size(&k, KERNEL_HEADS, 1ull << 32) == -1 &&
	       k.heads == 100 + KERNEL_HEADS,
	   "heads of more than 32 bits are refused");
	ok(kernel_set_size(&k, KERNEL_M, 1ull << 32) == 0 && k.m == 1ull << 32,
	   "rows are not");
}

static double flops_of(const char *op)
{
	double size[KERNEL_COLUMNS] = {
	    [KERNEL_M] = 2,           [KERNEL_N] = 3,
	    [KERNEL_K] = 5,           [KERNEL_HEADS] = 32,
	    [KERNEL_KV_HEADS] = 8,    [KERNEL_HEAD_DIM] = 128,
	    [KERNEL_TP] = 2,          [KERNEL_BATCH] = 7,
	    [KERNEL_NEW_TOKENS] = 10, [KERNEL_CONTEXT] = 1000};
	return kernel_op_find(op)->flops(size);
}

static void computing(void)
{
	ok(flops_of("gemm") == 60, "2 m n k");
	ok(flops_of("attention_prefill") == 2. * 32 * 128 * 100 * 7,
	   "2 heads head_dim new_tokens^2 batch");
	ok(flops_of("attention_decode") == 4. * 16 * 128 * 1000 * 7,
	   "4 (heads / tp) head_dim context batch");
	ok(!kernel_op_find("all_reduce")->flops, "none");
}

static int n_telling(const struct kernel_op *o)
{
	int n = 0;
	for (const struct kernel_axis *a = o->key; a->name; a++)
		n += a->tells;
	for (const struct kernel_axis *a = o->axis; a->name; a++)
		n += a->tells;
	return n;
}

/* A plugin knows the ops as stepcost/kernel_law.h lists them. */
static int is_as_in_law(const struct kernel_op *o)
{
	const struct sc_law_kind *law = sc_law_kind_of(o->op);
	int i = 0;
	for (; i < 3 && law->shape[i]; i++)
		if (!o->key[i].name || strcmp(o->key[i].name, law->shape[i]))
			return 0;
	const struct kernel_axis *x = o->axis;
	if (law->row && strcmp((x++)->name, law->row))
		return 0;
	return !strcmp(o->name, law->op) && x->name && !strcmp(x->name, law->x);
}

static void tables(void)
{
	int n = 0;
	for (const struct kernel_op *o = kernel_ops; o->name; o++, n++) {
		ok(is_as_in_law(o), "%s is as in kernel_law.h", o->name);
		ok(n_telling(o) > 0, "and its tables can be told");
	}
	ok(n == SC_LAW_OPS, "which lists no others");
}

int main(void)
{
	finding();
	storing();
	computing();
	tables();
	return done();
}
