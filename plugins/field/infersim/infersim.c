/* infersim: InferSim's layers at the MFU of measured kernels, and constants of
 * a phase; infersim.md has the formulas. */
#include "infersim.h"
#include "stepcost/batch.h"

struct knobs {
	const char *gpu;
	int64_t hardware_from_file, tbo, nodes;
};
static const sc_knob *const knobs[] = {
    FIELD_GPU_KNOBS(struct knobs),
    SC_BOOL(struct knobs, tbo, "false",
	    "Two-batch overlap, as the origin's flag of that name."),
    SC_INT(struct knobs, nodes, "0", 0, 4096, "1",
	   "Nodes that the ranks are on. 0: 8 ranks a node."),
};

static void destroy(void *inst)
{
	struct mfu *s = inst;
	free((void *)(uintptr_t)s->rows.row);
	free(s);
}

/* InferSim knows 16 bits and FP8. */
static int is_known(uint32_t format)
{
	return format == SC_BF16 || format == SC_FP16 || format == SC_FP8;
}

static int32_t read_layers(struct mfu *s, const sc_setup *setup, sc_error *err)
{
	const sc_model *model = setup->model;
	struct mfu_linear *l = &s->linear;
	for (uint32_t i = 0; i < model->n_groups; i++) {
		const sc_layers *g = model->group[i];
		if (!is_known(g->ffn == SC_FFN_MOE ? g->expert_format
						   : g->ffn_format) ||
		    !is_known(model->kv_format))
			return sc_fail(err, SC_EUNSUP,
				       "InferSim prices 16 bits and FP8");
		if (g->attention != SC_ATTN_LINEAR)
			continue;
		s->linear_layers += g->n_layers;
		*l = (struct mfu_linear){g->linear_conv, g->linear_k_heads,
					 g->linear_k_dim, g->linear_v_heads,
					 g->linear_v_dim};
	}
	s->is_fp8 = s->m.weight_bytes == 1;
	s->full_layers = s->m.layers - s->linear_layers;
	/* The origin has a number of shared experts for DeepSeek alone. */
	s->shared = s->m.kv_rank > 0 ? s->m.n_shared : 0;
	return SC_OK;
}

static int32_t read_ranks(struct mfu *s, const sc_setup *setup,
			  const struct knobs *k, sc_error *err)
{
	const sc_hardware *hw = setup->hardware;
	const sc_engine *e = setup->engine;
	int i = field_gpu(is_gpu_names, 4, setup, k->gpu, "InferSim", err);
	if (i < 0)
		return SC_EUNSUP;
	s->gpu = is_gpus[i];
	if (k->hardware_from_file) {
		s->gpu.bf16 = hw->peak_flops[SC_BF16] / 1e12;
		s->gpu.fp8 = hw->peak_flops[SC_FP8] / 1e12;
		s->gpu.memory = hw->mem_bandwidth / 1e9 * 0.8;
		s->gpu.link = hw->link_bandwidth / 1e9 * 0.8;
	}
	s->world = s->m.tp * s->m.dp;
	s->nodes = k->nodes ? (double)k->nodes : ceil(s->world / 8);
	s->tbo = k->tbo != 0;
	s->deepep = SC_HAS(e, expert_dispatch) && e->expert_dispatch &&
		    !strncmp(e->expert_dispatch, "deepep", 6);
	return field_load_rows(&s->rows, setup, "tables.csv",
			       is_gpu_names[i][0], mfu_kinds, MFU_KINDS, err);
}

static int32_t start(struct mfu *s, const sc_setup *setup,
		     const struct knobs *k, sc_error *err)
{
	int32_t rc =
	    field_read(&s->m, setup,
		       FIELD_EXPERTS | FIELD_SHARED | FIELD_MLA | FIELD_LINEAR |
			   FIELD_TP | FIELD_DP | FIELD_EP,
		       "InferSim", err);
	if (rc == SC_OK)
		rc = read_layers(s, setup, err);
	if (rc == SC_OK)
		rc = read_ranks(s, setup, k, err);
	if (rc == SC_OK) {
		mfu_prepare(s);
		if (s->linear_layers > 0 && !s->linear_core[SC_PREFILL].n)
			rc = sc_fail(err, SC_EUNSUP,
				     "InferSim has no table of linear "
				     "attention of this shape on this GPU");
	}
	return rc;
}

