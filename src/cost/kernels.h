/* cost/kernels.h -- single kernels to price, from CSV with the columns
 *   op,dtype,m,n,k,heads,kv_heads,head_dim,tp,batch,new_tokens,context,
 *   message_bytes
 *   gemm_dtype,kv_dtype,window,tokens,hidden,inter,experts,topk,ep,kind,mode,
 *   routing                                        where the file has them
 * by name and in any order; cells that an op does not use are empty.
 *   op       gemm | attention_prefill | attention_decode | all_reduce | moe |
 *            mla_decode | mla_prefill | mla_core | mla_bmm | collective |
 *            all_to_all
 *   dtype    a name of stepcost/format.h; empty: bf16.  gemm_dtype, kv_dtype:
 *            the same; empty: that of dtype, and 16 bit
 *   tp       ranks; of moe what its width is divided by; empty: 1.  batch
 *            empty: 1.  context empty: 0 (prefill)
 *   kind     what a table's column `op` says: all_gather, dispatch … */
#ifndef SC_COST_KERNELS_H
#define SC_COST_KERNELS_H
#include <stdio.h>
#include "base/problem.h"
#include "cost/kernel_op.h"
#include "stepcost/plugin.h"

struct kernel_row {
	sc_kernel kernel;           /* its words are in cell */
	char *cell[KERNEL_COLUMNS]; /* as written, in the order above */
};
struct kernels {
	struct kernel_row *item;
	size_t n, cap;
	uint32_t columns; /* that the file has: bits 1 << column */
};

/* Is the column written?  Those before KERNEL_OPTIONAL always are. */
int kernels_show(const struct kernels *s, enum kernel_column column);

/* 0, or -1 with "origin:line: what" (EXIT_INPUT) in *p. */
int kernels_read(struct kernels *s, FILE *f, const char *origin,
		 struct problem *p);
void kernels_free(struct kernels *s);
#endif
