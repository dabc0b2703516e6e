/* The list of kernels: names, columns, FLOPs; and what others know of them. */
#include "cost/kernel_op.h"
#include <string.h>
#include "stepcost/kernel/kernel_law.h"
#include "stepcost/kernel/kernel_tables.h"
#include "tap.h"

static void finding(void)
{
	char names[KERNEL_NAMES];
	const struct kernel_op *o = kernel_op_find("attention_decode");
	ok(o && o->op == SC_OP_DECODE, "an op by its name");
	ok(!kernel_op_find("attention") && !kernel_op_find("") &&
	       !kernel_op_find("gemm.csv"),
	   "and by no part of it, nor more");
	is(kernel_op_names(names),
	   "gemm, attention_prefill, attention_decode, all_reduce, moe, "
	   "mla_decode, mla_prefill, mla_core, mla_bmm, collective, "
	   "all_to_all, gdn, kda, mamba2, dsa_decode, dsa_prefill, "
	   "msa_decode, msa_prefill, csa_decode, csa_prefill or mhc",
	   "all of them");
	ok(kernel_size_find("context") == KERNEL_CONTEXT &&
	       kernel_size_find("message_bytes") == KERNEL_MESSAGE_BYTES,
	   "a size by its name");
	ok(kernel_size_find("op") == -1 && kernel_size_find("dtype") == -1 &&
	       kernel_size_find("seq_len") == -1,
	   "which op and dtype are not");
	is(kernel_size_names(names),
	   "m, n, k, heads, kv_heads, head_dim, tp, batch, new_tokens, "
	   "context, message_bytes, window, tokens, hidden, inter, experts, "
	   "topk, ep, k_heads, k_dim, v_heads, v_dim, conv, chunk, indexer, "
	   "ratio, prefix, streams or sms",
	   "all of them");
}

/* A kernel with the size of each column a number of its own. */
static void storing(void)
{
	sc_kernel k = {.size = sizeof k};
	int rc = 0, wrong = 0;
	for (int c = KERNEL_M; c < KERNEL_COLUMNS; c++)
		if (kernel_column[c].holds == KERNEL_SIZE)
			rc |= kernel_set_size(&k, (enum kernel_column)c,
					      100 + (uint64_t)c);
	const struct {
		enum kernel_column column;
		uint64_t is;
	} place[] = {{KERNEL_M, k.m},
		     {KERNEL_N, k.n},
		     {KERNEL_K, k.k},
		     {KERNEL_HEADS, k.heads},
		     {KERNEL_KV_HEADS, k.kv_heads},
		     {KERNEL_HEAD_DIM, k.head_dim},
		     {KERNEL_TP, k.ranks},
		     {KERNEL_BATCH, k.batch},
		     {KERNEL_NEW_TOKENS, k.new_tokens},
		     {KERNEL_CONTEXT, k.context},
		     {KERNEL_MESSAGE_BYTES, k.bytes},
		     {KERNEL_WINDOW, k.window},
		     {KERNEL_TOKENS, k.tokens},
		     {KERNEL_HIDDEN, k.hidden},
		     {KERNEL_INTER, k.inter},
		     {KERNEL_EXPERTS, k.experts},
		     {KERNEL_TOPK, k.topk},
		     {KERNEL_EP, k.ep}};
	for (size_t i = 0; i < sizeof place / sizeof *place; i++)
		wrong += place[i].is != 100 + (uint64_t)place[i].column;
	ok(rc == 0 && wrong == 0, "each size has its place");
	ok(kernel_set_size(&k, KERNEL_HEADS, 1ull << 32) == -1 &&
	       k.heads == 100 + KERNEL_HEADS,
	   "heads of more than 32 bits are refused");
	ok(kernel_set_size(&k, KERNEL_M, 1ull << 32) == 0 && k.m == 1ull << 32,
	   "rows are not");
	k = (sc_kernel){.op = SC_OP_MOE};
	ok(kernel_set_size(&k, KERNEL_TP, 2) == 0 && k.tp == 2 && k.ranks == 0,
	   "tp divides the width of experts");
	k = (sc_kernel){.op = SC_OP_ALL_TO_ALL};
	ok(kernel_set_size(&k, KERNEL_EP, 2) == 0 && k.ranks == 2,
	   "ep says who takes part in an all-to-all");
}

