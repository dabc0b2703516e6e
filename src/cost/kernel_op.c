/* kernel_op.c -- The list of kernels that can be measured and priced. */
#include "cost/kernel_op.h"
#include <stdio.h>
#include <string.h>
#include "stepcost/kernel/kernel_tables.h"

const struct kernel_column_is kernel_column[KERNEL_COLUMNS] = {
    [KERNEL_OP] = {"op", KERNEL_WORD, 0},
    [KERNEL_DTYPE] = {"dtype", KERNEL_FORMAT, 0},
    [KERNEL_M] = {"m", KERNEL_SIZE, 0},
    [KERNEL_N] = {"n", KERNEL_SIZE, 0},
    [KERNEL_K] = {"k", KERNEL_SIZE, 0},
    [KERNEL_HEADS] = {"heads", KERNEL_SIZE, 0},
    [KERNEL_KV_HEADS] = {"kv_heads", KERNEL_SIZE, 1},
    [KERNEL_HEAD_DIM] = {"head_dim", KERNEL_SIZE, 0},
    [KERNEL_TP] = {"tp", KERNEL_SIZE, 0},
    [KERNEL_BATCH] = {"batch", KERNEL_SIZE, 0},
    [KERNEL_NEW_TOKENS] = {"new_tokens", KERNEL_SIZE, 0},
    [KERNEL_CONTEXT] = {"context", KERNEL_SIZE, 1},
    [KERNEL_MESSAGE_BYTES] = {"message_bytes", KERNEL_SIZE, 0},
    [KERNEL_GEMM_DTYPE] = {"gemm_dtype", KERNEL_FORMAT, 0},
    [KERNEL_KV_DTYPE] = {"kv_dtype", KERNEL_FORMAT, 0},
    [KERNEL_WINDOW] = {"window", KERNEL_SIZE, 1},
    [KERNEL_TOKENS] = {"tokens", KERNEL_SIZE, 0},
    [KERNEL_HIDDEN] = {"hidden", KERNEL_SIZE, 0},
    [KERNEL_INTER] = {"inter", KERNEL_SIZE, 0},
    [KERNEL_EXPERTS] = {"experts", KERNEL_SIZE, 0},
    [KERNEL_TOPK] = {"topk", KERNEL_SIZE, 0},
    [KERNEL_EP] = {"ep", KERNEL_SIZE, 0},
    [KERNEL_KIND] = {"kind", KERNEL_WORD, 0},
    [KERNEL_MODE] = {"mode", KERNEL_WORD, 0},
    [KERNEL_ROUTING] = {"routing", KERNEL_WORD, 0},
    [KERNEL_K_HEADS] = {"k_heads", KERNEL_SIZE, 0},
    [KERNEL_K_DIM] = {"k_dim", KERNEL_SIZE, 0},
    [KERNEL_V_HEADS] = {"v_heads", KERNEL_SIZE, 0},
    [KERNEL_V_DIM] = {"v_dim", KERNEL_SIZE, 0},
    [KERNEL_CONV] = {"conv", KERNEL_SIZE, 0},
    [KERNEL_CHUNK] = {"chunk", KERNEL_SIZE, 0},
    [KERNEL_MODEL] = {"model", KERNEL_WORD, 0},
    [KERNEL_INDEXER] = {"indexer", KERNEL_SIZE, 1},
    [KERNEL_RATIO] = {"ratio", KERNEL_SIZE, 0},
    [KERNEL_PREFIX] = {"prefix", KERNEL_SIZE, 1},
    [KERNEL_STREAMS] = {"streams", KERNEL_SIZE, 0},
    [KERNEL_SMS] = {"sms", KERNEL_SIZE, 1},
};

static double gemm_flops(const double x[KERNEL_COLUMNS])
{
	return 2 * x[KERNEL_M] * x[KERNEL_N] * x[KERNEL_K];
}

static double prefill_flops(const double x[KERNEL_COLUMNS])
{
	return 2 * x[KERNEL_HEADS] * x[KERNEL_HEAD_DIM] * x[KERNEL_NEW_TOKENS] *
	       x[KERNEL_NEW_TOKENS] * x[KERNEL_BATCH];
}

