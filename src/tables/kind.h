/* tables/kind.h -- the kinds of kernels that tables hold, and the columns that
 * each has.  Whatever reads, lists or checks tables takes them from here: a new
 * kind is one row.
 *
 * FLOPs are those of the MFU columns that are published:
 *   gemm               2 m n k
 *   attention_prefill  2 heads head_dim seq_len^2 batch
 *   attention_decode   4 (heads / tp) head_dim kv_len batch */
#ifndef SC_TABLES_KIND_H
#define SC_TABLES_KIND_H

enum {
	KIND_KEYS = 4,
	KIND_AXES = 2,
	KIND_SLOTS = KIND_KEYS + KIND_AXES,
	KIND_NAMES = 2 /* that a column may have */
};

struct table_kind {
	const char *op; /* also the name of its file, "gemm.csv" */
	/* Columns that a table has if it is of this kind, and else lacks. */
	const char *sign[3];
	/* What tells shapes apart, then what times grow with; NULL: no more. */
	const char *key[KIND_KEYS][KIND_NAMES];
	const char *axis[KIND_AXES][KIND_NAMES];
	/* Of one kernel, from its keys and axes; NULL: it computes nothing. */
	double (*flops)(const double v[KIND_SLOTS]);
	/* The note of a MANIFEST that is the peak of its MFU, TFLOP/s. */
	const char *peak_note;
};
extern const struct table_kind table_kind[];
extern const int n_table_kinds;

/* Columns by name: whole numbers; times, and shares of a peak. */
int table_is_count(const char *column);
int table_is_measure(const char *column);
#endif
