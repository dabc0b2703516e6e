/* operators.c -- Prices a step operator by operator, from kernel latencies that
 * were measured for each engine: see operators.md. */
#include <math.h>
#include <stdlib.h>
#include "stepcost/batch.h"
#include "stepcost/kernel/launch_step.h"
#include "stepcost/fail.h"
#include "stepcost/log.h"
#include "inst.h"
#include "price/kernel.h"
#include "step/assignment.h"
#include "step/host.h"
#include "step/layers.h"
#include "step/memo.h"
#include "step/parts.h"
#include "step/step.h"

static const sc_knob *const knobs[] = {
    SC_CHOICE(struct knobs, engine, "auto", engine_words,
	      "The engine that runs the kernels and the host code; auto: as "
	      "[engine] says, else as the tables do."),
    SC_CHOICE(struct knobs, expert_engine, "auto", engine_words,
	      "The engine with tables for the kernels of routed experts, if a "
	      "launch chose kernels that are another's; auto: as `engine`."),
    SC_CHOICE(struct knobs, expert_kernel, "auto", expert_kernel_words,
	      "The kernel of routed experts, by its name in the tables; auto: "
	      "the fastest that was measured."),
    SC_CHOICE(struct knobs, host, "auto", host_words,
	      "How the engine's host code runs beside the GPU; auto: by engine "
	      "and version."),
    SC_CHOICE(
	struct knobs, routing, "power_law_1.2", routing_words,
	"How tokens choose experts: skewed (the busiest rank), or evenly."),
    SC_CHOICE(struct knobs, mxfp4_activations, "auto", activations_words,
	      "Bits of the activations that MXFP4 experts multiply; auto: 16 "
	      "before Blackwell and in vLLM before 0.15, else 8."),
    SC_CHOICE(struct knobs, mxfp4_kernel, "tables", mxfp4_kernel_words,
	      "The kernel of MXFP4 experts with 16-bit activations; marlin: "
	      "vLLM with VLLM_MXFP4_USE_MARLIN=1."),
    SC_CHOICE(struct knobs, fp8_scales, "auto", scales_words,
	      "FP8 weights have a scale a tensor or one for 128 x 128 "
	      "weights; auto: by their stored bits."),
    SC_BOOL(struct knobs, fp8_attention, "false",
	    "Attention of prompts computes in FP8 where the KV cache is FP8 "
	    "and a set has such kernels (SGLang, TensorRT-LLM)."),
    SC_CHOICE(struct knobs, moe_exchange, "gather", exchange_words,
	      "How tokens reach experts under attention data parallelism: "
	      "all-gather and reduce-scatter, an all-to-all back end, or that "
	      "in steps of decodes alone and gathers beside prompts."),
    SC_CHOICE(
	struct knobs, pipeline, "auto", pipeline_words,
	"Whether a step is divided into a micro-batch a stage; auto: "
	"unless the engine has a batch queue of its own (vLLM's presets)."),
    SC_INT(struct knobs, node_gpus, "8", 1, 1024, "1",
	   "GPUs that links join: dispatch, combine and all-reduces cross a "
	   "network between nodes (72 in NVL72)."),
    SC_INT(struct knobs, gemm_tile, "64", 0, 4096, "1",
	   "A GEMM of more rows than this takes as long as one of the next "
	   "multiple: kernels compute whole tiles; 0: any number of rows."),
    SC_DOUBLE(struct knobs, small_us, "2", 0, 100, "us",
	      "A small kernel (norm, rope, activation), beside its bytes."),
    SC_DOUBLE(struct knobs, step_us, "-1", -1, 1e6, "us",
	      "Host time of a step; below 0: of the host's class."),
    SC_DOUBLE(struct knobs, seq_us, "-1", -1, 1e5, "us",
	      "Host time of a sequence in a step; below 0: of the host's "
	      "class."),
    SC_DOUBLE(
	struct knobs, layer_us, "-1", -1, 1e5, "us",
	"Time of a layer beside its priced kernels; below 0: by the GPU."),
    SC_DOUBLE(
	struct knobs, eager_layer_us, "-1", -1, 1e5, "us",
	"Host time to launch a layer of a step that no captured graph "
	"replays, if the GPU takes no longer; 0: the GPU always takes longer; "
	"below 0: by the engine and its layers."),
    SC_DOUBLE(struct knobs, dp_gather, "2.5", 0, 100, "1",
	      "Gather and scatter around experts over NVLink, as times their "
	      "collective: ranks wait for each other; over PCIe 1."),
    SC_CHOICE(struct knobs, dp_padding, "auto", dp_padding_words,
	      "Steps in which all ranks of attention data parallelism pad to "
	      "the busiest: graphs: those of captured sizes; all: with longer "
	      "prompts, too; auto: by the engine's version."),
    SC_CHOICE(struct knobs, mixed, "auto", sc_launch_mixed_words,
	      "Attention of chunks and of decodes beside prompts: sum: as each "
	      "alone; two: chunks by a kernel that does not split their "
	      "keys; one: in one launch of that kernel; auto: by engine and "
	      "GPU."),
    SC_DOUBLE(struct knobs, mixed_decode, "0", 0, 100, "1",
	      "Decode attention beside prompts, as times its own kernel; 0: "
	      "by `mixed`, and with sum 1.5 where tables measured such steps "
	      "(workstation GPUs), else 1.",
	      .when = "mixed=auto|sum"),
};

