/* operators_made.h -- the plugin operators without the host: tables in a line,
 * layers of each kind, an instance of them, and the kernels that it is asked.
 * The tables are those of the last instance: set n_views to 0 to begin anew.
 * Needs tap.h and bare.h before it. */
#ifndef T_OPERATORS_MADE_H
#define T_OPERATORS_MADE_H
#include "stepcost/table.h"

static const sc_plugin *p;
static sc_error err = {.size = sizeof err};

/* ---- tables in a line ---- */

enum { COLS = 12, ROWS = 64, TABLES = 16, NOTES = 12 };
static struct made {
	sc_table is;
	const char *name[COLS];
	const double *number[COLS];
	const char *const *word[COLS];
	double value[COLS][ROWS];
	const char *text[COLS][ROWS];
	const char *note[2 * NOTES];
	char cells[4096];
} made[TABLES];
static const sc_table *view[TABLES];
static uint32_t n_views;

static inline int is_number(const char *s)
{
	char *end;
	strtod(s, &end);
	return end != s && !*end;
}

static inline void parse(struct made *m, const char *csv)
{
	char *line, *lines, *cell, *cells;
	int row = -1;
	snprintf(m->cells, sizeof m->cells, "%s", csv);
	for (line = strtok_r(m->cells, "\n", &lines); line;
	     line = strtok_r(NULL, "\n", &lines), row++) {
		int col = 0;
		for (cell = strtok_r(line, ",", &cells); cell;
		     cell = strtok_r(NULL, ",", &cells), col++) {
			if (row < 0) {
				m->name[col] = cell;
				continue;
			}
			m->text[col][row] = cell;
			m->value[col][row] = strtod(cell, NULL);
			if (is_number(cell))
				m->number[col] = m->value[col];
			else
				m->word[col] = m->text[col];
		}
		if (row < 0)
			m->is.n_cols = (uint32_t)col;
	}
	m->is.n_rows = (uint64_t)row;
}

/* A table of a set, measured on a GPU with the rates of `gpu` below. */
static inline void add(const char *set, const char *op, const char *csv)
{
	static const char *const note[2 * NOTES] = {
	    "peak_tflops_bf16",     "1000", "peak_tflops_fp8",    "2000",
	    "memory_bandwidth_tbs", "3",    "link_bandwidth_gbs", "400"};
	struct made *m = &made[n_views];
	memset(m, 0, sizeof *m);
	memcpy(m->note, note, sizeof note);
	m->is = (sc_table){.size = sizeof m->is,
			   .set = set,
			   .op = op,
			   .origin = op,
			   .col_name = m->name,
			   .col = m->number,
			   .text = m->word,
			   .n_notes = 4,
			   .note = m->note};
	parse(m, csv);
	view[n_views++] = &m->is;
}

/* In the MANIFEST of the last table's set. */
static inline void told(const char *key, const char *value)
{
	struct made *m = &made[n_views - 1];
	m->note[2 * m->is.n_notes] = key;
	m->note[2 * m->is.n_notes++ + 1] = value;
}

/* ---- the model and the GPU ---- */

static sc_hardware gpu = {
    .size = sizeof gpu,
    .name = "gpu",
    .peak_flops = {[SC_BF16] = 1000e12, [SC_FP8] = 2000e12},
    .mem_bandwidth = 3e12,
    .link_bandwidth = 400e9};
static sc_engine engine = {.size = sizeof engine,
			   .max_num_seqs = 256,
			   .max_num_batched_tokens = 8192,
			   .block_size = 16,
			   .graph_max_tokens = 256};
static sc_parallel parallel = {
    .size = sizeof parallel, .tp = 1, .pp = 1, .ep = 1, .dp = 1};

#define LAYERS                                                                 \
	.size = sizeof(sc_layers), .n_layers = 1, .attn_format = SC_BF16,      \
	.ffn_format = SC_BF16, .expert_format = SC_BF16, .attn_bits = 16,      \
	.ffn_bits = 16, .expert_bits = 16
#define SOFTMAX(kind, w)                                                       \
	.attention = kind, .window = w, .n_heads = 16, .n_kv_heads = 4,        \
	.head_dim = 128
