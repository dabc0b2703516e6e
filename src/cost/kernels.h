/* cost/kernels.h -- single kernels to price, from CSV with the columns
 *   op,dtype,m,n,k,heads,kv_heads,head_dim,tp,batch,new_tokens,context,
 *   message_bytes
 *   gemm_dtype,kv_dtype,window,tokens,hidden,inter,experts,topk,ep,kind,mode,
 *   routing,k_heads,k_dim,v_heads,v_dim,conv,chunk,model,indexer,ratio,prefix,
 *   streams,sms                                    if the file has them
 * by name and in any order.  Cells that an op does not use are empty.
 *   op       gemm | attention_prefill | attention_decode | all_reduce | moe |
 *            mla_decode | mla_prefill | mla_core | mla_bmm | collective |
 *            all_to_all | gdn | kda | mamba2 | dsa_decode | dsa_prefill |
 *            msa_decode | msa_prefill | csa_decode | csa_prefill | mhc
 *   dtype    a name of stepcost/format.h; empty: bf16.  gemm_dtype and
 *            kv_dtype: the same; empty: that of dtype, and 16 bit
 *   tp       ranks; for moe the divisor of its width; empty: 1.  batch
 *            empty: 1.  context empty: 0 (prefill)
 *   kind     the word in a table's column `op`: all_gather, dispatch …
 *   k_heads, k_dim   empty: as v_heads, v_dim (kda)
 *   sms      SMs of a dispatch or combine; empty or 0: not told
 */
#pragma once
#include <stdio.h>
#include "base/problem.h"
#include "cost/kernel_op.h"
#include "stepcost/plugin.h"

struct kernel_row {
	sc_kernel kernel; /* its texts point into cell */
	/* as written, in the order of the columns */
	char *cell[KERNEL_COLUMNS];
};
struct kernels {
	struct kernel_row *item;
	size_t n, cap;
	uint64_t columns; /* of the file: KERNEL_BIT(column) */
};

/* Adds a kernel by the texts of its columns; "": empty.  Returns 0, or -1 with
 * the reason in *p (EXIT_INPUT). */
int kernels_add(struct kernels *s, const char *const cell[KERNEL_COLUMNS],
		struct problem *p);

/* Returns 1 if the column is written.  Those before KERNEL_OPTIONAL always
 * are. */
int kernels_show(const struct kernels *s, enum kernel_column column);

/* Returns 0, or -1 with "origin:line: what" in *p (EXIT_INPUT). */
int kernels_read(struct kernels *s, FILE *f, const char *origin,
		 struct problem *p);
void kernels_free(struct kernels *s);