static double decode_flops(const double x[KERNEL_COLUMNS])
{
	return 4 * (x[KERNEL_HEADS] / x[KERNEL_TP]) * x[KERNEL_HEAD_DIM] *
	       x[KERNEL_CONTEXT] * x[KERNEL_BATCH];
}

/* ---- columns that several kinds share ---- */

#define BIT(column) KERNEL_BIT(KERNEL_##column)
#define COLUMN(name, column, is)                                               \
	{                                                                      \
		name, NULL, KERNEL_##column, is                                \
	}
#define NEEDED(name, column) COLUMN(name, column, KERNEL_NEEDED)
#define TELLS(name, column) COLUMN(name, column, KERNEL_NEEDED | KERNEL_TELLS)
#define WORDS(name, column) COLUMN(name, column, KERNEL_WORDS)
#define OTHER(name, other, column, is)                                         \
	{                                                                      \
		name, other, KERNEL_##column, is                               \
	}

#define THE_DTYPE WORDS("dtype", DTYPE)
#define THE_KV_DTYPE WORDS("kv_dtype", KV_DTYPE)
#define THE_WINDOW COLUMN("window", WINDOW, 0)
#define THE_HEADS OTHER("heads", "model_heads", HEADS, KERNEL_NEEDED)
#define THE_KV_HEADS                                                           \
	OTHER("kv_heads", "model_kv_heads", KV_HEADS, KERNEL_NEEDED)
#define THE_HEAD_DIM NEEDED("head_dim", HEAD_DIM)
#define THE_BATCH OTHER("batch", "batch_size", BATCH, 0)
#define THE_SEQ_LEN TELLS("seq_len", NEW_TOKENS)
#define THE_KV_LEN TELLS("kv_len", CONTEXT)
#define THE_MESSAGE_BYTES TELLS("message_bytes", MESSAGE_BYTES)
#define THE_RANKS NEEDED("ranks", TP)

/* Members of an op in a list, and of the tables that answer it. */
#define GEMM_ROWS                                                              \
	.needs = BIT(M) | BIT(N) | BIT(K),                                     \
	.key = {THE_DTYPE, TELLS("n", N), TELLS("k", K)},                      \
	.axis = {TELLS("m", M)}, .flops = gemm_flops,                          \
	.peak_note = "gemm_peak_tflops", .starts_us = 12
#define PREFILL_ROWS                                                           \
	.needs = BIT(HEADS) | BIT(KV_HEADS) | BIT(HEAD_DIM) | BIT(NEW_TOKENS), \
	.may =                                                                 \
	    BIT(TP) | BIT(BATCH) | BIT(CONTEXT) | BIT(KV_DTYPE) | BIT(WINDOW), \
	.axis = {THE_BATCH, THE_SEQ_LEN}, .flops = prefill_flops,              \
	.peak_note = "attention_peak_tflops", .starts_us = 20
#define DECODE_ROWS                                                            \
	.needs = BIT(HEADS) | BIT(KV_HEADS) | BIT(HEAD_DIM) | BIT(CONTEXT),    \
	.may = BIT(TP) | BIT(BATCH) | BIT(KV_DTYPE) | BIT(WINDOW),             \
	.axis = {THE_BATCH, THE_KV_LEN}, .flops = decode_flops,                \
	.peak_note = "attention_peak_tflops", .starts_us = 20
#define MODULE_KEYS                                                            \
	{                                                                      \
		COLUMN("gemm_dtype", GEMM_DTYPE, KERNEL_WORDS), THE_KV_DTYPE,  \
		    WORDS("kernel", NONE), THE_HEADS                           \
	}
#define MOE_KEYS                                                               \
	{                                                                      \
		THE_DTYPE, WORDS("kernel", NONE), WORDS("routing", ROUTING),   \
		    TELLS("hidden", HIDDEN), TELLS("inter", INTER),            \
		    TELLS("experts", EXPERTS), TELLS("topk", TOPK),            \
		    COLUMN("tp", TP, 0), COLUMN("ep", EP, 0)                   \
	}
