/* aic_tables: AIConfigurator on measured tables (SILICON mode); aic_tables.md
 * has the rules. */
#include "aic_tables.h"
#include "stepcost/batch.h"

static const sc_knob *const knobs[] = {FIELD_GPU_KNOBS(struct aic_knobs)};

static void destroy(void *inst)
{
	struct aic_silicon *s = inst;
	aic_free(&s->t);
	free(s);
}

static int32_t start(struct aic_silicon *s, const sc_setup *setup,
		     const struct aic_knobs *k, sc_error *err)
{
	int32_t rc = aic_read(&s->a, setup, k, err);
	if (rc == SC_OK)
		rc = aic_load(&s->t, &s->a.sys, setup, err);
	if (rc == SC_OK)
		silicon_operators(s);
	if (rc == SC_OK && s->a.m.tp > 1 && !s->reduce.n)
		rc =
		    sc_fail(err, SC_ENODATA,
			    "no table of all-reduces over %g ranks", s->a.m.tp);
	return rc;
}

FIELD_CREATE_WITH(struct aic_silicon, start, destroy)

static int32_t no_answer(sc_error *err)
{
	return sc_fail(err, SC_EUNSUP,
		       "AIConfigurator's tables have no GEMM within two "
		       "octaves, or no attention of this shape");
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct aic_silicon *s = inst;
	if (!step->n_prefill && !step->n_decode)
		return field_answer(out, 0);
	double us = aic_step(&s->a, step, out) * 1e6;
	return us > 0 ? field_answer(out, us) : no_answer(err);
}

/* One kernel, as the origin's engine answers a single query. */
static int32_t kernel(void *inst, const sc_kernel *k, sc_kernel_result *out,
		      sc_error *err)
{
	const struct aic_silicon *s = inst;
	double heads = floor((double)k->heads / fmax(1, k->ranks)), us = NAN;
	double kv = ceil((double)k->kv_heads / fmax(1, k->ranks));
	double batch = (double)k->batch, length = (double)k->context, all;
	struct aic_grid g;
	if (field_bytes(k->format) != 2 || k->window ||
	    (k->kv_format && field_bytes(k->kv_format) != 2))
		return sc_fail(err, SC_EUNSUP,
			       "this AIConfigurator prices 16 bits without a "
			       "window");
	switch (k->op) {
	case SC_OP_GEMM:
		us = aic_table_gemm(&s->t, (double)k->m, (double)k->n,
				    (double)k->k);
		break;
	case SC_OP_PREFILL:
		g = silicon_grid(s, AIC_PREFILL, heads, kv, k->head_dim);
		all = length + (double)k->new_tokens;
		us = aic_ask(&g, (double[3]){heads, all, batch}) *
		     (all * all - length * length) / (all * all);
		break;
	case SC_OP_DECODE:
		g = silicon_grid(s, AIC_DECODE, heads, kv, k->head_dim);
		us = aic_ask(&g, (double[3]){heads, batch, length});
		break;
	case SC_OP_ALL_REDUCE:
		g = aic_grid_of(&s->t, AIC_ALL_REDUCE, k->ranks, 0);
		all = (double)k->bytes / 2;
		us = aic_ask(&g, &all);
		break;
	default:
		return sc_fail(err, SC_EUNSUP,
			       "AIConfigurator has no such kernel here");
	}
	out->latency_us = us * 1e6;
	out->provenance = SC_INTERPOLATED;
	return us > 0 ? SC_OK : no_answer(err);
}

SC_EVAL_BATCH(eval);

#define NEEDS_TABLE(table, names)                                              \
	&(const sc_need)                                                       \
	{                                                                      \
		.size = sizeof(sc_need), .kind = SC_NEED_TABLE,                \
		.value = (table), .columns = (names)                           \
	}
static const sc_need *const needs[] = {
    NEEDS_TABLE("gemm", "m,n,k,latency_us"),
    NEEDS_TABLE("attention_prefill",
		"heads,kv_heads,head_dim,batch,seq_len,latency_us"),
    NEEDS_TABLE("attention_decode",
		"heads,kv_heads,head_dim,batch,kv_len,latency_us"),
};

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities =
	SC_CAP_NOT_MONOTONE | SC_CAP_ORDER_SENSITIVE | SC_CAP_TABLES,
    .name = "aic_tables",
    .version = "d2af06a",
    .summary = "AIConfigurator: measured kernels and their utilisation",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct aic_knobs),
    .create = create,
    .destroy = destroy,
    .eval = eval,
    .eval_batch = eval_batch,
    .kernel = kernel,
    .id = "io.github.ai-dynamo.aiconfigurator.tables",
    .author = "NVIDIA",
    .licence = AIC_LICENCE,
    .url = AIC_URL,
    .citation = "AIConfigurator at d2af06a, database mode SILICON",
    .n_needs = sizeof needs / sizeof *needs,
    .need = needs,
};
SC_PLUGIN_DEFINE(plugin);