#define PART_ROW(constant, kind_, name_, help_)                                \
	&(const sc_part){.size = sizeof(sc_part),                              \
			 .kind = SC_PART_##kind_,                              \
			 .name = #name_,                                       \
			 .help = help_},
static const sc_part *const parts[] = {PARTS(PART_ROW)};

/* ---- instances ---- */

static void destroy(void *inst)
{
	struct inst *s = inst;
	for (uint32_t i = 0; i < s->n_attentions; i++)
		sc_launch_close(&s->attentions[i].launch);
	free(s->gemms);
	free(s->moes);
	free(s->attentions);
	free(s->mlas);
	free(s->linears);
	free(s->sparses);
	free(s->row_group);
	free(s->points);
	free(s->mixer_group);
	free(s->mixer_points);
	free(s->arena.base);
	memo_free(s->memo);
	memo_free(s->batches);
	assignment_free(s);
	step_free(s);
	sc_step_tables_free(&s->tables);
	free(s);
}

/* What a row of a table may need in all the forms that it is kept in. */
enum { ROW_BYTES = 512 };

static int32_t take_room(struct inst *s, sc_error *err)
{
	uint64_t rows = 64, mixer_rows = 1;
	for (uint32_t i = 0; i < s->setup->n_tables; i++) {
		const sc_table *t = s->setup->table[i];
		rows += t->n_rows;
		if (sc_mixer_table(t->op) < SC_N_MIXERS &&
		    mixer_rows < t->n_rows)
			mixer_rows = t->n_rows;
	}
	s->row_group = calloc(MAX_ROW_GROUPS, sizeof *s->row_group);
	s->points = calloc(rows, sizeof *s->points);
	s->mixer_group = calloc(MAX_MIXER_SOURCES, sizeof *s->mixer_group);
	s->mixer_points = calloc(mixer_rows, sizeof *s->mixer_points);
	s->arena.base = calloc(rows, ROW_BYTES);
	s->arena.size = rows * ROW_BYTES;
	for (uint32_t i = 1; i < LOGS; i++)
		s->log_of[i] = log(i);
	s->memo = memo_new();
	s->batches = memo_new();
	return s->row_group && s->points && s->mixer_group && s->mixer_points &&
		       s->arena.base && s->memo && s->batches &&
		       assignment_create(s) == 0 && step_room(s) == 0
		   ? SC_OK
		   : sc_fail(err, SC_ENOMEM, "out of memory");
}

static double at_least_1(uint32_t n)
{
	return n > 0 ? n : 1;
}

static int32_t read_setup(struct inst *s, const sc_setup *setup, sc_error *err)
{
	const sc_parallel *p = setup->parallel;
	const sc_hardware *hw = setup->hardware;
	s->setup = setup;
	s->tp = at_least_1(p->tp);
	s->ep = at_least_1(p->ep);
	s->dp = at_least_1(p->dp);
	s->pp = at_least_1(p->pp);
	s->moe_tp = s->tp * s->dp / s->ep;
	s->hidden = setup->model->hidden;
	s->vocab = setup->model->vocab;
	s->graph_max = setup->engine->graph_max_tokens;
	s->rates = sc_rates_of_hardware(hw);
	if (!(s->rates.bandwidth > 0) || !(s->rates.peak[SC_BF16] > 0))
		return sc_fail(err, SC_EINVAL,
			       "hardware %s has no memory bandwidth or no bf16 "
			       "peak",
			       hw->name);
	if (s->pp > MAX_PASSES)
		return sc_fail(err, SC_EUNSUP, "more than %d pipeline stages",
			       MAX_PASSES);
	if (s->moe_tp != floor(s->moe_tp))
		return sc_fail(err, SC_EINVAL,
			       "expert parallelism %.0f does not divide %.0f "
			       "ranks",
			       s->ep, s->tp * s->dp);
	return SC_OK;
}