#define GROUPED_KEYS                                                           \
	{                                                                      \
		THE_DTYPE, OTHER("experts", "num_experts", EXPERTS, TOLD),     \
		    OTHER("ranks", "num_gpus", EP, TOLD),                      \
		    OTHER("local_experts", "num_local_experts", NONE, TOLD),   \
		    NEEDED("topk", TOPK),                                      \
		    OTHER("hidden", "hidden_size", HIDDEN, KERNEL_NEEDED),     \
		    OTHER("inter", "intermediate_size", INTER, KERNEL_NEEDED)  \
	}
#define THE_KERNEL WORDS("kernel", NONE)
#define THE_OP COLUMN("op", KIND, KERNEL_WORDS | KERNEL_NEEDED)
/* Kernels of linear attention; both lengths may be 1. */
#define LINEAR_ROWS                                                            \
	.needs = BIT(KIND) | BIT(V_HEADS) | BIT(V_DIM) | BIT(CONV),            \
	.may = BIT(BATCH) | BIT(NEW_TOKENS) | BIT(K_HEADS) | BIT(K_DIM) |      \
	       BIT(CHUNK) | BIT(KV_DTYPE),                                     \
	.axis = {NEEDED("batch", BATCH), NEEDED("seq_len", NEW_TOKENS)}
#define DELTA_OPS " conv_prefill scan_prefill conv_decode step_decode "
/* A module of sparse attention; prefix is one of its keys. */
#define THE_PREFIX COLUMN("prefix", PREFIX, KERNEL_NEEDED)
#define THE_GEMM_DTYPE COLUMN("gemm_dtype", GEMM_DTYPE, KERNEL_WORDS)
#define THE_CHOICE                                                             \
	COLUMN("model", MODEL, KERNEL_WORDS | KERNEL_NEEDED),                  \
	    TELLS("indexer", INDEXER), THE_GEMM_DTYPE, THE_KV_DTYPE,           \
	    THE_KERNEL, THE_HEADS
#define THE_BLOCKS THE_GEMM_DTYPE, THE_KV_DTYPE, THE_KERNEL, THE_HEADS
#define THE_RATIO                                                              \
	COLUMN("model", MODEL, KERNEL_WORDS | KERNEL_NEEDED),                  \
	    TELLS("ratio", RATIO), THE_BLOCKS
/* of: what else tells of the module. */
#define SPARSE_DECODE(of)                                                      \
	.needs = BIT(HEADS) | BIT(CONTEXT) | (of),                             \
	.may = BIT(TP) | BIT(BATCH) | BIT(GEMM_DTYPE) | BIT(KV_DTYPE)
#define SPARSE_PREFILL(of)                                                     \
	.needs = BIT(HEADS) | BIT(NEW_TOKENS) | (of),                          \
	.may = BIT(TP) | BIT(BATCH) | BIT(GEMM_DTYPE) | BIT(KV_DTYPE) |        \
	       BIT(PREFIX)
#define OF_DSA (BIT(MODEL) | BIT(INDEXER))
#define OF_CSA (BIT(MODEL) | BIT(RATIO))
#define SPARSE_DECODE_ROWS .axis = {THE_BATCH, THE_KV_LEN}, .starts_us = 220
#define SPARSE_PREFILL_ROWS .axis = {THE_BATCH, THE_SEQ_LEN}, .starts_us = 1000
#define TOLD (KERNEL_NEEDED | KERNEL_TELLS)
#define GROUPED_ROWS                                                           \
	.key = GROUPED_KEYS,                                                   \
	.part = {{"up_us", "up_proj_us"}, {"down_us", "down_proj_us"}},        \
	.set_aside = {"tokens_per_expert", "valid_tokens_est"}

/* ---- the list ---- */

