/* latency_interp's kernels on the shipped tables: exact where measured, near
 * where not (held out), smooth, monotone on request, honest about formats. */
#include "tap.h"
#include "bare.h"
#include "model_8b.h"
#include "base/problem.h"
#include "stepcost/kernel/kernel_law.h"
#include "stepcost/table.h"
#include "tables/set.h"

static const sc_plugin *p;
static sc_error err = {.size = sizeof err};
static const sc_hardware hardware = {
    .size = sizeof hardware,
    .name = "h100-sxm",
    .peak_flops = {[SC_BF16] = 989e12, [SC_FP8] = 1978e12},
    .mem_bandwidth = 3.35e12,
    .link_bandwidth = 450e9};
static const sc_engine engine = {.size = sizeof engine,
				 .max_num_seqs = 128,
				 .max_num_batched_tokens = 2048,
				 .block_size = 16,
				 .graph_max_tokens = 256};

static void *instance(uint32_t n, const sc_table *const *table, uint32_t tp,
		      const char *knob, const char *value)
{
	static sc_parallel parallel = {
	    .size = sizeof parallel, .pp = 1, .ep = 1, .dp = 1};
	parallel.tp = tp;
	sc_hardware gpu = hardware; /* the one the tables are of */
	if (n) {
		gpu.mem_bandwidth =
		    1e12 * sc_note_number(table[0], "memory_bandwidth_tbs");
		gpu.peak_flops[SC_BF16] =
		    1e12 * sc_note_number(table[0], "peak_tflops_bf16");
	}
	sc_setup setup = {.size = sizeof setup,
			  .n_tables = n,
			  .model = &model_8b,
			  .hardware = &gpu,
			  .parallel = &parallel,
			  .engine = &engine,
			  .table = table};
	void *inst = NULL, *block = bare_knobs(p);
	if (knob && bare_set(p, block, knob, value))
		bail_out("no such knob");
	if (p->create(&inst, &setup, block, &err) != SC_OK)
		inst = NULL;
	free(block);
	return inst;
}

static sc_kernel_result ask(void *inst, const sc_kernel *k)
{
	sc_kernel_result r = {.size = sizeof r, .latency_us = NAN};
	if (p->kernel(inst, k, &r, &err) != SC_OK)
		printf("# %s\n", err.text);
	return r;
}

static double number(const sc_table *t, const char *name, uint64_t row)
{
	const double *c = sc_column(t, name);
	return c ? c[row] : 0;
}

static sc_kernel kernel_of(const sc_table *t, uint64_t row)
{
	sc_kernel k = {.size = sizeof k, .ranks = 1};
	for (uint32_t i = 0; i < t->n_cols; i++)
		if (!strcmp(t->col_name[i], "dtype"))
			k.format = sc_format_named(t->text[i][row]);
	k.m = (uint64_t)number(t, "m", row);
	k.n = (uint64_t)number(t, "n", row);
	k.k = (uint64_t)number(t, "k", row);
	k.heads =
	    (uint32_t)(number(t, "heads", row) + number(t, "model_heads", row));
	k.kv_heads = (uint32_t)(number(t, "kv_heads", row) +
				number(t, "model_kv_heads", row));
	if (number(t, "tp", row) > 0)
		k.ranks = (uint32_t)number(t, "tp", row);
	k.head_dim = (uint32_t)number(t, "head_dim", row);
	k.batch = (uint64_t)number(t, "batch", row);
	k.op = !strcmp(t->op, "gemm")                ? SC_OP_GEMM
	       : !strcmp(t->op, "attention_prefill") ? SC_OP_PREFILL
	       : !strcmp(t->op, "attention_decode")  ? SC_OP_DECODE
						     : SC_OP_ALL_REDUCE;
	if (k.op == SC_OP_PREFILL)
		k.new_tokens = (uint64_t)number(t, "seq_len", row);
	if (k.op == SC_OP_DECODE)
		k.context = (uint64_t)number(t, "kv_len", row);
	if (k.op == SC_OP_ALL_REDUCE) {
		k.ranks = (uint32_t)number(t, "ranks", row);
		k.bytes = (uint64_t)number(t, "message_bytes", row);
	}
	return k;
}

/* A table that the model takes: its ops have laws. */
static int has_law(const sc_table *t)
{
	for (int i = 0; i < SC_LAW_OPS; i++)
		if (!strcmp(sc_law_kinds[i].op, t->op))
			return 1;
	return 0;
}

