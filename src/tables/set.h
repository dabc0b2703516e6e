/* tables/set.h -- measured tables: a set is a folder of CSV files, one per kind
 * of kernels, with a MANIFEST of "key = value" lines that says where they come
 * from:
 *   PATH/SET/gemm.csv, PATH/SET/moe.csv …     doc/tables.md and
 *                                             cost/kernel_op.h list kinds
 *                                             and columns
 * Every column that is no result is part of a row's key.  A table with another
 * name is of an unknown kind; plugins see it.  A table in an unknown number
 * format is left out.
 *
 * The layout of InferSim's data folders is read directly and presented with the
 * same kinds and columns, files in ascending order of their names:
 *   PATH/gemm/SET/data.csv           m,k,n,latency_us,mfu
 *   PATH/grouped_gemm/{decode,prefill}/SET/data.csv
 *   PATH/mha/prefill/SET/H-K-D.csv   dtype,seq_len,latency_us,mfu
 *   PATH/mha/decode/SET/H-K-D.csv    dtype,kv_dtype,batch_size,kv_len,
 *                                    latency_us,mfu; also H-K-D-tpN.csv
 *   PATH/mla/{decode,prefill}/SET/HEADS-N-N.csv
 * Formats and the header may be absent; other columns are ignored.  Its GEMMs
 * are block-scaled: they become fp8_block, although the files say fp8.
 *
 * Numbers are finite and not negative, counts are whole, a time is above 0, a
 * dtype is a name of stepcost/format.h.  A column with another name holds
 * numbers or strings, as its first row does. */
#pragma once
#include "base/file/searchpath.h"
#include "tables/table_set.h"

/* Lists the folders that are searched for sets: `path`, resolved (NULL: not
 * given), then `written` in the data folders, unless it begins with '/' or '.'.
 * written is the path as the configuration spells it.  NULL means "bench_data",
 * which counts only if no path is given.  Returns 0, or -1 if memory is out. */
int set_folders(struct searchpath *s, const char *path, const char *written);
/* Returns the first of these folders that has the set; the caller frees it.
 * Returns NULL with *p filled in (EXIT_USAGE): the known sets and the
 * nearest. */
char *set_find(const char *path, const char *written, const char *set,
	       struct problem *p);
/* Adds the names of the sets in a folder, ascending: sets with a folder of
 * their own, then InferSim's.  layers: KERNEL_OF_*; a set of tables that
 * only other layers use is left out.  Returns 0, or -1 if memory is out. */
int set_names(struct names *names, const char *path, uint32_t layers);

/* Reads PATH/SET/MANIFEST; the result is empty if there is none.  Returns 0, or
 * -1 with *p filled in (EXIT_INPUT).  The caller calls ini_free() in either
 * case. */
int set_manifest(struct ini *manifest, const char *path, const char *name,
		 struct problem *p);

/* Loads the tables of a set except those that its MANIFEST lists as
 * `not_priced`, and those that only other layers than `layers` (KERNEL_OF_*)
 * use.  Returns 0, or -1 with "file:line: what" in *p: EXIT_USAGE if
 * there is no such set, EXIT_INPUT for its content. */
int set_load(struct table_set *s, const char *path, const char *name,
	     uint32_t layers, struct problem *p);
/* Loads all tables that can be read, and reports the others through *bad.
 * Returns -1 if the set has none, or if its MANIFEST is bad. */
int set_load_some(struct table_set *s, const char *path, const char *name,
		  const struct table_bad *bad, struct problem *p);
void set_free(struct table_set *s);
