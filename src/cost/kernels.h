/* cost/kernels.h -- single kernels to price, from CSV with the columns
 *   op,dtype,m,n,k,heads,kv_heads,head_dim,tp,batch,new_tokens,context,
 *   message_bytes
 * by name and in any order; cells that an op does not use are empty.
 *   op       gemm | attention_prefill | attention_decode | all_reduce
 *   dtype    a name of stepcost/format.h; empty: bf16
 *   tp       ranks; empty: 1.  batch empty: 1.  context empty: 0 (prefill) */
#ifndef SC_COST_KERNELS_H
#define SC_COST_KERNELS_H
#include <stdio.h>
#include "base/problem.h"
#include "cost/kernel_op.h"
#include "stepcost/plugin.h"

struct kernel_row {
	sc_kernel kernel;
	char *cell[KERNEL_COLUMNS]; /* as written, in the order above */
};
struct kernels {
	struct kernel_row *item;
	size_t n, cap;
};

/* 0, or -1 with "origin:line: what" (EXIT_INPUT) in *p. */
int kernels_read(struct kernels *s, FILE *f, const char *origin,
		 struct problem *p);
void kernels_free(struct kernels *s);
#endif