/* Returns 1 if the engine queues batches for a pipeline.  An unknown engine
 * counts as the first of the policy. */
static int queues_batches(const struct inst *s, const sc_engine *e)
{
	uint32_t engine = policy_engine_coded(s->policy, e->engine);
	return policy_engine(s->policy, engine ? engine : 1)->queues_batches;
}

static void read_knobs(struct inst *s)
{
	const sc_engine *e = s->setup->engine;
	int has_queue = SC_HAS(e, preset) && e->preset && queues_batches(s, e);
	s->divides =
	    s->pp > 1 && (s->k.pipeline == PIPELINE_DIVIDE ||
			  (s->k.pipeline == PIPELINE_AUTO && !has_queue));
	const struct engine_row *engine = policy_engine(s->policy, s->engine);
	s->captures_prompts = engine->captures_prompts;
	s->pads_all = s->k.dp_padding == DP_PADDING_ALL;
	if (s->k.dp_padding == DP_PADDING_AUTO)
		s->pads_all = s->version[0] >= 0 &&
			      !version_from(s->version, engine->pads_less_from);
	s->mixed_decode = 1;
	if (s->k.mixed == SC_LAUNCH_MIXED_SUM ||
	    s->k.mixed == SC_LAUNCH_MIXED_AUTO)
		s->mixed_decode = s->k.mixed_decode;
	if (s->mixed_decode == 0)
		s->mixed_decode =
		    s->k.mixed == SC_LAUNCH_MIXED_SUM &&
			    sc_table_of(s->setup, "attention_mixed")
			? s->number.mixed_decode
			: 1;
}

static void warn_without_tables(const sc_setup *setup)
{
	if (setup->n_tables == 0)
		sc_log(
		    setup, SC_LOG_WARNING,
		    "operators: no tables: kernels are priced by their laws, "
		    "with the constants that a fit starts from; [tables] "
		    "set = auto takes the measurements of the GPU or, if "
		    "[hardware] has an architecture, of its nearest relative");
}

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	struct inst *s = calloc(1, sizeof *s);
	if (!s)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	s->k = *(const struct knobs *)block;
	s->policy = &policy_shipped;
	int32_t rc = policy_read(&s->number, s->policy, err);
	if (rc == SC_OK && sc_step_tables_make(&s->tables, setup) != SC_OK)
		rc = sc_fail(err, SC_ENOMEM, "out of memory");
	if (rc == SC_OK)
		rc = read_setup(s, &s->tables.setup, err);
	if (rc == SC_OK)
		rc = sets_read(s, err);
	if (rc == SC_OK)
		rc = take_room(s, err);
	if (rc == SC_OK) {
		read_knobs(s);
		host_read(s);
		rc = layers_read(s, err);
	}
	if (rc == SC_OK) {
		warn_without_tables(setup);
		sets_say_version(s);
		*inst = s;
	} else {
		destroy(s);
	}
	return rc;
}

SC_EVAL_BATCH(step_eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = SC_CAP_ORDER_SENSITIVE | SC_CAP_NOT_MONOTONE |
		    SC_CAP_ADDITIVE | SC_CAP_DECODE_NEW | SC_CAP_TABLES,
    .name = "operators",
    .version = "2",
    .summary =
	"Measured kernels of each engine: FP8, FP4, MoE, MLA, sparse and "
	"linear attention, TP, EP, DP and PP",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = destroy,
    .eval = step_eval,
    .eval_batch = eval_batch,
    .kernel = kernel_price,
    .n_parts = N_PARTS,
    .part = parts,
    .id = "stepcost.operators",
    .author = "The stepcost authors",
    .licence = "MIT",
    .citation = "stepcost, operators: measured kernels of each engine",
};
SC_PLUGIN_DEFINE(plugin);
