/* stepcost/kernel/kernel_tables.h -- header-only helper: the one list of the
 * kinds of kernel tables.  The file TABLE.csv holds one kind.  The host and the
 * cost models take the kinds from here.  A new kind is one row here, and one
 * row in src/cost/kernel_op.c with its columns:
 *
 *   X(table, op, law, x, key...)
 *
 * op: the SC_OP_* that asks for its kernels; 0: no cost model is asked for
 * them. law: the SC_OPLAW_* that its times are divided by; SC_NO_LAW: none. x,
 * key: a table without a law is interpolated along column x, one curve for each
 * value of the key columns; NULL: the table has a law of its own, or
 * `operators` does not read it. */
#ifndef SC_KERNEL_TABLES_H
#define SC_KERNEL_TABLES_H
#include <string.h>
#include "stepcost/kernel/operator_law.h"
#include "stepcost/plugin.h"

#define SC_NO_LAW SC_N_OPLAWS

#define SC_KERNEL_TABLES(X)                                                    \
	X(gemm, SC_OP_GEMM, SC_OPLAW_GEMM, NULL)                               \
	X(gemm_more, SC_OP_GEMM, SC_OPLAW_GEMM, NULL)                          \
	X(attention_prefill, SC_OP_PREFILL, SC_OPLAW_PREFILL, NULL)            \
	X(attention_prefill_more, SC_OP_PREFILL, SC_OPLAW_PREFILL, NULL)       \
	X(attention_decode, SC_OP_DECODE, SC_OPLAW_DECODE, NULL)               \
	X(attention_decode_more, SC_OP_DECODE, SC_OPLAW_DECODE, NULL)          \
	X(all_reduce, SC_OP_ALL_REDUCE, SC_NO_LAW, "message_bytes", "ranks")   \
	X(moe, SC_OP_MOE, SC_OPLAW_MOE, NULL)                                  \
	X(mla_module_decode, SC_OP_MLA_DECODE, SC_OPLAW_MODULE_DECODE, NULL)   \
	X(mla_module_prefill, SC_OP_MLA_PREFILL, SC_OPLAW_MODULE_PREFILL,      \
	  NULL)                                                                \
	X(mla_decode, SC_OP_MLA_CORE, SC_OPLAW_MLA_DECODE, NULL)               \
	X(mla_prefill, SC_OP_MLA_CORE, SC_OPLAW_MLA_PREFILL, NULL)             \
	X(mla_bmm, SC_OP_MLA_BMM, SC_NO_LAW, "tokens", "heads")                \
	X(collective, SC_OP_COLLECTIVE, SC_NO_LAW, "message_bytes", "ranks")   \
	X(all_to_all, SC_OP_ALL_TO_ALL, SC_NO_LAW, "tokens", "ranks",          \
	  "hidden", "experts", "topk")                                         \
	X(gdn, SC_OP_LINEAR, SC_NO_LAW, NULL)                                  \
	X(kda, SC_OP_LINEAR, SC_NO_LAW, NULL)                                  \
	X(mamba2, SC_OP_LINEAR, SC_NO_LAW, NULL)                               \
	X(mamba2_step, 0, SC_NO_LAW, NULL)                                     \
	X(dsa_module_decode, SC_OP_SPARSE_DECODE, SC_NO_LAW, NULL)             \
	X(dsa_module_prefill, SC_OP_SPARSE_PREFILL, SC_NO_LAW, NULL)           \
	X(msa_module_decode, SC_OP_SPARSE_DECODE, SC_NO_LAW, NULL)             \
	X(msa_module_prefill, SC_OP_SPARSE_PREFILL, SC_NO_LAW, NULL)           \
	X(csa_module_decode, SC_OP_SPARSE_DECODE, SC_NO_LAW, NULL)             \
	X(csa_module_prefill, SC_OP_SPARSE_PREFILL, SC_NO_LAW, NULL)           \
	X(mhc, SC_OP_MHC, SC_NO_LAW, "tokens", "hidden", "mult")               \
	X(moe_suspect, 0, SC_NO_LAW, NULL)                                     \
	X(grouped_gemm_decode, 0, SC_OPLAW_MOE, NULL)                          \
	X(grouped_gemm_prefill, 0, SC_OPLAW_MOE, NULL)                         \
	X(all_reduce_eager, 0, SC_NO_LAW, NULL)                                \
	X(p2p, 0, SC_NO_LAW, NULL)                                             \
	X(elementwise, 0, SC_NO_LAW, NULL)                                     \
	X(attention_mixed, 0, SC_NO_LAW, NULL)                                 \
	X(layer, 0, SC_NO_LAW, NULL)                                           \
	X(moe_activated, 0, SC_NO_LAW, NULL)                                   \
	X(dsa_attention_decode, 0, SC_NO_LAW, NULL)                            \
	X(dsa_attention_prefill, 0, SC_NO_LAW, NULL)                           \
	X(dsa_indexer_decode, 0, SC_NO_LAW, NULL)                              \
	X(dsa_indexer_prefill, 0, SC_NO_LAW, NULL)

/* SC_TABLE_gemm is the place of a kind in the list, SC_OP_OF_gemm its op. */
#define SC_KERNEL_TABLE_PLACE(table, op, law, ...) SC_TABLE_##table,
#define SC_KERNEL_TABLE_OP(table, op, law, ...) SC_OP_OF_##table = (op),
enum sc_kernel_table_place {
	SC_KERNEL_TABLES(SC_KERNEL_TABLE_PLACE) SC_N_KERNEL_TABLES
};
enum { SC_KERNEL_TABLES(SC_KERNEL_TABLE_OP) SC_OP_OF_NONE = 0 };

#define SC_CURVE_KEYS 4
struct sc_kernel_table {
	const char *table;                    /* as sc_table.op has it */
	uint32_t op;                          /* SC_OP_*; 0: none */
	uint32_t law;                         /* SC_OPLAW_* or SC_NO_LAW */
	const char *along[1 + SC_CURVE_KEYS]; /* x, then its key; x NULL: no
						 curve */
};
#define SC_KERNEL_TABLE_ROW(table, op, law, ...)                               \
	{#table, op, law, {__VA_ARGS__}},
static const struct sc_kernel_table sc_kernel_tables[SC_N_KERNEL_TABLES] = {
    SC_KERNEL_TABLES(SC_KERNEL_TABLE_ROW)};

/* Returns the row of a table; NULL: no such kind. */
static inline const struct sc_kernel_table *sc_kernel_table(const char *table)
{
	for (size_t i = 0; i < SC_N_KERNEL_TABLES; i++)
		if (!strcmp(sc_kernel_tables[i].table, table))
			return &sc_kernel_tables[i];
	return NULL;
}
#endif
