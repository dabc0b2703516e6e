/* kernel.c -- Prices one kernel of any shape. */
#include <math.h>
#include <stdio.h>
#include "stepcost/fail.h"
#include "stepcost/interp.h"
#include "inst.h"

/* Heads of one rank, or a model's with its ranks. */
static void shape_of(const sc_kernel *k, double shape[3])
{
	double ranks = k->ranks ? k->ranks : 1;
	switch (k->op) {
	case SC_OP_GEMM:
		shape[0] = (double)k->n;
		shape[1] = (double)k->k;
		shape[2] = 0;
		break;
	case SC_OP_ALL_REDUCE:
		shape[0] = ranks;
		shape[1] = shape[2] = 0;
		break;
	default:
		shape[0] = ceil(k->heads / ranks);
		shape[1] = fmax(1, ceil(k->kv_heads / ranks));
		shape[2] = k->head_dim;
	}
}

static struct answer kernel_us(const struct table_index *a,
			       const struct grid *s, const sc_kernel *k)
{
	double batch = (double)k->batch, cached = (double)k->context;
	switch (k->op) {
	case SC_OP_GEMM:
		return grid_alone_at(a, s, 1, (double)k->m);
	case SC_OP_ALL_REDUCE:
		return grid_alone_at(a, s, 1, (double)k->bytes);
	case SC_OP_PREFILL:
		return grid_alone_at(a, s, batch,
				     whole_prompt(&a->law, s->shape,
						  (double)k->new_tokens,
						  cached));
	default:
		return grid_alone_at(a, s, batch, cached);
	}
}

/* Returns 1 if the kernel has all sizes that its op needs. */
static int sound(const sc_kernel *k)
{
	switch (k->op) {
	case SC_OP_GEMM:
		return k->m && k->n && k->k;
	case SC_OP_PREFILL:
		return k->heads && k->kv_heads && k->head_dim && k->batch &&
		       k->new_tokens;
	case SC_OP_DECODE:
		return k->heads && k->kv_heads && k->head_dim && k->batch &&
		       k->context;
	case SC_OP_ALL_REDUCE:
		return k->ranks > 1 && k->bytes;
	default:
		return 0;
	}
}

int32_t kernel(void *inst, const sc_kernel *k, sc_kernel_result *out,
	       sc_error *err)
{
	struct inst *s = inst;
	uint32_t format = stored_as(k->format);
	double shape[3];
	if (!sound(k))
		return sc_fail(err, SC_EINVAL, "a kernel of op %u lacks a size",
			       k->op);
	if (!s->table_index[k->op - SC_OP_GEMM][format].law.op)
		return sc_fail(
		    err, SC_ENODATA,
		    "op %u in format %u: neither table nor reference "
		    "law",
		    k->op, k->format);
	struct table_index *a = &s->table_index[k->op - SC_OP_GEMM][format];
	shape_of(k, shape);
	const struct grid *at =
	    table_index_find(a, shape, k->ranks ? k->ranks : 1);
	struct answer is = kernel_us(a, at, k);
	out->latency_us = is.us;
	out->provenance = sc_worse(is.provenance, s->how);
	snprintf(out->used, sizeof out->used, "%s", at->used);
	return SC_OK;
}