static void check_exact(const struct table_set *s)
{
	void *inst = instance(s->n, s->view, 1, NULL, NULL);
	for (uint32_t i = 0; i < s->n; i++) {
		const sc_table *t = s->view[i];
		if (!has_law(t))
			continue;
		uint64_t off = 0;
		for (uint64_t row = 0; row < t->n_rows; row++) {
			sc_kernel k = kernel_of(t, row);
			sc_kernel_result r = ask(inst, &k);
			off += r.latency_us != number(t, "latency_us", row) ||
			       r.provenance != SC_EXACT;
		}
		ok(off == 0, "%s %s: %llu points come out as measured", s->name,
		   t->op, (unsigned long long)t->n_rows);
	}
	p->destroy(inst);
}

/* A table without the rows that `held` says, and how well those come out. */
typedef int (*held_fn)(const sc_table *t, uint64_t row);

struct holdout {
	double mean, worst;
	uint64_t n;
};

static struct holdout hold_out(const struct table_set *s, const char *op,
			       held_fn held)
{
	struct holdout h = {0, 0, 0};
	sc_table part;
	const sc_table *t = NULL, *view = &part;
	for (uint32_t i = 0; i < s->n; i++)
		if (!strcmp(s->view[i]->op, op))
			t = s->view[i];
	double **col = calloc(t->n_cols, sizeof *col);
	const char ***text = calloc(t->n_cols, sizeof *text);
	part = *t;
	part.n_rows = 0;
	for (uint32_t c = 0; c < t->n_cols; c++) {
		col[c] = t->col[c] ? calloc(t->n_rows, sizeof **col) : NULL;
		text[c] = t->text[c] ? calloc(t->n_rows, sizeof **text) : NULL;
	}
	for (uint64_t row = 0; row < t->n_rows; row++) {
		if (held(t, row))
			continue;
		for (uint32_t c = 0; c < t->n_cols; c++)
			if (col[c])
				col[c][part.n_rows] = t->col[c][row];
			else
				text[c][part.n_rows] = t->text[c][row];
		part.n_rows++;
	}
	part.col = (const double *const *)col;
	part.text = (const char *const *const *)text;
	void *inst = instance(1, &view, 1, NULL, NULL);
	for (uint64_t row = 0; row < t->n_rows; row++) {
		sc_kernel k = kernel_of(t, row);
		if (!held(t, row))
			continue;
		double e = fabs(ask(inst, &k).latency_us /
				    number(t, "latency_us", row) -
				1);
		h.mean += e;
		h.worst = fmax(h.worst, e);
		h.n++;
	}
	p->destroy(inst);
	for (uint32_t c = 0; c < t->n_cols; c++) {
		free(col[c]);
		free(text[c]);
	}
	free(col);
	free(text);
	h.mean /= (double)h.n;
	return h;
}

static int every_other_m(const sc_table *t, uint64_t row)
{
	double m = number(t, "m", row);
	return m == 16 || m == 64 || m == 256 || m == 1024 || m == 4096;
}
static int a_side(const sc_table *t, uint64_t row)
{
	return number(t, "n", row) == 4096 || number(t, "k", row) == 2048;
}
static int a_batch(const sc_table *t, uint64_t row)
{
	double b = number(t, "batch", row);
	return b == 4 || b == 64;
}
static int a_length(const sc_table *t, uint64_t row)
{
	double l = number(t, "kv_len", row) + number(t, "seq_len", row);
	return l == 256 || l == 4096;
}
static int some_heads(const sc_table *t, uint64_t row)
{
	return number(t, "heads", row) == 8 || number(t, "heads", row) == 40;
}

static void check_holdout(const struct table_set *s)
{
	static const struct {
		const char *op, *what;
		held_fn held;
		double most; /* mean error */
	} test[] = {
	    {"gemm", "every other m", every_other_m, .065},
	    {"gemm", "sides 4096 and 2048", a_side, .065},
	    {"attention_prefill", "batch 4", a_batch, .08},
	    {"attention_prefill", "every other length", a_length, .095},
	    {"attention_prefill", "8 and 40 heads", some_heads, .062},
	    {"attention_decode", "batches 4 and 64", a_batch, .10},
	    {"attention_decode", "every other length", a_length, .12},
	    {"attention_decode", "8 and 40 heads", some_heads, .04},
	};
	for (size_t i = 0; i < sizeof test / sizeof *test; i++) {
		struct holdout h = hold_out(s, test[i].op, test[i].held);
		ok(h.mean <= test[i].most,
		   "%s %s without %s: %llu held out, mean error %.1f %%, worst "
		   "%.0f %%",
		   s->name, test[i].op, test[i].what, (unsigned long long)h.n,
		   100 * h.mean, 100 * h.worst);
	}
}