static double flops_of(const char *op)
{
	double size[KERNEL_COLUMNS] = {
	    [KERNEL_M] = 2,           [KERNEL_N] = 3,
	    [KERNEL_K] = 5,           [KERNEL_HEADS] = 32,
	    [KERNEL_KV_HEADS] = 8,    [KERNEL_HEAD_DIM] = 128,
	    [KERNEL_TP] = 2,          [KERNEL_BATCH] = 7,
	    [KERNEL_NEW_TOKENS] = 10, [KERNEL_CONTEXT] = 1000};
	return kernel_op_find(op)->flops(size);
}

static void computing(void)
{
	ok(flops_of("gemm") == 60, "2 m n k");
	ok(flops_of("attention_prefill") == 2. * 32 * 128 * 100 * 7,
	   "2 heads head_dim new_tokens^2 batch");
	ok(flops_of("attention_decode") == 4. * 16 * 128 * 1000 * 7,
	   "4 (heads / tp) head_dim context batch");
	ok(!kernel_op_find("all_reduce")->flops, "none");
}

/* A plugin knows the first ops as stepcost/kernel/kernel_law.h lists them. */
static int is_as_in_law(const struct sc_law_kind *law)
{
	const struct kernel_op *o = kernel_table_find(law->op);
	const struct kernel_axis *key = o->key;
	for (int i = 0; i < 3 && law->shape[i]; i++) {
		while (key->is & KERNEL_WORDS)
			key++;
		if (!key->name || strcmp((key++)->name, law->shape[i]))
			return 0;
	}
	const struct kernel_axis *x = o->axis;
	if (law->row && strcmp((x++)->name, law->row))
		return 0;
	return !strcmp(o->name, law->op) && x->name && !strcmp(x->name, law->x);
}

/* Returns 1 if a table of the kind has the column, as a key or as an axis. */
static int has_column(const struct kernel_op *o, const char *name)
{
	for (int pass = 0; pass < 2; pass++)
		for (const struct kernel_axis *a = pass ? o->axis : o->key;
		     a->name; a++)
			if (!strcmp(a->name, name))
				return 1;
	return 0;
}

/* Every kind has a row here, and the columns that a cost model looks up. */
static void kinds(void)
{
	uint32_t n = 0, curves = 0;
	while (kernel_ops[n].table)
		n++;
	ok(n == SC_N_KERNEL_TABLES, "each kind of table has its row");
	for (uint32_t i = 0; i < n; i++) {
		const struct sc_kernel_table *t = &sc_kernel_tables[i];
		const struct kernel_op *o = kernel_table_find(t->table);
		int good = o == &kernel_ops[i] && o->op == t->op;
		for (int d = 0; good && d <= SC_CURVE_KEYS && t->along[d]; d++)
			good = has_column(o, t->along[d]);
		ok(good && o->axis[0].name, "%s: one row, and its columns",
		   t->table);
		curves += t->along[0] != NULL;
	}
	ok(curves >= 4, "some are curves");
}

/* The columns of a law are those of its tables: the laws of MoE are for the
 * grouped GEMMs, too, which have other columns. */
static void laws(void)
{
	for (uint32_t i = 0; i < SC_N_KERNEL_TABLES; i++) {
		const struct sc_kernel_table *t = &sc_kernel_tables[i];
		if (t->law == SC_NO_LAW || !strncmp(t->table, "grouped", 7))
			continue;
		const struct sc_oplaw_kind *law = &sc_oplaw_kinds[t->law];
		const struct kernel_op *o = &kernel_ops[i];
		int good = has_column(o, law->x) &&
			   (!law->row || has_column(o, law->row));
		for (int d = 0; good && d < SC_OPLAW_KEYS && law->key[d]; d++)
			good = has_column(o, law->key[d]) ||
			       !strcmp(law->key[d], "window");
		ok(good, "%s has the columns of its law", t->table);
	}
}

static int has(const void *table, const char *column)
{
	const char *at = strstr(table, column);
	return at && (at == table || at[-1] == ',') &&
	       (at[strlen(column)] == ',' || !at[strlen(column)]);
}

static const char *told(const char *columns)
{
	const struct kernel_op *o = kernel_table_reported(has, columns);
	return o ? o->table : "none";
}

