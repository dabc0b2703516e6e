/* operators: no answer is exact, or between points, that lacks a value it was
 * asked for.  Rows of shipped sets are drawn by chance and asked with one value
 * that no row has.  The answer is by a substitute or worse, and `used` names
 * the value; one between points of an axis is not exact. */
#include "tap.h"
#include "bare.h"
#include "kernel_rows.h"

enum { DRAWN = 12 };

static uint32_t draw(uint32_t n)
{
	static uint64_t state = 39;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

/* ---- values that no row has ---- */

#define CHANGE(name, statement)                                                \
	static void name(sc_kernel *k)                                         \
	{                                                                      \
		statement;                                                     \
	}
CHANGE(nothing, (void)k)
CHANGE(dtype_fp32, k->dtype = "fp32")
CHANGE(dtype_fp8, k->dtype = "fp8")
CHANGE(dtype_int4, k->dtype = "int4")
CHANGE(gemm_int8, k->gemm_dtype = "int8")
CHANGE(gemm_w8a16, k->gemm_dtype = "w8a16")
CHANGE(kv_int8, k->kv_format = SC_INT8)
CHANGE(kv_fp4, k->kv_format = SC_FP4)
CHANGE(routing, k->routing = "power_law_1.01")
CHANGE(sms, k->sms = 7)
CHANGE(cached, k->context = 999)
CHANGE(conv, k->conv++)
CHANGE(v_dim, k->v_dim++)
CHANGE(k_dim, k->k_dim++)
CHANGE(groups, k->k_heads += 3)
CHANGE(chunk, k->chunk++)
CHANGE(heads, k->heads = 77)
CHANGE(kv_heads, k->kv_heads = 77)
CHANGE(head_dim, k->head_dim = 77)
CHANGE(window, k->window = 777)
CHANGE(ranks, k->ranks = 3)
CHANGE(hidden, k->hidden += 77)
CHANGE(inter, k->inter += 77)
CHANGE(experts, k->experts += 7)
CHANGE(topk, k->topk += 11)
CHANGE(tp, k->tp = 3)
CHANGE(ep, k->ep = 3)
CHANGE(streams, k->streams += 7)
CHANGE(m, k->m += 12347)
CHANGE(n, k->n += 77)
CHANGE(k, k->k += 77)
CHANGE(batch, k->batch += 12347)
CHANGE(length, k->new_tokens += 12347)
CHANGE(context, k->context += 12347)
CHANGE(tokens, k->tokens += 12347)
CHANGE(bytes, k->bytes += 77)

#define OF(op) (1u << SC_OP_##op)
#define ATTENTION (OF(PREFILL) | OF(DECODE))
#define MODULES (OF(MLA_DECODE) | OF(MLA_PREFILL))
#define SPARSE (OF(SPARSE_DECODE) | OF(SPARSE_PREFILL))
#define MESSAGES (OF(ALL_REDUCE) | OF(COLLECTIVE))
#define BLOCKS (OF(LINEAR) | OF(MHC))

enum { ANY_LINEAR, GDN = SC_LINEAR_GDN, MAMBA2 = SC_LINEAR_MAMBA2 };

static const struct change {
	const char *name;
	void (*make)(sc_kernel *k);
	uint32_t ops, linear; /* of these kernels */
	const char *says;     /* `used` has it; "": any; NULL:
			       * no value is named */
	uint32_t least;       /* provenance */
} changes[] = {
    /* Rows of collectives in int8 are answered by all of them. */
    {"nothing", nothing, ~OF(COLLECTIVE), 0, NULL, SC_EXACT},
    {"dtype fp32", dtype_fp32,
     ATTENTION | OF(MLA_CORE) | OF(MLA_BMM) | MESSAGES | BLOCKS, 0,
     "dtype=", SC_SUBSTITUTED},
    {"dtype fp8", dtype_fp8, OF(DECODE) | OF(ALL_REDUCE) | BLOCKS, 0,
     "dtype=", SC_SUBSTITUTED},
    {"dtype int4", dtype_int4, OF(PREFILL) | OF(MLA_CORE) | OF(ALL_TO_ALL), 0,
     "dtype=", SC_SUBSTITUTED},
    {"gemm_dtype int8", gemm_int8, MODULES | SPARSE, 0,
     "gemm_dtype=", SC_SUBSTITUTED},
    {"gemm_dtype w8a16", gemm_w8a16, MODULES | SPARSE, 0,
     "gemm_dtype=", SC_SUBSTITUTED},
    {"dtype int4 beside gemm_dtype", dtype_int4, MODULES | SPARSE, 0,
     "dtype=", SC_SUBSTITUTED},
    {"kv_dtype int8", kv_int8, ATTENTION | MODULES | SPARSE | OF(MLA_CORE), 0,
     "kv_dtype=", SC_SUBSTITUTED},
    {"kv_dtype fp4", kv_fp4, ATTENTION | MODULES | SPARSE | OF(MLA_CORE), 0,
     "kv_dtype=", SC_SUBSTITUTED},
    {"routing", routing, OF(MOE), 0, "routing=", SC_SUBSTITUTED},
    {"sms", sms, OF(ALL_TO_ALL), 0, "sms=", SC_SUBSTITUTED},
    {"cached tokens", cached, OF(PREFILL) | OF(MLA_PREFILL), 0,
     "context=", SC_SUBSTITUTED},
    {"conv", conv, OF(LINEAR), 0, "conv=", SC_SUBSTITUTED},
    {"v_dim", v_dim, OF(LINEAR), 0, "v_dim=", SC_SUBSTITUTED},
    {"k_dim", k_dim, OF(LINEAR), GDN, "k_dim=", SC_SUBSTITUTED},
    {"groups", groups, OF(LINEAR), MAMBA2, "k_heads=", SC_SUBSTITUTED},
    {"chunk", chunk, OF(LINEAR), MAMBA2, "chunk=", SC_SUBSTITUTED},
    {"heads", heads, ATTENTION | MODULES | OF(MLA_CORE) | OF(MLA_BMM), 0, "",
     SC_SUBSTITUTED},
    {"kv_heads", kv_heads, ATTENTION, 0, "", SC_SUBSTITUTED},
    {"head_dim", head_dim, ATTENTION, 0, "", SC_SUBSTITUTED},
    {"window", window, ATTENTION, 0, "", SC_SUBSTITUTED},
    {"ranks", ranks, MESSAGES | OF(ALL_TO_ALL), 0, "", SC_SUBSTITUTED},
    {"hidden", hidden, OF(MOE) | OF(ALL_TO_ALL) | OF(MHC), 0, "",
     SC_SUBSTITUTED},
    {"inter", inter, OF(MOE), 0, "", SC_SUBSTITUTED},
    {"experts", experts, OF(MOE) | OF(ALL_TO_ALL), 0, "", SC_SUBSTITUTED},
    {"topk", topk, OF(MOE) | OF(ALL_TO_ALL), 0, "", SC_SUBSTITUTED},
    {"tp", tp, OF(MOE), 0, "", SC_SUBSTITUTED},
    {"ep", ep, OF(MOE), 0, "", SC_SUBSTITUTED},
    {"streams", streams, OF(MHC), 0, "", SC_SUBSTITUTED},
    {"m", m, OF(GEMM), 0, "", SC_INTERPOLATED},
    {"n", n, OF(GEMM), 0, "", SC_INTERPOLATED},
    {"k", k, OF(GEMM), 0, "", SC_INTERPOLATED},
    {"batch", batch, ATTENTION | MODULES | SPARSE | OF(MLA_CORE) | OF(LINEAR),
     0, "", SC_INTERPOLATED},
    {"new tokens", length, OF(PREFILL) | OF(MLA_PREFILL), 0, "",
     SC_INTERPOLATED},
    {"context", context, OF(DECODE) | OF(MLA_DECODE) | OF(SPARSE_DECODE), 0, "",
     SC_INTERPOLATED},
    {"tokens", tokens, OF(MOE) | OF(MLA_BMM) | OF(ALL_TO_ALL) | OF(MHC), 0, "",
     SC_INTERPOLATED},
    {"bytes", bytes, MESSAGES, 0, "", SC_INTERPOLATED},
};
enum { CHANGES = sizeof changes / sizeof *changes };

/* ---- asking ---- */

static uint32_t n_asked[CHANGES], n_bad[CHANGES];
static char first_bad[CHANGES][200];

static void ask(const struct kernel_instance *i, const sc_table *t,
		uint64_t row, uint32_t c)
{
	const struct change *is = &changes[c];
	sc_kernel_result r = {.size = sizeof r};
	sc_kernel k = kernel_of(t, row);
	if (!(is->ops & 1u << k.op) ||
	    (is->linear && is->linear != k.linear_kind))
		return;
	is->make(&k);
	if (operators->kernel(i->of, &k, &r, &kernel_error) != SC_OK)
		return;
	n_asked[c]++;
	int is_named =
	    !is->says ? !strchr(r.used, '=')
		      : r.provenance == SC_FALLBACK || strstr(r.used, is->says);
	if ((r.provenance < is->least || !is_named) && !n_bad[c]++)
		snprintf(first_bad[c], sizeof first_bad[c],
			 "%s %s row %llu: provenance %u by %s", t->set, t->op,
			 (unsigned long long)row, r.provenance, r.used);
}

static void of_set(const char *name)
{
	struct table_set s = kernel_set_for(name, KERNEL_OF_ANY);
	struct kernel_instance i;
	sc_hardware gpu = kernel_gpu(s.view[0]);
	kernel_open(&i, &gpu, s.view, s.n);
	for (uint32_t t = 0; t < s.n; t++) {
		const struct kernel_op *op = kernel_table_find(s.view[t]->op);
		if (!op || !op->op)
			continue;
		for (int row = 0; row < DRAWN; row++)
			for (uint32_t c = 0; c < CHANGES; c++)
				ask(&i, s.view[t],
				    draw((uint32_t)s.view[t]->n_rows), c);
	}
	kernel_close(&i);
	set_free(&s);
}

int main(void)
{
	static const char *const sets[] = {
	    "h100-sxm.vllm-0.24",           "h100-sxm.sglang-0.5.14",
	    "h100-sxm.vllm-0.25.dev",       "b200-sxm.trtllm-1.3.0rc15",
	    "h100-sxm.deepep-sglang-0.5.6", "h100-sxm.nccl-2.29.2",
	    "l40s.trtllm-1.3.0rc20"};
	operators = bare_load("operators");
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		of_set(sets[i]);
	for (uint32_t c = 0; c < CHANGES; c++)
		ok(n_asked[c] > 0 && !n_bad[c],
		   "%s: %u answers, %u that do not say so%s%s", changes[c].name,
		   n_asked[c], n_bad[c], n_bad[c] ? ", first " : "",
		   first_bad[c]);
	return done();
}
