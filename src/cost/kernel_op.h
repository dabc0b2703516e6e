/* cost/kernel_op.h -- what the host knows of each kind of kernel table: its
 * columns, what its times grow with, its FLOPs, and how a list of kernels asks
 * for one.  The kinds are those of stepcost/kernel_tables.h, which plugins read
 * too: a new kind is one row there and one here.
 *
 * FLOPs are those of the MFU columns that are published:
 *   gemm               2 m n k
 *   attention_prefill  2 heads head_dim new_tokens^2 batch
 *   attention_decode   4 (heads / tp) head_dim context batch */
#ifndef SC_COST_KERNEL_OP_H
#define SC_COST_KERNEL_OP_H
#include <stddef.h>
#include <stdint.h>
#include "stepcost/plugin.h"

/* Columns of a list of kernels. */
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
	/* from here on they are written only where a list has them */
	KERNEL_GEMM_DTYPE,
	KERNEL_KV_DTYPE,
	KERNEL_WINDOW,
	KERNEL_TOKENS,
	KERNEL_HIDDEN,
	KERNEL_INTER,
	KERNEL_EXPERTS,
	KERNEL_TOPK,
	KERNEL_EP,
	KERNEL_KIND,
	KERNEL_MODE,
	KERNEL_ROUTING,
	KERNEL_COLUMNS,
	KERNEL_NONE = KERNEL_COLUMNS,
	KERNEL_OPTIONAL = KERNEL_GEMM_DTYPE
};
enum kernel_holds { KERNEL_SIZE, KERNEL_FORMAT, KERNEL_WORD };
struct kernel_column_is {
	const char *name;
	enum kernel_holds holds;
	int may_be_0; /* of sizes */
};
extern const struct kernel_column_is kernel_column[KERNEL_COLUMNS];

/* What a column of a table is for. */
#define KERNEL_NEEDED 1u /* a table without it says too little              */
#define KERNEL_TELLS 2u  /* a table that has all of these is of this kind   */
#define KERNEL_WORDS 4u  /* holds words                                     */

struct kernel_axis {
	const char *name, *other_name; /* other_name may be NULL */
	enum kernel_column column;     /* in a list; KERNEL_NONE: in none */
	uint32_t is;                   /* KERNEL_NEEDED | … */
};
enum { KERNEL_MAX_KEYS = 10, KERNEL_MAX_AXES = 2, KERNEL_MAX_ASIDE = 2 };

struct kernel_op {
	const char *table; /* the file TABLE.csv */
	const char *name;  /* in a list; NULL: asked for under another's */
	uint32_t op;       /* SC_OP_*; 0: no cost model is asked for it */
	/* Columns of a list that must and that may be there: bits 1 << column.
	 */
	uint32_t needs, may;
	/* Of a table: what tells shapes apart, and what its times grow with;
	 * both end with name NULL.  Columns that are not listed tell shapes
	 * apart, too. */
	struct kernel_axis key[KERNEL_MAX_KEYS + 1], axis[KERNEL_MAX_AXES + 1];
	/* The times of a row, whose sum counts; none: latency_us. */
	const char *part[2][2]; /* each by two names */
	/* Numbers that follow from the others. */
	const char *aside[KERNEL_MAX_ASIDE];
	/* Of sizes by their column, 1 where one is not told; NULL: it computes
	 * nothing. */
	double (*flops)(const double size[KERNEL_COLUMNS]);
	/* The note of a MANIFEST that is the peak of its MFU, TFLOP/s. */
	const char *peak_note;
	/* Tables without host time begin below this, with little work; 0: not
	 * known. */
	double starts_us;
};
/* Ends with table NULL. */
extern const struct kernel_op kernel_ops[];

/* The op that a list calls so, or else the table; NULL: none, or no cost model
 * is asked for it. */
const struct kernel_op *kernel_op_find(const char *name);
/* The kind of the table TABLE.csv; NULL: none. */
const struct kernel_op *kernel_table_find(const char *table);
/* The kind that a table of these columns is; NULL: none.  Of several the one
 * that more of its columns tell. */
const struct kernel_op *kernel_table_told(int (*has)(const void *table,
						     const char *column),
					  const void *table);

/* Columns of tables by their names, whatever the table: whole numbers; words;
 * number formats; what was measured, or follows from the other columns. */
int kernel_column_is_count(const char *name);
int kernel_column_is_words(const char *name);
int kernel_column_is_format(const char *name);
int kernel_column_is_measure(const char *name);

/* The size of a list of that name; -1: there is none. */
int kernel_size_find(const char *name);
/* Stores a size.  0, or -1: it does not fit into sc_kernel. */
int kernel_set_size(sc_kernel *k, enum kernel_column size, uint64_t v);

/* For messages: "a, b or c", of the ops and of the sizes; both return buf. */
#define KERNEL_NAMES 256
const char *kernel_op_names(char buf[KERNEL_NAMES]);
const char *kernel_size_names(char buf[KERNEL_NAMES]);
#endif
