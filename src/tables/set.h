/* tables/set.h -- measured tables: a set is a folder of CSV files, one per op,
 * with a MANIFEST of "key = value" lines that says where they come from.
 *
 *   PATH/SET/gemm.csv                dtype,m,n,k,latency_us[,mfu]
 *   PATH/SET/attention_prefill.csv   dtype,heads,kv_heads,head_dim,batch,
 *                                    seq_len,latency_us[,mfu]
 *   PATH/SET/attention_decode.csv    …,batch,kv_len,latency_us[,mfu]; heads as
 *                                    heads,kv_heads,head_dim of one rank or as
 *                                    model_heads,model_kv_heads,head_dim,tp
 *   PATH/SET/all_reduce.csv          dtype,ranks,message_bytes,latency_us
 *
 * The layout of InferSim's data folders is read as it is and presented with
 * the same ops and columns, files in ascending order of their names:
 *   PATH/gemm/SET/data.csv           m,k,n,latency_us,mfu
 *   PATH/mha/prefill/SET/H-K-D.csv   dtype,seq_len,latency_us,mfu
 *   PATH/mha/decode/SET/H-K-D-tpN.csv  dtype,batch_size,kv_len,latency_us,mfu
 * (dtype may be absent; other columns are left out).
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

/* All tables of a set.  0, or -1 with "file:line: what" in *p: EXIT_USAGE if
 * there is no such set, EXIT_INPUT for its content. */
int set_load(struct table_set *s, const char *path, const char *name,
	     struct problem *p);
/* The same of the tables that can be read: each other one is told.  -1: the set
 * has none, or its MANIFEST is bad. */
int set_load_some(struct table_set *s, const char *path, const char *name,
		  const struct table_bad *bad, struct problem *p);
void set_free(struct table_set *s);
#endif
