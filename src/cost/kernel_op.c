/* kernel_op.c -- The list of the kernels that can be measured and priced. */
#include <config.h>
#include "cost/kernel_op.h"
#include <stdio.h>
#include <string.h>

const char *const kernels_column[KERNEL_COLUMNS] = {
    "op",           "dtype",    "m",  "n",     "k",          "heads",
    "kv_heads",     "head_dim", "tp", "batch", "new_tokens", "context",
    "message_bytes"};

static double gemm_flops(const double x[KERNEL_COLUMNS])
{
	return 2 * x[KERNEL_M] * x[KERNEL_N] * x[KERNEL_K];
}

static double prefill_flops(const double x[KERNEL_COLUMNS])
{
	return 2 * x[KERNEL_HEADS] * x[KERNEL_HEAD_DIM] * x[KERNEL_NEW_TOKENS] *
	       x[KERNEL_NEW_TOKENS] * x[KERNEL_BATCH];
}

static double decode_flops(const double x[KERNEL_COLUMNS])
{
	return 4 * (x[KERNEL_HEADS] / x[KERNEL_TP]) * x[KERNEL_HEAD_DIM] *
	       x[KERNEL_CONTEXT] * x[KERNEL_BATCH];
}

#define BIT(column) (1u << KERNEL_##column)
#define HEADS                                                                  \
	{                                                                      \
		"heads", "model_heads", KERNEL_HEADS, 0                        \
	}
#define KV_HEADS                                                               \
	{                                                                      \
		"kv_heads", "model_kv_heads", KERNEL_KV_HEADS, 0               \
	}
#define HEAD_DIM                                                               \
	{                                                                      \
		"head_dim", NULL, KERNEL_HEAD_DIM, 0                           \
	}
#define BATCH                                                                  \
	{                                                                      \
		"batch", "batch_size", KERNEL_BATCH, 0                         \
	}

const struct kernel_op kernel_ops[] = {
    {.name = "gemm",
     .op = SC_OP_GEMM,
     .needs = BIT(M) | BIT(N) | BIT(K),
     .key = {{"n", NULL, KERNEL_N, 1}, {"k", NULL, KERNEL_K, 1}},
     .axis = {{"m", NULL, KERNEL_M, 1}},
     .flops = gemm_flops},
    {.name = "attention_prefill",
     .op = SC_OP_PREFILL,
     .needs = BIT(HEADS) | BIT(KV_HEADS) | BIT(HEAD_DIM) | BIT(NEW_TOKENS),
     .may = BIT(TP) | BIT(BATCH) | BIT(CONTEXT),
     .key = {HEADS, KV_HEADS, HEAD_DIM},
     .axis = {BATCH, {"seq_len", NULL, KERNEL_NEW_TOKENS, 1}},
     .flops = prefill_flops},
    {.name = "attention_decode",
     .op = SC_OP_DECODE,
     .needs = BIT(HEADS) | BIT(KV_HEADS) | BIT(HEAD_DIM) | BIT(CONTEXT),
     .may = BIT(TP) | BIT(BATCH),
     .key = {HEADS, KV_HEADS, HEAD_DIM, {"tp", NULL, KERNEL_TP, 0}},
     .axis = {BATCH, {"kv_len", NULL, KERNEL_CONTEXT, 1}},
     .flops = decode_flops},
    {.name = "all_reduce",
     .op = SC_OP_ALL_REDUCE,
     .needs = BIT(TP) | BIT(MESSAGE_BYTES),
     .key = {{"ranks", NULL, KERNEL_TP, 0}},
     .axis = {{"message_bytes", NULL, KERNEL_MESSAGE_BYTES, 1}}},
    {.name = NULL},
};

const struct kernel_op *kernel_op_find(const char *name)
{
	for (const struct kernel_op *o = kernel_ops; o->name; o++)
		if (!strcmp(o->name, name))
			return o;
	return NULL;
}

int kernel_size_find(const char *name)
{
	for (int c = KERNEL_M; c < KERNEL_COLUMNS; c++)
		if (!strcmp(kernels_column[c], name))
			return c;
	return -1;
}

int kernel_set_size(sc_kernel *k, enum kernel_column size, uint64_t v)
{
	uint64_t *const large[KERNEL_COLUMNS] = {
	    [KERNEL_M] = &k->m,
	    [KERNEL_N] = &k->n,
	    [KERNEL_K] = &k->k,
	    [KERNEL_BATCH] = &k->batch,
	    [KERNEL_NEW_TOKENS] = &k->new_tokens,
	    [KERNEL_CONTEXT] = &k->context,
	    [KERNEL_MESSAGE_BYTES] = &k->bytes};
	uint32_t *const small[KERNEL_COLUMNS] = {
	    [KERNEL_HEADS] = &k->heads,
	    [KERNEL_KV_HEADS] = &k->kv_heads,
	    [KERNEL_HEAD_DIM] = &k->head_dim,
	    [KERNEL_TP] = &k->ranks};
	if (large[size])
		*large[size] = v;
	else if (v > UINT32_MAX)
		return -1;
	else
		*small[size] = (uint32_t)v;
	return 0;
}

/* ---- for messages ---- */

static void add_name(char buf[KERNEL_NAMES], const char *name, int is_last)
{
	size_t n = strlen(buf);
	snprintf(buf + n, KERNEL_NAMES - n, "%s%s",
		 !n        ? ""
		 : is_last ? " or "
			   : ", ",
		 name);
}

const char *kernel_op_names(char buf[KERNEL_NAMES])
{
	buf[0] = '\0';
	for (const struct kernel_op *o = kernel_ops; o->name; o++)
		add_name(buf, o->name, !o[1].name);
	return buf;
}

const char *kernel_size_names(char buf[KERNEL_NAMES])
{
	buf[0] = '\0';
	for (int c = KERNEL_M; c < KERNEL_COLUMNS; c++)
		add_name(buf, kernels_column[c], c + 1 == KERNEL_COLUMNS);
	return buf;
}
