/* operators' error at kernels that it was not told of: of the shipped tables
 * every third inner value of an axis, or a split, or a family is left out and
 * asked for.  Tables are spaced by 2 (m) and 4 (tokens, lengths), so that what
 * is left has gaps of 4 and 16. */
#include "tap.h"
#include "bare.h"
#include "base/problem.h"
#include "cost/kernel_op.h"
#include "stepcost/format.h"
#include "stepcost/table.h"
#include "tables/set.h"

static const sc_plugin *p;
static sc_error err = {.size = sizeof err};
static const sc_layers layers = {.size = sizeof layers,
				 .n_layers = 1,
				 .attention = SC_ATTN_FULL,
				 .n_heads = 32,
				 .n_kv_heads = 8,
				 .head_dim = 128,
				 .ffn = SC_FFN_GATED,
				 .ffn_dim = 14336,
				 .attn_format = SC_BF16,
				 .ffn_format = SC_BF16,
				 .attn_bits = 16,
				 .ffn_bits = 16};
static const sc_layers *const group[] = {&layers};
static const sc_model model = {.size = sizeof model,
			       .hidden = 4096,
			       .vocab = 128256,
			       .compute_format = SC_BF16,
			       .head_format = SC_BF16,
			       .kv_format = SC_BF16,
			       .n_groups = 1,
			       .group = group,
			       .name = "a model",
			       .head_bits = 16,
			       .kv_bits = 16};
static const sc_hardware gpu = {
    .size = sizeof gpu,
    .name = "h200-sxm",
    .peak_flops = {[SC_BF16] = 989.5e12, [SC_FP8] = 1979e12},
    .mem_bandwidth = 4.8e12,
    .link_bandwidth = 450e9};
static const sc_engine engine = {.size = sizeof engine};
static const sc_parallel parallel = {
    .size = sizeof parallel, .tp = 1, .pp = 1, .ep = 1, .dp = 1};

static sc_setup setup = {.size = sizeof setup,
			 .n_tables = 1,
			 .model = &model,
			 .hardware = &gpu,
			 .parallel = &parallel,
			 .engine = &engine};

static void *instance(const sc_table *const *table)
{
	void *inst = NULL, *block = bare_knobs(p);
	setup.table = table;
	if (p->create(&inst, &setup, block, &err) != SC_OK)
		bail_out(err.text);
	free(block);
	return inst;
}

/* ---- the kernel that a row is ---- */

static void set_word(sc_kernel *k, enum kernel_column column, const char *word)
{
	switch (column) {
	case KERNEL_DTYPE:
		k->dtype = word;
		break;
	case KERNEL_GEMM_DTYPE:
		k->gemm_dtype = word;
		break;
	case KERNEL_KV_DTYPE:
		k->kv_format = sc_format_named(word);
		break;
	case KERNEL_ROUTING:
		k->routing = word;
		break;
	case KERNEL_KIND:
		k->kind = word;
		break;
	default:
		break;
	}
}

static void set_cell(sc_kernel *k, const struct kernel_axis *a,
		     const sc_table *t, uint64_t row)
{
	const double *number = sc_column(t, a->name);
	const char *const *word = sc_words(t, a->name);
	if (a->column == KERNEL_NONE)
		return;
	if (word)
		set_word(k, a->column, word[row]);
	else if (number && number[row] > 0)
		kernel_set_size(k, a->column, (uint64_t)number[row]);
}

static sc_kernel kernel_of(const sc_table *t, uint64_t row)
{
	const struct kernel_op *op = kernel_table_find(t->op);
	sc_kernel k = {.size = sizeof k, .op = op->op, .format = SC_BF16};
	for (int i = 0; op->key[i].name; i++)
		set_cell(&k, &op->key[i], t, row);
	for (int i = 0; op->axis[i].name; i++)
		set_cell(&k, &op->axis[i], t, row);
	return k;
}

/* ---- leaving out ---- */

static const char *axis; /* of which values are left out */
static double axis_value[64];
static int n_values;

static void list_values(const sc_table *t)
{
	const double *v = sc_column(t, axis);
	n_values = 0;
	for (uint64_t row = 0; row < t->n_rows; row++) {
		int at = n_values;
		while (at > 0 && axis_value[at - 1] > v[row])
			at--;
		if (at > 0 && axis_value[at - 1] == v[row])
			continue;
		memmove(axis_value + at + 1, axis_value + at,
			(size_t)(n_values - at) * sizeof *axis_value);
		axis_value[at] = v[row];
		if (++n_values == 64)
			bail_out("more values than expected");
	}
}