static void tables(void)
{
	for (int i = 0; i < SC_LAW_OPS; i++)
		ok(is_as_in_law(&sc_law_kinds[i]), "%s is as in kernel_law.h",
		   sc_law_kinds[i].op);
	ok(!kernel_op_find("layer") && kernel_table_find("layer"),
	   "a table that no cost model is asked for");
	is(kernel_op_find("mla_decode")->table, "mla_module_decode",
	   "a name of a list before one of a table");
	ok(kernel_op_find("mla_module_decode") == kernel_op_find("mla_decode"),
	   "which is one, too");
	is(told("m,k,n,latency_us"), "gemm", "told by its columns");
	is(told("dtype,batch_size,kv_len,mfu"), "attention_decode", "decode");
	is(told("tokens,hidden,inter,experts,topk,tp,ep"), "moe", "experts");
	is(told("num_experts,num_gpus,num_local_experts,batch_size_per_gpu"),
	   "grouped_gemm_decode", "by other names");
	is(told("a,b"), "none", "or not");
}

static void columns(void)
{
	ok(kernel_column_is_count("m") &&
	       kernel_column_is_count("model_kv_heads") &&
	       kernel_column_is_count("batch_size") &&
	       kernel_column_is_count("tokens_per_expert"),
	   "keys and axes, under any of their names, are counts");
	ok(!kernel_column_is_count("latency_us") &&
	       !kernel_column_is_count("mfu") &&
	       !kernel_column_is_count("dtype") &&
	       !kernel_column_is_count("kernel") && !kernel_column_is_count(""),
	   "nothing else is");
	ok(kernel_column_is_text("kernel") && kernel_column_is_text("op") &&
	       kernel_column_is_text("gemm_dtype") &&
	       kernel_column_is_format("gemm_dtype") &&
	       !kernel_column_is_format("routing") &&
	       !kernel_column_is_text("m"),
	   "words, some of them formats");
	ok(kernel_column_is_measure("latency_us") &&
	       kernel_column_is_measure("mfu") &&
	       kernel_column_is_measure("up_mfu") &&
	       kernel_column_is_measure("p90_us") &&
	       kernel_column_is_measure("reps") &&
	       kernel_column_is_measure("again_at_s") &&
	       kernel_column_is_measure("tokens_per_expert") &&
	       !kernel_column_is_measure("m"),
	   "measures, and what follows from other columns");
}

/* Kinds that only some layers use. */
static void of_layers(void)
{
	sc_layers layers[] = {
	    {.attention = SC_ATTN_FULL},
	    {.attention = SC_ATTN_LINEAR, .linear_kind = SC_LINEAR_GDN},
	    {.attention = SC_ATTN_MLA, .flags = SC_LAYER_SPARSE},
	};
	const sc_layers *group[] = {&layers[0], &layers[1], &layers[2]};
	sc_model m = {.n_groups = 1, .group = group};
	ok(kernel_layers_of(&m) == 0, "a plain model has none");
	m.n_groups = 3;
	ok(kernel_layers_of(&m) == (KERNEL_OF_GDN | KERNEL_OF_DSA),
	   "delta nets and sparse latent attention");
	layers[2].attention = SC_ATTN_FULL;
	layers[1].linear_kind = SC_LINEAR_LIGHTNING;
	ok(kernel_layers_of(&m) == KERNEL_OF_MSA,
	   "blocks; lightning has no table");
	layers[0].o_lora_rank = 8;
	layers[1].linear_kind = SC_LINEAR_MAMBA2;
	layers[2].linear_kind = SC_LINEAR_KDA;
	ok(kernel_layers_of(&m) == (KERNEL_OF_CSA | KERNEL_OF_MAMBA2 |
				    KERNEL_OF_KDA | KERNEL_OF_MSA),
	   "a compressed cache");
	const struct kernel_op *gdn = kernel_table_find("gdn");
	ok(kernel_op_serves(gdn, KERNEL_OF_GDN | KERNEL_OF_CSA) &&
	       !kernel_op_serves(gdn, KERNEL_OF_CSA) &&
	       kernel_op_serves(kernel_table_find("gemm"), 0) &&
	       kernel_op_serves(NULL, 0),
	   "whom a table serves");
}

int main(void)
{
	of_layers();
	finding();
	storing();
	computing();
	kinds();
	laws();
	tables();
	columns();
	return done();
}