/* Along one dimension of a kernel, up to `most`. */
struct walk {
	uint64_t falls, jumps;
};
static struct walk walk(void *inst, sc_kernel k, uint64_t *dimension,
			sc_kernel *in, uint64_t most)
{
	struct walk w = {0, 0};
	double last = 0;
	for (uint64_t v = 1; v <= most; v++) {
		*dimension = v;
		double us = ask(inst, in).latency_us;
		w.falls += us < last;
		/* Twice the tokens may take twice the time, no more. */
		w.jumps += v > 1 && fabs(log(us / last)) >
					.05 + log((double)v / (double)(v - 1));
		last = us;
	}
	(void)k;
	return w;
}

static void check_walks(const struct table_set *s)
{
	static const struct {
		const char *what;
		sc_kernel k;
	} start[] = {
	    {"gemm 6144 x 4096",
	     {.op = SC_OP_GEMM, .format = SC_BF16, .n = 6144, .k = 4096}},
	    {"gemm 1024 x 8192",
	     {.op = SC_OP_GEMM, .format = SC_BF16, .n = 1024, .k = 8192}},
	    {"prefill 32-8-128",
	     {.op = SC_OP_PREFILL,
	      .format = SC_BF16,
	      .heads = 32,
	      .kv_heads = 8,
	      .head_dim = 128,
	      .batch = 3}},
	    {"prefill 28-4-128",
	     {.op = SC_OP_PREFILL,
	      .format = SC_BF16,
	      .heads = 28,
	      .kv_heads = 4,
	      .head_dim = 128,
	      .batch = 1}},
	    {"decode 32-8-128",
	     {.op = SC_OP_DECODE,
	      .format = SC_BF16,
	      .heads = 32,
	      .kv_heads = 8,
	      .head_dim = 128,
	      .batch = 30}},
	    {"decode 28-4-128",
	     {.op = SC_OP_DECODE,
	      .format = SC_BF16,
	      .heads = 28,
	      .kv_heads = 4,
	      .head_dim = 128,
	      .batch = 5}},
	};
	for (int on = 0; on < 2; on++) {
		void *inst = instance(s->n, s->view, 1, "monotone",
				      on ? "true" : "false");
		for (size_t i = 0; i < sizeof start / sizeof *start; i++) {
			sc_kernel k = start[i].k;
			k.size = sizeof k;
			k.ranks = 1;
			uint64_t *along = k.op == SC_OP_GEMM ? &k.m
					  : k.op == SC_OP_PREFILL
					      ? &k.new_tokens
					      : &k.context;
			struct walk w = walk(inst, k, along, &k, 6000);
			ok(w.jumps == 0, "%s%s has no jumps", start[i].what,
			   on ? ", monotone," : "");
			if (on)
				ok(w.falls == 0, "%s never falls",
				   start[i].what);
			if (on && k.op == SC_OP_DECODE) {
				k.context = 3000;
				w = walk(inst, k, &k.batch, &k, 1500);
				ok(w.falls == 0, "%s nor with the batch",
				   start[i].what);
			}
			if (on && k.op == SC_OP_PREFILL) {
				k.new_tokens = 300;
				w = walk(inst, k, &k.context, &k, 6000);
				ok(w.falls == 0, "%s nor with the prefix",
				   start[i].what);
			}
		}
		p->destroy(inst);
	}
}

/* Where no earlier, shorter or narrower point took longer. */
static void check_monotone_exact(const struct table_set *s)
{
	void *inst = instance(s->n, s->view, 1, "monotone", "true");
	for (uint32_t i = 0; i < s->n; i++) {
		const sc_table *t = s->view[i];
		if (!has_law(t))
			continue;
		uint64_t exact = 0, lower = 0;
		for (uint64_t row = 0; row < t->n_rows; row++) {
			sc_kernel k = kernel_of(t, row);
			double us = ask(inst, &k).latency_us;
			double is = number(t, "latency_us", row);
			exact += us == is;
			lower += us < is;
		}
		ok(lower == 0 && exact * 10 > t->n_rows * 6,
		   "%s %s, monotone: %llu of %llu points as measured, none "
		   "below",
		   s->name, t->op, (unsigned long long)exact,
		   (unsigned long long)t->n_rows);
	}
	p->destroy(inst);
}