static int third(const sc_table *t, uint64_t row)
{
	double v = sc_column(t, axis)[row];
	for (int i = 2; i < n_values - 1; i += 3)
		if (axis_value[i] == v)
			return 1;
	return 0;
}
static int ep_4(const sc_table *t, uint64_t row)
{
	return sc_column(t, "ep")[row] == 4 && sc_column(t, "tp")[row] == 1;
}
static int a_family(const sc_table *t, uint64_t row)
{
	return sc_column(t, "hidden")[row] == 4096;
}

/* The rows that are not held, in the order of the table; the caller frees them
 * by free_part(). */
typedef int (*held_fn)(const sc_table *t, uint64_t row);
static sc_table part_of(const sc_table *t, held_fn held)
{
	sc_table part = *t;
	double **col = calloc(t->n_cols, sizeof *col);
	const char ***text = calloc(t->n_cols, sizeof *text);
	for (uint32_t c = 0; c < t->n_cols; c++) {
		uint64_t n = 0;
		if (t->col[c])
			col[c] = calloc(t->n_rows, sizeof **col);
		else
			text[c] = calloc(t->n_rows, sizeof **text);
		for (uint64_t row = 0; row < t->n_rows; row++) {
			if (held(t, row))
				continue;
			if (col[c])
				col[c][n++] = t->col[c][row];
			else
				text[c][n++] = t->text[c][row];
		}
		part.n_rows = n;
	}
	part.col = (const double *const *)col;
	part.text = (const char *const *const *)text;
	return part;
}

static void free_part(sc_table *part)
{
	for (uint32_t c = 0; c < part->n_cols; c++) {
		free((void *)part->col[c]);
		free((void *)part->text[c]);
	}
	free((void *)part->col);
	free((void *)part->text);
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* ---- the errors ---- */

static void hold_out(const struct table_set *s, const char *op, held_fn held,
		     const char *what, double most)
{
	const sc_table *t = NULL;
	for (uint32_t i = 0; i < s->n; i++)
		if (!strcmp(s->view[i]->op, op))
			t = s->view[i];
	if (axis)
		list_values(t);
	sc_table part = part_of(t, held);
	const sc_table *view = &part;
	void *inst = instance(&view);
	double *error = calloc(t->n_rows, sizeof *error), sum = 0;
	size_t n = 0;
	for (uint64_t row = 0; row < t->n_rows; row++) {
		sc_kernel k = kernel_of(t, row);
		sc_kernel_result r = {.size = sizeof r};
		if (!held(t, row) || p->kernel(inst, &k, &r, &err) != SC_OK)
			continue;
		double us = sc_column(t, "latency_us")[row];
		error[n] = fabs(r.latency_us / us - 1);
		sum += error[n++];
	}
	qsort(error, n, sizeof *error, by_size);
	ok(n > 20 && sum / (double)n <= most,
	   "%s %s without %s: %zu held out, mean error %.1f %%, median %.1f %%",
	   s->name, op, what, n, 100 * sum / (double)n, 100 * error[n / 2]);
	free(error);
	p->destroy(inst);
	free_part(&part);
}

static const struct {
	const char *set, *op, *axis;
	held_fn held;
	const char *what;
	double most;
} tests[] = {
    {"h200-sxm.vllm-0.24", "gemm", "m", third, "a third of m", .11},
    {"h200-sxm.sglang-0.5.14", "gemm", "m", third, "a third of m", .11},
    {"h200-sxm.vllm-0.24", "moe", "tokens", third, "a third of tokens", .13},
    {"h200-sxm.sglang-0.5.14", "moe", "tokens", third, "a third of tokens",
     .13},
    {"h200-sxm.vllm-0.24", "moe", NULL, ep_4, "ep 4", .15},
    {"h200-sxm.vllm-0.24", "moe", NULL, a_family, "hidden 4096", .3},
    {"h200-sxm.vllm-0.24", "mla_module_decode", "kv_len", third,
     "a third of lengths", .06},
    {"h200-sxm.trtllm-1.3.0rc20", "mla_module_prefill", "seq_len", third,
     "a third of lengths", .10},
    {"h200-sxm.vllm-0.24", "all_reduce", "message_bytes", third,
     "a third of sizes", .08},
    {"h200-sxm.nccl-2.29.2", "collective", "message_bytes", third,
     "a third of sizes", .08},
};

int main(void)
{
	struct problem problem;
	char path[4096];
	const char *folder = getenv("STEPCOST_DATA_PATH");
	snprintf(path, sizeof path, "%s/bench_data", folder ? folder : ".");
	p = bare_load("operators");
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		struct table_set s;
		if (set_load(&s, path, tests[i].set, &problem) < 0)
			bail_out(problem.text);
		axis = tests[i].axis;
		hold_out(&s, tests[i].op, tests[i].held, tests[i].what,
			 tests[i].most);
		set_free(&s);
	}
	return done();
}