/* A kind of SC_KERNEL_TABLES, and what the host knows of it. */
#define KIND(kind, ...)                                                        \
	[SC_TABLE_##kind] = {.table = #kind, .op = SC_OP_OF_##kind, __VA_ARGS__}

const struct kernel_op kernel_ops[SC_N_KERNEL_TABLES + 1] = {
    KIND(gemm, .name = "gemm", GEMM_ROWS),
    KIND(gemm_more, GEMM_ROWS),
    KIND(attention_prefill, .name = "attention_prefill", PREFILL_ROWS,
	 .key = {THE_DTYPE, THE_HEADS, THE_KV_HEADS, THE_HEAD_DIM}),
    KIND(attention_prefill_more, PREFILL_ROWS,
	 .key = {THE_DTYPE, THE_KV_DTYPE, THE_HEADS, THE_KV_HEADS, THE_HEAD_DIM,
		 THE_WINDOW}),
    KIND(attention_decode, .name = "attention_decode", DECODE_ROWS,
	 .key = {THE_DTYPE, THE_HEADS, THE_KV_HEADS, THE_HEAD_DIM,
		 COLUMN("tp", TP, 0)}),
    KIND(attention_decode_more, DECODE_ROWS,
	 .key = {THE_DTYPE, THE_KV_DTYPE, THE_HEADS, THE_KV_HEADS, THE_HEAD_DIM,
		 THE_WINDOW, COLUMN("tp", TP, 0)}),
    KIND(all_reduce, .name = "all_reduce",
	 .needs = BIT(TP) | BIT(MESSAGE_BYTES), .key = {THE_DTYPE, THE_RANKS},
	 .axis = {THE_MESSAGE_BYTES}, .starts_us = 12),
    KIND(moe, .name = "moe",
	 .needs =
	     BIT(TOKENS) | BIT(HIDDEN) | BIT(INTER) | BIT(EXPERTS) | BIT(TOPK),
	 .may = BIT(TP) | BIT(EP) | BIT(ROUTING), .key = MOE_KEYS,
	 .axis = {TELLS("tokens", TOKENS)}, .starts_us = 100),
    KIND(mla_module_decode, .name = "mla_decode",
	 .needs = BIT(HEADS) | BIT(CONTEXT),
	 .may = BIT(TP) | BIT(BATCH) | BIT(GEMM_DTYPE) | BIT(KV_DTYPE),
	 .key = MODULE_KEYS, .axis = {THE_BATCH, THE_KV_LEN}, .starts_us = 70),
    KIND(mla_module_prefill, .name = "mla_prefill",
	 .needs = BIT(HEADS) | BIT(NEW_TOKENS),
	 .may = BIT(TP) | BIT(BATCH) | BIT(GEMM_DTYPE) | BIT(KV_DTYPE) |
		BIT(CONTEXT),
	 .key = MODULE_KEYS, .axis = {THE_BATCH, THE_SEQ_LEN}, .starts_us = 75),
    KIND(mla_decode, .name = "mla_core", .needs = BIT(HEADS),
	 .may = BIT(TP) | BIT(BATCH) | BIT(NEW_TOKENS) | BIT(CONTEXT) |
		BIT(KV_DTYPE),
	 .key = {THE_DTYPE, THE_KV_DTYPE, THE_HEADS},
	 .axis = {THE_BATCH, COLUMN("kv_len", CONTEXT, KERNEL_NEEDED)},
	 .starts_us = 20),
    KIND(mla_prefill, .key = {THE_DTYPE, THE_KV_DTYPE, THE_HEADS},
	 .axis = {THE_BATCH, COLUMN("seq_len", NEW_TOKENS, KERNEL_NEEDED)},
	 .starts_us = 25),
    KIND(mla_bmm, .name = "mla_bmm",
	 .needs = BIT(KIND) | BIT(TOKENS) | BIT(HEADS), .may = BIT(TP),
	 .key = {THE_DTYPE, WORDS("op", KIND), TELLS("heads", HEADS)},
	 .axis = {TELLS("tokens", TOKENS)}, .starts_us = 12),
    KIND(collective, .name = "collective",
	 .needs = BIT(KIND) | BIT(TP) | BIT(MESSAGE_BYTES),
	 .key = {WORDS("op", KIND), THE_RANKS,
		 COLUMN("ranks_per_node", NONE, 0), THE_DTYPE},
	 .axis = {COLUMN("message_bytes", MESSAGE_BYTES, KERNEL_NEEDED)},
	 .starts_us = 15),
    KIND(all_to_all, .name = "all_to_all",
	 .needs =
	     BIT(KIND) | BIT(TOKENS) | BIT(HIDDEN) | BIT(EXPERTS) | BIT(TOPK),
	 .may = BIT(MODE) | BIT(TP) | BIT(EP) | BIT(SMS),
	 .key = {WORDS("mode", MODE), WORDS("op", KIND), TELLS("ranks", TP),
		 TELLS("hidden", HIDDEN), TELLS("experts", EXPERTS),
		 TELLS("topk", TOPK), TELLS("sms", SMS)},
	 .axis = {TELLS("tokens", TOKENS)}, .starts_us = 20),
    /* Tables of layers that few models have. */
    KIND(gdn, .name = "gdn", .linear = SC_LINEAR_GDN, LINEAR_ROWS,
	 .layers = KERNEL_OF_GDN, .ops = DELTA_OPS,
	 .key = {THE_OP, THE_KERNEL, TELLS("k_heads", K_HEADS),
		 NEEDED("k_dim", K_DIM), TELLS("v_heads", V_HEADS),
		 NEEDED("v_dim", V_DIM), NEEDED("conv", CONV)},
	 .starts_us = 30),
    KIND(kda, .name = "kda", .linear = SC_LINEAR_KDA, LINEAR_ROWS,
	 .layers = KERNEL_OF_KDA, .ops = DELTA_OPS,
	 .key = {THE_OP, THE_KERNEL, TELLS("heads", V_HEADS),
		 TELLS("head_dim", V_DIM), TELLS("conv", CONV)},
	 .starts_us = 40),
    KIND(mamba2, .name = "mamba2", .linear = SC_LINEAR_MAMBA2, LINEAR_ROWS,
	 .layers = KERNEL_OF_MAMBA2, .ops = DELTA_OPS,
	 .key = {THE_OP, THE_KERNEL, TELLS("heads", V_HEADS),
		 NEEDED("head_dim", V_DIM), TELLS("state", K_DIM),
		 TELLS("groups", K_HEADS), TELLS("conv", CONV),
		 TELLS("chunk", CHUNK)},
	 .starts_us = 40),
    KIND(mamba2_step, .layers = KERNEL_OF_MAMBA2,
	 .key = {WORDS("state_dtype", NONE), NEEDED("head_dim", HEAD_DIM),
		 NEEDED("state", NONE), COLUMN("groups", NONE, 0),
		 WORDS("launch", NONE)},
	 .axis = {TELLS("effective_batch", NONE)}, .starts_us = 5),
    KIND(dsa_module_decode, .name = "dsa_decode", SPARSE_DECODE(OF_DSA),
	 SPARSE_DECODE_ROWS, .layers = KERNEL_OF_DSA, .key = {THE_CHOICE}),
    KIND(dsa_module_prefill, .name = "dsa_prefill", SPARSE_PREFILL(OF_DSA),
	 SPARSE_PREFILL_ROWS, .layers = KERNEL_OF_DSA,
	 .key = {THE_CHOICE, THE_PREFIX}),
    KIND(msa_module_decode, .name = "msa_decode", SPARSE_DECODE(0),
	 .layers = KERNEL_OF_MSA, .key = {THE_BLOCKS},
	 .axis = {THE_BATCH, COLUMN("kv_len", CONTEXT, KERNEL_NEEDED)},
	 .starts_us = 220),
    KIND(msa_module_prefill, .name = "msa_prefill", SPARSE_PREFILL(0),
	 .layers = KERNEL_OF_MSA, .key = {THE_BLOCKS, THE_PREFIX},
	 .axis = {THE_BATCH, COLUMN("seq_len", NEW_TOKENS, KERNEL_NEEDED)},
	 .starts_us = 600),
    KIND(csa_module_decode, .name = "csa_decode", SPARSE_DECODE(OF_CSA),
	 SPARSE_DECODE_ROWS, .layers = KERNEL_OF_CSA, .key = {THE_RATIO}),
    KIND(csa_module_prefill, .name = "csa_prefill", SPARSE_PREFILL(OF_CSA),
	 SPARSE_PREFILL_ROWS, .layers = KERNEL_OF_CSA,
	 .key = {THE_RATIO, THE_PREFIX}),
    KIND(mhc, .name = "mhc",
	 .needs = BIT(KIND) | BIT(TOKENS) | BIT(HIDDEN) | BIT(STREAMS),
	 .layers = KERNEL_OF_CSA, .ops = " pre post ",
	 .key = {THE_OP, THE_KERNEL, NEEDED("hidden", HIDDEN),
		 TELLS("mult", STREAMS)},
	 .axis = {TELLS("tokens", TOKENS)}, .starts_us = 40),
    /* No cost model is asked for the kinds below directly. */
    KIND(moe_suspect, .key = MOE_KEYS, .axis = {NEEDED("tokens", TOKENS)},
	 .starts_us = 100),
    KIND(
	grouped_gemm_decode, GROUPED_ROWS,
	.axis = {OTHER("tokens_per_rank", "batch_size_per_gpu", TOKENS, TOLD)}),
    KIND(grouped_gemm_prefill, GROUPED_ROWS,
	 .axis = {OTHER("tokens_per_rank", "seq_len_per_gpu", TOKENS, TOLD)}),
    KIND(all_reduce_eager, .key = {THE_DTYPE, THE_RANKS},
	 .axis = {COLUMN("message_bytes", MESSAGE_BYTES, KERNEL_NEEDED)},
	 .starts_us = 12),
    KIND(p2p,
	 .key = {WORDS("op", KIND), THE_RANKS,
		 COLUMN("ranks_per_node", NONE, 0)},
	 .axis = {COLUMN("message_bytes", MESSAGE_BYTES, KERNEL_NEEDED)},
	 .starts_us = 15),
    KIND(elementwise,
	 .key = {THE_DTYPE, WORDS("op", KIND), TELLS("width", NONE)},
	 .axis = {TELLS("tokens", TOKENS)}, .starts_us = 6),
    KIND(attention_mixed,
	 .key = {THE_DTYPE, THE_HEADS, THE_KV_HEADS, THE_HEAD_DIM,
		 TELLS("prefill_tokens", NONE), TELLS("prefill_context", NONE)},
	 .axis = {TELLS("decodes", NONE), TELLS("decode_context", NONE)}),
    KIND(layer,
	 .key = {WORDS("model", NONE), TELLS("tp", TP), WORDS("layer", NONE)},
	 .axis = {TELLS("tokens", TOKENS)}),
    KIND(moe_activated, .key = {WORDS("model", NONE), TELLS("tp", TP)},
	 .axis = {TELLS("tokens", TOKENS), TELLS("activated_experts", NONE)}),
    KIND(dsa_attention_decode,
	 .key = {THE_DTYPE, THE_KV_DTYPE, THE_HEADS, THE_HEAD_DIM,
		 NEEDED("topk", TOPK)},
	 .axis = {THE_BATCH, COLUMN("kv_len", CONTEXT, KERNEL_NEEDED)}),
    KIND(dsa_attention_prefill,
	 .key = {THE_DTYPE, THE_KV_DTYPE, THE_HEADS, THE_HEAD_DIM,
		 NEEDED("topk", TOPK)},
	 .axis = {NEEDED("q_len", NEW_TOKENS), NEEDED("kv_len", CONTEXT)}),
    KIND(dsa_indexer_decode,
	 .key = {THE_DTYPE, THE_HEADS, THE_HEAD_DIM, NEEDED("next_n", NONE)},
	 .axis = {THE_BATCH, COLUMN("kv_len", CONTEXT, KERNEL_NEEDED)}),
    KIND(dsa_indexer_prefill, .key = {THE_DTYPE, THE_HEADS, THE_HEAD_DIM},
	 .axis = {NEEDED("q_len", NEW_TOKENS), NEEDED("kv_len", CONTEXT)}),
};

/* ---- finding ---- */

const struct kernel_op *kernel_table_find(const char *table)
{
	for (const struct kernel_op *o = kernel_ops; o->table; o++)
		if (!strcmp(o->table, table))
			return o;
	return NULL;
}

static uint32_t layers_like(const sc_layers *g)
{
	static const uint32_t linear[] = {
	    [SC_LINEAR_GDN] = KERNEL_OF_GDN,
	    [SC_LINEAR_KDA] = KERNEL_OF_KDA,
	    [SC_LINEAR_MAMBA2] = KERNEL_OF_MAMBA2,
	};
	uint32_t of = g->linear_kind < sizeof linear / sizeof *linear
			  ? linear[g->linear_kind]
			  : 0;
	if (g->o_lora_rank)
		return of | KERNEL_OF_CSA;
	if (!(g->flags & SC_LAYER_SPARSE))
		return of;
	return of |
	       (g->attention == SC_ATTN_MLA ? KERNEL_OF_DSA : KERNEL_OF_MSA);
}

uint32_t kernel_layers_of(const sc_model *m)
{
	uint32_t of = 0;
	for (uint32_t i = 0; i < m->n_groups; i++)
		of |= layers_like(m->group[i]);
	return of;
}

int kernel_op_serves(const struct kernel_op *o, uint32_t layers)
{
	return !o || !o->layers || (o->layers & layers);
}

const struct kernel_op *kernel_op_find(const char *name)
{
	for (const struct kernel_op *o = kernel_ops; o->table; o++)
		if (o->name && !strcmp(o->name, name))
			return o;
	const struct kernel_op *o = kernel_table_find(name);
	return o && o->name ? o : NULL;
}

/* Returns how many of its columns identify a table with these columns; 0: none,
 * or some are missing. */
static int count_telling(const struct kernel_op *o,
			 int (*has)(const void *table, const char *column),
			 const void *table)
{
	int n = 0;
	for (int pass = 0; pass < 2; pass++)
		for (const struct kernel_axis *a = pass ? o->axis : o->key;
		     a->name; a++) {
			if (!(a->is & KERNEL_TELLS))
				continue;
			if (!has(table, a->name) &&
			    !(a->other_name && has(table, a->other_name)))
				return 0;
			n++;
		}
	return n;
}

const struct kernel_op *kernel_table_reported(int (*has)(const void *table,
							 const char *column),
					      const void *table)
{
	const struct kernel_op *best = NULL;
	int most = 0;
	for (const struct kernel_op *o = kernel_ops; o->table; o++) {
		int n = count_telling(o, has, table);
		if (n > most) {
			most = n;
			best = o;
		}
	}
	return best;
}

/* ---- columns ---- */

/* Returns the first use of a column as a key or an axis, or NULL. */
static const struct kernel_axis *find_use(const char *name)
{
	for (const struct kernel_op *o = kernel_ops; o->table; o++)
		for (int pass = 0; pass < 2; pass++)
			for (const struct kernel_axis *a = pass ? o->axis
								: o->key;
			     a->name; a++)
				if (!strcmp(a->name, name) ||
				    (a->other_name &&
				     !strcmp(a->other_name, name)))
					return a;
	return NULL;
}

int kernel_column_is_format(const char *name)
{
	for (int c = 0; c < KERNEL_COLUMNS; c++)
		if (!strcmp(kernel_column[c].name, name))
			return kernel_column[c].holds == KERNEL_FORMAT;
	return 0;
}

int kernel_column_is_text(const char *name)
{
	const struct kernel_axis *a = find_use(name);
	return kernel_column_is_format(name) || (a && a->is & KERNEL_WORDS);
}

static int is_aside(const char *name)
{
	for (const struct kernel_op *o = kernel_ops; o->table; o++)
		for (int i = 0; i < KERNEL_MAX_ASIDE && o->set_aside[i]; i++)
			if (!strcmp(o->set_aside[i], name))
				return 1;
	return 0;
}

int kernel_column_is_count(const char *name)
{
	const struct kernel_axis *a = find_use(name);
	return is_aside(name) || (a && !kernel_column_is_text(name));
}

static int ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);
	return n >= m && !strcmp(name + n - m, end);
}

