/* cost/kernel_op.h -- the kernels that can be measured and priced, once for
 * all: what each is called in files, the columns that say its size, and its
 * FLOPs.
 *
 *   gemm               2 m n k
 *   attention_prefill  2 heads head_dim new_tokens^2 batch
 *   attention_decode   4 (heads / tp) head_dim context batch
 *   all_reduce         none
 * which are the FLOPs of the MFU columns that are published. */
#ifndef SC_COST_KERNEL_OP_H
#define SC_COST_KERNEL_OP_H
#include <stddef.h>
#include <stdint.h>
#include "stepcost/plugin.h"

/* Columns of a list of kernels; from KERNEL_M on they are sizes. */
enum kernel_column {
	KERNEL_OP,
	KERNEL_DTYPE,
	KERNEL_M,
	KERNEL_N,
	KERNEL_K,
	KERNEL_HEADS,
	KERNEL_KV_HEADS,
	KERNEL_HEAD_DIM,
	KERNEL_TP,
	KERNEL_BATCH,
	KERNEL_NEW_TOKENS,
	KERNEL_CONTEXT,
	KERNEL_MESSAGE_BYTES,
	KERNEL_COLUMNS
};
extern const char *const kernels_column[KERNEL_COLUMNS];

/* A size as a measured table has it. */
struct kernel_axis {
	const char *name, *other_name; /* other_name may be NULL */
	enum kernel_column column;
	int tells; /* a table that has all columns marked so is of this op */
};
enum { KERNEL_MAX_KEYS = 4, KERNEL_MAX_AXES = 2 };

struct kernel_op {
	const char *name; /* in a list; a table is the file NAME.csv */
	uint32_t op;      /* SC_OP_* */
	/* Columns of a list that must and that may be there: bits 1 << column.
	 */
	uint32_t needs, may;
	/* Of a table: what tells shapes apart, and what its times grow with;
	 * both end with name NULL. */
	struct kernel_axis key[KERNEL_MAX_KEYS + 1], axis[KERNEL_MAX_AXES + 1];
	/* Of sizes by their column, 1 where one is not told; NULL: it computes
	 * nothing. */
	double (*flops)(const double size[KERNEL_COLUMNS]);
};
/* Ends with name NULL. */
extern const struct kernel_op kernel_ops[];

/* NULL: none of that name. */
const struct kernel_op *kernel_op_find(const char *name);
/* The size of that name; -1: there is none. */
int kernel_size_find(const char *name);
/* Stores a size.  0, or -1: it does not fit into sc_kernel. */
int kernel_set_size(sc_kernel *k, enum kernel_column size, uint64_t v);

/* For messages: "a, b or c", of the ops and of the sizes; both return buf. */
#define KERNEL_NAMES 128
const char *kernel_op_names(char buf[KERNEL_NAMES]);
const char *kernel_size_names(char buf[KERNEL_NAMES]);
#endif