FIELD_CREATE_WITH(struct mfu, start, destroy)

static int32_t no_answer(sc_error *err)
{
	return sc_fail(err, SC_EUNSUP,
		       "InferSim's table has an MFU of 0 here, or no row of "
		       "this KV format");
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	struct mfu *s = inst;
	struct field_sums t = field_sums_of(step);
	/* If the step has the requests of all data ranks, this rank computes
	 * its share of them. */
	double share = SC_HAS(step, dp_tokens) && step->dp_tokens ? 1 : s->m.dp;
	double length = t.prompt;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		length += step->prefill_ctx[i];
	struct is_phase w = {.tokens = ceil((t.prompt + t.decodes) / share),
			     .bs = ceil(t.decodes / share),
			     .kv = 1,
			     .prompt = ceil(t.prompt / share),
			     .isl = 1};
	if (step->n_decode)
		w.kv = fmax(1, floor(t.contexts / t.decodes));
	if (step->n_prefill)
		w.isl = fmax(1, floor(length / step->n_prefill));
	double us = is_time(s, &w) * 1e6;
	return us > 0 ? field_answer(out, us) : no_answer(err);
}

/* One kernel (ours): a GEMM, or attention's core. */
static int32_t kernel(void *inst, const sc_kernel *k, sc_kernel_result *out,
		      sc_error *err)
{
	const struct mfu *s = inst;
	double m = (double)k->m, n = (double)k->n, depth = (double)k->k;
	double batch = (double)k->batch, us = 0;
	if (!is_known(k->format) || k->window ||
	    (k->kv_format && !is_known(k->kv_format)))
		return sc_fail(err, SC_EUNSUP,
			       "InferSim prices 16 bits and FP8, no windows");
	if (k->op == SC_OP_GEMM) {
		struct mfu_site g = mfu_site_of(s, depth, n);
		struct field_hit hit = field_last(g.rows, m, 0, s->gpu.mfu);
		us = mfu_compute(2 * m * n * depth,
				 k->format == SC_FP8 ? s->gpu.fp8 : s->gpu.bf16,
				 hit.value);
		out->provenance = hit.how;
		out->mfu = hit.value;
	} else if (k->op == SC_OP_DECODE || k->op == SC_OP_PREFILL ||
		   (k->op == SC_OP_MLA_CORE && k->context &&
		    s->m.kv_rank > 0)) {
		struct mfu_attention a = mfu_attention_of(
		    s, k->heads, k->kv_heads, k->head_dim, k->ranks,
		    k->kv_format ? field_bytes(k->kv_format) : 2,
		    k->op == SC_OP_MLA_CORE);
		if (k->op == SC_OP_PREFILL && k->context)
			return sc_fail(err, SC_EUNSUP,
				       "InferSim's tables of prefill have "
				       "nothing cached");
		us =
		    k->op == SC_OP_PREFILL
			? batch * mfu_core_prefill(s, &a, (double)k->new_tokens,
						   &out->provenance)
			: mfu_core_decode(s, &a, batch, (double)k->context,
					  &out->provenance);
	} else {
		return sc_fail(err, SC_EUNSUP,
			       "InferSim has no such kernel by itself");
	}
	out->latency_us = us * 1e6;
	return us > 0 ? SC_OK : no_answer(err);
}

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = SC_CAP_NOT_MONOTONE,
    .name = "infersim",
    .version = "f2293da",
    .summary = "InferSim: operators at the MFU of measured kernels",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = destroy,
    .eval = eval,
    .eval_batch = eval_batch,
    .kernel = kernel,
    .id = "io.github.alibaba.infersim",
    .author = "Alibaba",
    .licence = "Apache-2.0",
    .url = "https://github.com/alibaba/InferSim",
    .citation = "InferSim at f2293da",
};
SC_PLUGIN_DEFINE(plugin);
