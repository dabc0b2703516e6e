/* operators' error at kernels that it was not told of: of the shipped tables
 * each inner value of an axis in turn, or a split, or a family, or points here
 * and there are left out and asked for.  If a value is left out, the rest has a
 * gap twice as wide (in the logarithm) as the table's.  "three in a row" asks
 * for the middle one, and leaves gaps four times as wide. */
#include "tap.h"
#include "bare.h"
#include "kernel_rows.h"

/* ---- leaving out ---- */

static const char *axis;      /* some of its values are left out */
static double axis_value[64]; /* ascending */
static int n_values, held_value;

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

static uint64_t mixed(uint64_t h)
{
	h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 33;
}

typedef int (*held_fn)(const sc_table *t, uint64_t row);
static int one_value(const sc_table *t, uint64_t row)
{
	return sc_column(t, axis)[row] == axis_value[held_value];
}
static int three_in_a_row(const sc_table *t, uint64_t row)
{
	double v = sc_column(t, axis)[row];
	for (int i = held_value - 1; i <= held_value + 1; i++)
		if (axis_value[i] == v)
			return 1;
	return 0;
}
/* The same for all kernels of a shape: of these the fastest answers. */
static int a_tenth(const sc_table *t, uint64_t row)
{
	uint64_t h = 0;
	for (uint32_t c = 0; c < t->n_cols; c++) {
		const char *name = t->col_name[c];
		if (!strcmp(name, "kernel") || !strcmp(name, "latency_us"))
			continue;
		if (t->col[c])
			h = mixed(h ^ (uint64_t)t->col[c][row]);
		else
			for (const char *w = t->text[c][row]; *w; w++)
				h = mixed(h ^ (unsigned char)*w);
	}
	return h % 10 == (uint64_t)held_value;
}
static int ep_4(const sc_table *t, uint64_t row)
{
	return sc_column(t, "ep")[row] == 4 && sc_column(t, "tp")[row] == 1;
}
static int a_family(const sc_table *t, uint64_t row)
{
	return sc_column(t, "hidden")[row] == 4096;
}
static int weights_alone(const sc_table *t, uint64_t row)
{
	const char *dtype = sc_words(t, "dtype")[row];
	return !strcmp(dtype, "w8a16") || !strcmp(dtype, "w4a16");
}
static int all(const sc_table *t, uint64_t row)
{
	return t != NULL && row < t->n_rows;
}

/* Which values are left out in turn, and whether a row is asked for then. */
static int first_value(held_fn held)
{
	return held == one_value ? 1 : held == three_in_a_row ? 2 : 0;
}
static int last_value(held_fn held)
{
	if (held == a_tenth)
		return 9;
	return axis ? n_values - 1 - first_value(held) : 0;
}
static int is_asked(const sc_table *t, uint64_t row, held_fn held)
{
	return held == three_in_a_row ? one_value(t, row) : held(t, row);
}

/* The rows that are not held, in the order of the table; the caller frees them
 * by free_part(). */
static sc_table part_of(const sc_table *t, held_fn held)
{
	sc_table part = *t;
	double **col = calloc(t->n_cols, sizeof *col);
	const char ***text = calloc(t->n_cols, sizeof *text);
	uint64_t *kept = calloc(t->n_rows + 1, sizeof *kept);
	part.n_rows = 0;
	for (uint64_t row = 0; row < t->n_rows; row++)
		if (!held(t, row))
			kept[part.n_rows++] = row;
	for (uint32_t c = 0; c < t->n_cols; c++) {
		if (t->col[c])
			col[c] = calloc(part.n_rows + 1, sizeof **col);
		else
			text[c] = calloc(part.n_rows + 1, sizeof **text);
		for (uint64_t n = 0; n < part.n_rows; n++) {
			if (col[c])
				col[c][n] = t->col[c][kept[n]];
			else
				text[c][n] = t->text[c][kept[n]];
		}
	}
	free(kept);
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

/* ---- the errors ---- */

static struct kernel_errors errors;

static const sc_table *find_table(const struct table_set *s, const char *op)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (!strcmp(s->view[i]->op, op))
			return s->view[i];
	bail_out(op);
	return NULL;
}

/* Of several kernels for one shape the fastest runs: such rows are compared
 * with what the whole table says. */
static int has_rivals(const sc_table *t)
{
	return !strcmp(t->op, "moe") || !strcmp(t->op, "all_to_all") ||
	       !strncmp(t->op, "mla_", 4);
}

/* The set with its table t, or another in its place; view[s->n] is the
 * caller's, and outlives the instance. */
static void open_with(struct kernel_instance *inst, const struct table_set *s,
		      const sc_table *t, const sc_table *in_place,
		      const sc_table **view)
{
	sc_hardware gpu = kernel_gpu(t);
	for (uint32_t i = 0; i < s->n; i++)
		view[i] = s->view[i] == t ? in_place : s->view[i];
	kernel_open(inst, &gpu, view, s->n);
}