static void check_formats(const struct table_set *s)
{
	const sc_setup setup = {.n_tables = s->n, .table = s->view};
	sc_table fp8 = *sc_table_of(&setup, "gemm");
	const sc_table *view[] = {&fp8};
	sc_kernel k = {.size = sizeof k,
		       .op = SC_OP_GEMM,
		       .format = SC_BF16,
		       .m = 128,
		       .n = 4096,
		       .k = 4096};
	uint64_t first = 0;
	const char *const *text[8];
	const double *col[8];
	for (uint32_t c = 0; c < fp8.n_cols; c++)
		if (fp8.text[c])
			while (strcmp(fp8.text[c][first], "fp8"))
				first++;
	for (uint32_t c = 0; c < fp8.n_cols; c++) {
		text[c] = fp8.text[c] ? fp8.text[c] + first : NULL;
		col[c] = fp8.col[c] ? fp8.col[c] + first : NULL;
	}
	fp8.n_rows -= first;
	fp8.text = text;
	fp8.col = col;
	void *inst = instance(s->n, s->view, 1, NULL, NULL);
	double bf16 = ask(inst, &k).latency_us;
	p->destroy(inst);
	inst = instance(1, view, 1, NULL, NULL);
	sc_kernel_result r = ask(inst, &k);
	ok(r.provenance == SC_FALLBACK && !strcmp(r.used, "law"),
	   "bf16 without bf16 rows is the law, and says so");
	near(r.latency_us, bf16, .25, "and near what was measured");
	p->destroy(inst);
	inst = instance(1, view, 1, "format_mismatch", "residual");
	r = ask(inst, &k);
	ok(r.provenance == SC_SUBSTITUTED, "or a substitution");
	p->destroy(inst);
	ok(!instance(1, view, 1, "format_mismatch", "refuse") &&
	       strstr(err.text, "no bf16 rows"),
	   "or refused: %s", err.text);
	inst = instance(0, NULL, 1, NULL, NULL);
	r = ask(inst, &k);
	ok(inst && r.provenance == SC_FALLBACK,
	   "without any table the law answers");
	p->destroy(inst);
}

static sc_result price(void *inst, uint32_t n, uint32_t kv, uint32_t new,
		       uint32_t cached)
{
	uint32_t ctx[256];
	sc_result r = bare_result();
	for (uint32_t i = 0; i < n; i++)
		ctx[i] = kv;
	sc_step step = {.size = sizeof step,
			.n_prefill = new > 0,
			.n_decode = n,
			.n_sampled = n + (new > 0),
			.prefill_new = &new,
			.prefill_ctx = &cached,
			.decode_ctx = ctx};
	p->eval(inst, &step, &r, &err);
	return r;
}

static void check_steps(const struct table_set *s)
{
	void *one = instance(s->n, s->view, 1, NULL, NULL);
	sc_kernel k = {.size = sizeof k,
		       .op = SC_OP_DECODE,
		       .format = SC_BF16,
		       .heads = 32,
		       .kv_heads = 8,
		       .head_dim = 128,
		       .ranks = 1,
		       .batch = 64,
		       .context = 1024};
	sc_result r = price(one, 64, 1023, 0, 0);
	near(r.attention_us[SC_DECODE], 32 * ask(one, &k).latency_us, 1e-12,
	     "a layer's decode attention is the kernel's, with the new token");
	double shares = 0;
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		shares += r.lookup_us[i];
	near(shares, r.exact_us, 1e-12, "all time is accounted for");
	ok(r.lookups[SC_EXACT] == 3,
	   "attention, q, k and v, and the output were measured points");
	double whole = price(one, 0, 0, 2048, 0).attention_us[SC_PREFILL];
	double half = price(one, 0, 0, 1024, 0).attention_us[SC_PREFILL];
	double rest = price(one, 0, 0, 1024, 1024).attention_us[SC_PREFILL];
	ok(half < rest && rest < whole && half + rest < 1.4 * whole,
	   "a chunk on a prefix costs more than without, less than all");
	p->destroy(one);
	double last = INFINITY;
	for (uint32_t tp = 2; tp <= 32; tp *= 2) {
		void *inst = instance(s->n, s->view, tp, NULL, NULL);
		r = price(inst, 64, 1023, 0, 0);
		ok(r.gemm_us[SC_DECODE] < last && r.comm_us > 0,
		   "tp %u is split, and reduced", tp);
		last = r.gemm_us[SC_DECODE];
		p->destroy(inst);
	}
}

int main(void)
{
	static const char *const sets[] = {
	    "h100-sxm.vllm-0.24", "h200-sxm.vllm-0.24", "a100-sxm.vllm-0.14",
	    "h100-sxm.infersim"};
	const char *folder = getenv("top_srcdir");
	char path[4096];
	snprintf(path, sizeof path, "%s/bench_data", folder ? folder : "..");
	p = bare_load("latency_interp");
	for (int i = 0; i < 4; i++) {
		struct table_set s = {0};
		struct problem problem;
		if (set_load(&s, path, sets[i], 0, &problem) < 0)
			bail_out(problem.text);
		check_exact(&s);
		if (i < 3) {
			check_holdout(&s);
			check_monotone_exact(&s);
		}
		if (i == 0) {
			check_walks(&s);
			check_formats(&s);
			check_steps(&s);
		}
		set_free(&s);
	}
	return done();
}