int kernel_column_is_measure(const char *name)
{
	/* reps: how often a point was timed; at_s: when, on a clock of the
	 * source.  Both may have a prefix, as times do. */
	return ends_in(name, "_us") || ends_in(name, "mfu") ||
	       ends_in(name, "reps") || ends_in(name, "at_s") || is_aside(name);
}

/* ---- sizes ---- */

int kernel_size_find(const char *name)
{
	for (int c = 0; c < KERNEL_COLUMNS; c++)
		if (kernel_column[c].holds == KERNEL_SIZE &&
		    !strcmp(kernel_column[c].name, name))
			return c;
	return -1;
}

int kernel_set_size(sc_kernel *k, enum kernel_column size, uint64_t v)
{
	uint64_t *const large[KERNEL_COLUMNS] = {
	    [KERNEL_M] = &k->m,
	    [KERNEL_N] = &k->n,
	    [KERNEL_K] = &k->k,
	    [KERNEL_BATCH] = &k->batch,
	    [KERNEL_NEW_TOKENS] = &k->new_tokens,
	    [KERNEL_CONTEXT] = &k->context,
	    [KERNEL_MESSAGE_BYTES] = &k->bytes,
	    [KERNEL_TOKENS] = &k->tokens,
	    [KERNEL_PREFIX] = &k->prefix};
	uint32_t *const small[KERNEL_COLUMNS] = {
	    [KERNEL_HEADS] = &k->heads,
	    [KERNEL_KV_HEADS] = &k->kv_heads,
	    [KERNEL_HEAD_DIM] = &k->head_dim,
	    [KERNEL_TP] = k->op == SC_OP_MOE ? &k->tp : &k->ranks,
	    [KERNEL_WINDOW] = &k->window,
	    [KERNEL_HIDDEN] = &k->hidden,
	    [KERNEL_INTER] = &k->inter,
	    [KERNEL_EXPERTS] = &k->experts,
	    [KERNEL_TOPK] = &k->topk,
	    [KERNEL_EP] = k->op == SC_OP_ALL_TO_ALL ? &k->ranks : &k->ep,
	    [KERNEL_K_HEADS] = &k->k_heads,
	    [KERNEL_K_DIM] = &k->k_dim,
	    [KERNEL_V_HEADS] = &k->v_heads,
	    [KERNEL_V_DIM] = &k->v_dim,
	    [KERNEL_CONV] = &k->conv,
	    [KERNEL_CHUNK] = &k->chunk,
	    [KERNEL_INDEXER] = &k->indexer,
	    [KERNEL_RATIO] = &k->ratio,
	    [KERNEL_STREAMS] = &k->streams,
	    [KERNEL_SMS] = &k->sms};
	if (large[size])
		*large[size] = v;
	else if (v > UINT32_MAX)
		return -1;
	else
		*small[size] = (uint32_t)v;
	return 0;
}

/* ---- for messages ---- */

/* Appends a name to a list; "or" precedes the last one. */
static void add_name(char buf[KERNEL_NAMES], const char *name, int is_last)
{
	size_t n = strlen(buf);
	snprintf(buf + n, KERNEL_NAMES - n, "%s%s",
		 !n        ? ""
		 : is_last ? " or "
			   : ", ",
		 name);
}

const char *kernel_op_names(char buf[KERNEL_NAMES])
{
	const char *last = NULL;
	buf[0] = '\0';
	for (const struct kernel_op *o = kernel_ops; o->table; o++) {
		if (!o->name)
			continue;
		if (last)
			add_name(buf, last, 0);
		last = o->name;
	}
	add_name(buf, last, 1);
	return buf;
}

const char *kernel_size_names(char buf[KERNEL_NAMES])
{
	const char *last = NULL;
	buf[0] = '\0';
	for (int c = 0; c < KERNEL_COLUMNS; c++) {
		if (kernel_column[c].holds != KERNEL_SIZE)
			continue;
		if (last)
			add_name(buf, last, 0);
		last = kernel_column[c].name;
	}
	add_name(buf, last, 1);
	return buf;
}