static void hold_out(const struct table_set *s, const sc_table *t, held_fn held,
		     const struct kernel_instance *whole)
{
	sc_table part = part_of(t, held);
	const sc_table **view = calloc(s->n, sizeof *view);
	struct kernel_instance inst;
	open_with(&inst, s, t, &part, view);
	for (uint64_t row = 0; row < t->n_rows; row++) {
		if (!is_asked(t, row, held))
			continue;
		sc_kernel k = kernel_of(t, row);
		kernel_errors_add(&errors, kernel_us(&inst, &k),
				  has_rivals(t)
				      ? kernel_us(whole, &k)
				      : sc_column(t, "latency_us")[row]);
	}
	kernel_close(&inst);
	free(view);
	free_part(&part);
}

static void hold_out_of(const char *set, const char *op, held_fn held)
{
	struct table_set s = kernel_set(set);
	const sc_table *t = find_table(&s, op);
	const sc_table **view = calloc(s.n, sizeof *view);
	struct kernel_instance whole;
	open_with(&whole, &s, t, t, view);
	if (axis)
		list_values(t);
	for (held_value = first_value(held); held_value <= last_value(held);
	     held_value++)
		hold_out(&s, t, held, &whole);
	kernel_close(&whole);
	free(view);
	set_free(&s);
}

#define HOPPER                                                                 \
	"h200-sxm.vllm-0.24", "h200-sxm.sglang-0.5.14",                        \
	    "h200-sxm.trtllm-1.3.0rc20"
#define BLACKWELL                                                              \
	"b200-sxm.vllm-0.24", "b200-sxm.sglang-0.5.14",                        \
	    "b200-sxm.trtllm-1.3.0rc20"
#define MODULES                                                                \
	"h200-sxm.vllm-0.24", "h200-sxm.trtllm-1.3.0rc20",                     \
	    "b200-sxm.vllm-0.24", "b200-sxm.trtllm-1.3.0rc20"
#define L40S "l40s.vllm-0.24", "l40s.sglang-0.5.14", "l40s.trtllm-1.3.0rc20"
enum { SETS = 5 };
static const struct {
	const char *what, *op, *axis;
	held_fn held;
	double most;
	const char *set[SETS];
} tests[] = {
    {"GEMM, an m", "gemm", "m", one_value, .11, {HOPPER}},
    {"GEMM, an n", "gemm", "n", one_value, .11, {HOPPER}},
    {"GEMM, a k", "gemm", "k", one_value, .11, {HOPPER}},
    {"GEMM, weights alone in INT8 or INT4",
     "gemm_more",
     NULL,
     weights_alone,
     .35,
     {"a100-sxm.trtllm-1.0.0", "l40s.trtllm-1.0.0",
      "h200-sxm.trtllm-1.2.0rc5"}},
    {"experts, a number of tokens", "moe", "tokens", one_value, .11, {HOPPER}},
    {"experts, three in a row", "moe", "tokens", three_in_a_row, .18, {HOPPER}},
    {"experts, a tenth", "moe", NULL, a_tenth, .065, {HOPPER}},
    {"experts, B200, a number of tokens",
     "moe",
     "tokens",
     one_value,
     .12,
     {BLACKWELL}},
    {"experts, B200, a tenth", "moe", NULL, a_tenth, .07, {BLACKWELL}},
    {"experts, L40S, a tenth", "moe", NULL, a_tenth, .11, {L40S}},
    {"experts, RTX PRO 6000, a tenth",
     "moe",
     NULL,
     a_tenth,
     .08,
     {"rtxpro6000.vllm-0.24", "rtxpro6000.sglang-0.5.14",
      "rtxpro6000.trtllm-1.3.0rc20"}},
    {"experts, ep 4", "moe", NULL, ep_4, .1, {"h200-sxm.vllm-0.24"}},
    {"experts, hidden 4096",
     "moe",
     NULL,
     a_family,
     .16,
     {"h200-sxm.vllm-0.24"}},
    {"MLA module in decode, a length",
     "mla_module_decode",
     "kv_len",
     one_value,
     .06,
     {MODULES}},
    {"MLA module in decode, a batch",
     "mla_module_decode",
     "batch",
     one_value,
     .06,
     {MODULES}},
    {"MLA module in decode, a tenth",
     "mla_module_decode",
     NULL,
     a_tenth,
     .02,
     {MODULES}},
    {"MLA module in prefill, a tenth",
     "mla_module_prefill",
     NULL,
     a_tenth,
     .05,
     {MODULES}},
    {"MLA module in prefill, a length",
     "mla_module_prefill",
     "seq_len",
     one_value,
     .08,
     {MODULES}},
    {"MLA module in prefill, a batch",
     "mla_module_prefill",
     "batch",
     one_value,
     .08,
     {MODULES}},
    {"all-reduce, a size",
     "all_reduce",
     "message_bytes",
     one_value,
     .08,
     {HOPPER}},
    {"collectives, a size",
     "collective",
     "message_bytes",
     one_value,
     .08,
     {"h200-sxm.nccl-2.29.2", "b200-sxm.nccl-2.29.2"}},
    {"dispatch and combine by formula, 8 to 64 GPUs",
     "all_to_all",
     NULL,
     all,
     .2,
     {"h100-sxm.deepep-sglang-0.5.6"}},
};

int main(void)
{
	operators = bare_load("operators");
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		axis = tests[i].axis;
		for (int k = 0; k < SETS && tests[i].set[k]; k++)
			hold_out_of(tests[i].set[k], tests[i].op,
				    tests[i].held);
		kernel_errors_check(&errors, tests[i].most, tests[i].what);
	}
	return done();
}
