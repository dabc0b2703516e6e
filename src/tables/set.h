/* tables/set.h -- measured tables: a set is a folder of CSV files, one of each
 * kind of kernels, with a MANIFEST of "key = value" lines that says where they
 * come from:
 *   PATH/SET/gemm.csv, PATH/SET/moe.csv …     doc/tables.md lists kinds and
 *                                             columns, as cost/kernel_op.h does
 * Every column that is no result is a part of a row's key.  A table of another
 * name is of no kind that is known here; plugins see it.  One in a number
 * format that is not known is left out.
 *
 * The layout of InferSim's data folders is read as it is and presented with
 * the same kinds and columns, files in ascending order of their names:
 *   PATH/gemm/SET/data.csv           m,k,n,latency_us,mfu
 *   PATH/grouped_gemm/{decode,prefill}/SET/data.csv
 *   PATH/mha/prefill/SET/H-K-D.csv   dtype,seq_len,latency_us,mfu
 *   PATH/mha/decode/SET/H-K-D.csv    dtype,kv_dtype,batch_size,kv_len,
 *                                    latency_us,mfu; also H-K-D-tpN.csv
 *   PATH/mla/{decode,prefill}/SET/HEADS-N-N.csv
 * (formats may be absent, also the header; other columns are left out).  Its
 * GEMMs are block-scaled: fp8_block, though it says fp8.
 *
 * Numbers are finite and not negative, counts are whole, a time is above 0, a
 * dtype is a name of stepcost/format.h.  Columns of other names are numbers or
 * words, as their first row is. */
#ifndef SC_TABLES_SET_H
#define SC_TABLES_SET_H
#include "base/searchpath.h"
#include "tables/table_set.h"

/* The folders in which sets are looked for: `path`, resolved (NULL: none
 * given), then the data folders with `written` in them, unless that begins with
 * '/' or '.'.  written is how a configuration spells the path; NULL:
 * "bench_data", and only where no path is given.  0, or -1: out of memory. */
int set_folders(struct searchpath *s, const char *path, const char *written);
/* The first of these folders that has the set.  Free it.  NULL with *p
 * (EXIT_USAGE): which sets there are, and the nearest. */
char *set_find(const char *path, const char *written, const char *set,
	       struct problem *p);
/* Adds the sets of a folder, ascending: those of its own, then InferSim's.  0,
 * or -1: out of memory. */
int set_names(struct names *names, const char *path);

/* What PATH/SET/MANIFEST says; empty: there is none.  0, or -1 with *p
 * (EXIT_INPUT).  ini_free() in either case. */
int set_manifest(struct ini *manifest, const char *path, const char *name,
		 struct problem *p);

/* The tables of a set but those that its MANIFEST names as `not_priced`.  0, or
 * -1 with "file:line: what" in *p: EXIT_USAGE if there is no such set,
 * EXIT_INPUT for its content. */
int set_load(struct table_set *s, const char *path, const char *name,
	     struct problem *p);
/* All of them that can be read: each other one is told.  -1: the set has none,
 * or its MANIFEST is bad. */
int set_load_some(struct table_set *s, const char *path, const char *name,
		  const struct table_bad *bad, struct problem *p);
void set_free(struct table_set *s);
#endif
