/* cost/kernel_op.h -- what the host knows of each kind of kernel table: its
 * columns, the sizes that its time grows with, its FLOPs, and how a list of
 * kernels asks for one.  The kinds are those of
 * stepcost/kernel/kernel_tables.h, which plugins also read: a new kind is one
 * row there and one here.
 *
 * FLOPs are those of the published MFU columns:
 *   gemm               2 m n k
 *   attention_prefill  2 heads head_dim new_tokens^2 batch
 *   attention_decode   4 (heads / tp) head_dim context batch
 */
#pragma once
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
	/* The columns below are written only if a list has them. */
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
	/* linear attention */
	KERNEL_K_HEADS,
	KERNEL_K_DIM,
	KERNEL_V_HEADS,
	KERNEL_V_DIM,
	KERNEL_CONV,
	KERNEL_CHUNK,
	/* sparse attention, hyper-connections */
	KERNEL_MODEL,
	KERNEL_INDEXER,
	KERNEL_RATIO,
	KERNEL_PREFIX,
	KERNEL_STREAMS,
	KERNEL_SMS, /* of a dispatch or combine */
	KERNEL_COLUMNS,
	KERNEL_NONE = KERNEL_COLUMNS,
	KERNEL_OPTIONAL = KERNEL_GEMM_DTYPE
};
#define KERNEL_BIT(column) (UINT64_C(1) << (column))
enum kernel_holds { KERNEL_SIZE, KERNEL_FORMAT, KERNEL_WORD };
struct kernel_column_is {
	const char *name;
	enum kernel_holds holds;
	int may_be_0; /* for sizes */
};
extern const struct kernel_column_is kernel_column[KERNEL_COLUMNS];

/* The role of a column of a table. */
#define KERNEL_NEEDED 1u /* a table without it cannot be used */
#define KERNEL_TELLS 2u  /* a table with all of these is of this kind */
#define KERNEL_WORDS 4u  /* it holds strings */

struct kernel_axis {
	const char *name, *other_name; /* other_name may be NULL */
	enum kernel_column column; /* in a list; KERNEL_NONE: not in lists */
	uint32_t is;               /* KERNEL_NEEDED | … */
};
/* Kinds of layers with tables that no other layers use.  A model without such
 * layers does not read these tables. */
#define KERNEL_OF_GDN 1u
#define KERNEL_OF_KDA 2u
#define KERNEL_OF_MAMBA2 4u
#define KERNEL_OF_DSA 8u  /* latent attention to chosen tokens */
#define KERNEL_OF_MSA 16u /* attention of plain heads to chosen blocks */
#define KERNEL_OF_CSA 32u /* attention to a compressed cache */
#define KERNEL_OF_ANY UINT32_MAX

enum { KERNEL_MAX_KEYS = 10, KERNEL_MAX_AXES = 2, KERNEL_MAX_ASIDE = 2 };

struct kernel_op {
	const char *table; /* the file TABLE.csv */
	const char *name;  /* in a list; NULL: asked for under another name */
	uint32_t op;       /* SC_OP_*; 0: no cost model is asked for it */
	uint32_t linear;   /* SC_LINEAR_* of the kernels; 0: of other layers */
	/* Columns that a list must have and may have: KERNEL_BIT(column). */
	uint64_t needs, may;
	/* Columns of a table: those that distinguish shapes, and those that
	 * times grow with; both end with name NULL.  Columns that are not
	 * listed distinguish shapes, too. */
	struct kernel_axis key[KERNEL_MAX_KEYS + 1], axis[KERNEL_MAX_AXES + 1];
	/* The times of a row, which are added; without any: latency_us. */
	const char *part[2][2]; /* two names for each */
	/* Columns that are ignored, because they follow from the others. */
	const char *set_aside[KERNEL_MAX_ASIDE];
	/* Returns the FLOPs from sizes by column, 1 if a size is absent; NULL:
	 * the kernel computes nothing. */
	double (*flops)(const double size[KERNEL_COLUMNS]);
	/* The key of a MANIFEST with the peak for its MFU, TFLOP/s. */
	const char *peak_note;
	uint32_t layers; /* KERNEL_OF_*; 0: layers of any kind */
	/* The words of column `op` that a layer needs, with a space before and
	 * behind each; NULL: the table has one kernel. */
	const char *ops;
	/* If the shortest times of a table are below this, they do not include
	 * the time of the host; 0: not known. */
	double starts_us;
};
/* The last element has a table of NULL. */
extern const struct kernel_op kernel_ops[];

/* Returns the op with that name in a list, or with that table; NULL: there is
 * none, or no cost model is asked for it. */
const struct kernel_op *kernel_op_find(const char *name);
/* Returns the kind of the table TABLE.csv, or NULL. */
const struct kernel_op *kernel_table_find(const char *table);
/* Returns the layers of a model that have tables of their own, KERNEL_OF_*. */
uint32_t kernel_layers_of(const sc_model *m);
/* Returns 1 if a model with these layers may use a table of the kind; NULL: an
 * unknown kind, which any model may. */
int kernel_op_serves(const struct kernel_op *o, uint32_t layers);
/* Returns the kind of a table with these columns, or NULL.  If several match,
 * the one that more of the columns identify. */
const struct kernel_op *kernel_table_reported(int (*has)(const void *table,
							 const char *column),
					      const void *table);

/* Tell what a column holds, by its name in any table: whole numbers; words;
 * number formats; a measurement, or what follows from other columns. */
int kernel_column_is_count(const char *name);
int kernel_column_is_text(const char *name);
int kernel_column_is_format(const char *name);
int kernel_column_is_measure(const char *name);

/* Returns the size with that name in a list, or -1. */
int kernel_size_find(const char *name);
/* Stores a size.  Returns 0, or -1 if it does not fit into sc_kernel. */
int kernel_set_size(sc_kernel *k, enum kernel_column size, uint64_t v);

/* For messages: write "a, b or c", the ops or the sizes.  Both return buf. */
#define KERNEL_NAMES 512
const char *kernel_op_names(char buf[KERNEL_NAMES]);
const char *kernel_size_names(char buf[KERNEL_NAMES]);