#define EXPERTS                                                                \
	.ffn = SC_FFN_MOE, .ffn_dim = 512, .n_experts = 64,                    \
	.experts_per_token = 4
static const sc_layers dense = {LAYERS, SOFTMAX(SC_ATTN_FULL, 0),
				.ffn = SC_FFN_GATED, .ffn_dim = 8192};
static const sc_layers chunked = {LAYERS, SOFTMAX(SC_ATTN_CHUNK, 1024),
				  .ffn = SC_FFN_GATED, .ffn_dim = 8192};
static const sc_layers linear = {LAYERS, .attention = SC_ATTN_LINEAR,
				 .ffn = SC_FFN_GATED, .ffn_dim = 8192};
static const sc_layers mixture = {LAYERS, SOFTMAX(SC_ATTN_FULL, 0), EXPERTS,
				  .n_shared_experts = 1, .shared_ffn_dim = 512};
static const sc_layers latent = {LAYERS,
				 EXPERTS,
				 .attention = SC_ATTN_MLA,
				 .n_heads = 16,
				 .n_kv_heads = 16,
				 .q_lora_rank = 1536,
				 .kv_lora_rank = 512,
				 .qk_nope_dim = 128,
				 .qk_rope_dim = 64,
				 .v_dim = 128};
static const sc_layers *group[1];
static sc_model model = {.size = sizeof model,
			 .hidden = 2048,
			 .vocab = 32000,
			 .compute_format = SC_BF16,
			 .head_format = SC_BF16,
			 .kv_format = SC_BF16,
			 .n_groups = 1,
			 .group = group,
			 .name = "a model",
			 .head_bits = 16,
			 .kv_bits = 16};
static sc_setup setup = {.size = sizeof setup,
			 .model = &model,
			 .hardware = &gpu,
			 .parallel = &parallel,
			 .engine = &engine,
			 .table = view};

static inline void degrees(uint32_t tp, uint32_t ep, uint32_t dp, uint32_t pp)
{
	parallel.tp = tp;
	parallel.ep = ep;
	parallel.dp = dp;
	parallel.pp = pp;
}

/* knobs: "name", "value" … NULL.  NULL: refused, with err.text. */
static inline void *instance(const sc_layers *layers, const char *const *knobs)
{
	static sc_setup kept[96]; /* as long as its instance */
	static uint32_t n;
	void *inst = NULL, *block = bare_knobs(p);
	if (n == sizeof kept / sizeof *kept)
		bail_out("more instances than setups");
	kept[n] = setup;
	kept[n].n_tables = n_views;
	group[0] = layers;
	for (; knobs && *knobs; knobs += 2)
		if (bare_set(p, block, knobs[0], knobs[1]))
			bail_out("no such knob or value");
	if (p->create(&inst, &kept[n++], block, &err) != SC_OK)
		inst = NULL;
	free(block);
	return inst;
}

static inline sc_kernel_result kernel(void *inst, const sc_kernel *k)
{
	sc_kernel_result r = {.size = sizeof r, .latency_us = NAN};
	if (p->kernel(inst, k, &r, &err) != SC_OK)
		printf("# %s\n", err.text);
	return r;
}

static inline double us(void *inst, const sc_kernel *k)
{
	return kernel(inst, k).latency_us;
}

#define K(...) (&(sc_kernel){.size = sizeof(sc_kernel), __VA_ARGS__})

static inline void answers(void *inst, const sc_kernel *k, double want,
			   uint32_t provenance, const char *what)
{
	sc_kernel_result r = kernel(inst, k);
	near(r.latency_us, want, 1e-9, "%s", what);
	if (!ok(r.provenance == provenance, "%s: provenance", what))
		printf("# got %u want %u\n", r.provenance, provenance);
}

/* What it says that it used begins so. */
static inline void used(void *inst, const sc_kernel *k, const char *begins,
			const char *what)
{
	sc_kernel_result r = kernel(inst, k);
	if (!ok(!strncmp(r.used, begins, strlen(begins)), "%s", what))
		printf("# used %s\n", r.used);
}
#endif
