/* llmservingsim2: LLMServingSim 2's sum of profiled layers, in whole
 * nanoseconds; llmservingsim2.md has the rules. */
#include "pairs.h"
#include "skew.h"
#include "stepcost/batch.h"

struct knobs {
	const char *model, *gpu;
};
static const sc_knob *const knobs[] = {
    SC_TEXT(struct knobs, model, "",
	    "A model of the profiles: llama-3.1-8b, qwen3-30b-a3b. Empty: by "
	    "the name of the model."),
    SC_TEXT(struct knobs, gpu, "",
	    "A GPU of the profiles: rtx4090, rtxpro6000. Empty: that of "
	    "[hardware]."),
};

/* A profile is the folder GPU.MODEL. */
static const struct profile {
	const char *gpu, *model, *theirs;
	double layers, hidden, heads, kv_heads, head_dim, experts, topk;
} profiles[] = {
    {"rtx4090", "llama-3.1-8b", "meta-llama/Llama-3.1-8B", 32, 4096, 32, 8, 128,
     0, 0},
    {"rtxpro6000", "llama-3.1-8b", "meta-llama/Llama-3.1-8B", 32, 4096, 32, 8,
     128, 0, 0},
    {"rtxpro6000", "qwen3-30b-a3b", "Qwen/Qwen3-30B-A3B-Instruct-2507", 48,
     2048, 32, 4, 128, 128, 8},
};
enum { KNOWN = 8192 };

struct inst {
	const struct profile *of;
	struct field_curves dense, sequences, moe;
	double times[16];     /* of each column of dense in a step */
	double activated[16]; /* of each column of moe */
	struct field_pairs attention;
	struct field_skew skew; /* the RTX 4090's profile has none */
	double layers_ns[KNOWN], head_ns[KNOWN]; /* of known_ns() */
};

static void destroy(void *inst)
{
	struct inst *s = inst;
	struct field_curves *c[] = {&s->dense, &s->sequences, &s->moe};
	for (int i = 0; i < 3; i++)
		free(c[i]->axis);
	field_free_pairs(&s->attention);
	free(s->skew.alpha);
	free(s);
}

/* ---- reading ---- */

enum { PATH = 200 };
static const char *profile(const struct inst *s, const char *file,
			   char path[PATH])
{
	snprintf(path, PATH, "%s.%s/%s", s->of->gpu, s->of->model, file);
	return path;
}

static int32_t load_layers(struct inst *s, const sc_setup *setup, sc_error *err)
{
	char path[PATH];
	struct field_figures f[3] = {0};
	int32_t rc =
	    field_load_curves(&s->dense, &f[0], setup,
			      profile(s, "dense.csv", path), "tokens,", err);
	for (size_t i = 0; rc == SC_OK && i < s->dense.columns; i++) {
		const char *name = f[0].name[i + 1];
		int once = !strcmp(name, "embedding") ||
			   !strcmp(name, "final_layernorm");
		s->times[i] = once ? 1 : s->of->layers;
		if (!strcmp(name, "layernorm"))
			s->times[i] *= 2;
	}
	if (rc == SC_OK)
		rc = field_load_curves(&s->sequences, &f[1], setup,
				       profile(s, "sequences.csv", path),
				       "sequences,", err);
	if (rc == SC_OK && s->of->experts > 0)
		rc = field_load_curves(&s->moe, &f[2], setup,
				       profile(s, "moe.csv", path), "tokens,",
				       err);
	for (size_t i = 0; rc == SC_OK && i < s->moe.columns; i++)
		s->activated[i] = strtod(f[2].name[i + 1], NULL);
	for (int i = 0; i < 3; i++)
		field_free(&f[i]);
	return rc;
}

/* Chooses the profile of the model and the GPU, and refuses a model of another
 * shape. */
static int32_t choose(struct inst *s, const sc_setup *setup,
		      const struct knobs *k, sc_error *err)
{
	const char *model = *k->model ? k->model : setup->model->name;
	const char *gpu = *k->gpu ? k->gpu : setup->hardware->name;
	struct field_model m;
	int32_t rc = field_read(
	    &m, setup, FIELD_EXPERTS | (*k->model ? FIELD_ANY_LAYERS : 0),
	    "LLMServingSim", err);
	if (rc != SC_OK)
		return rc;
	for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
		const struct profile *p = &profiles[i];
		if (!strcasecmp(p->gpu, gpu) && (!strcasecmp(p->model, model) ||
						 !strcasecmp(p->theirs, model)))
			s->of = p;
	}
	if (!s->of)
		return sc_fail(err, SC_EUNSUP,
			       "LLMServingSim has no profile of %s on %s: "
			       "llama-3.1-8b on rtx4090 and rtxpro6000, "
			       "qwen3-30b-a3b on rtxpro6000",
			       model, gpu);
	if (!*k->model &&
	    (m.layers != s->of->layers || m.hidden != s->of->hidden ||
	     m.experts != s->of->experts || m.weight_bytes != 2 ||
	     m.kv_bytes != 2))
		return sc_fail(err, SC_EUNSUP,
			       "LLMServingSim's profile of %s is of another "
			       "shape, or not of 16 bits",
			       model);
	return SC_OK;
}

static int32_t start(struct inst *s, const sc_setup *setup,
		     const struct knobs *k, sc_error *err)
{
	char path[PATH];
	int32_t rc = choose(s, setup, k, err);
	if (rc == SC_OK)
		rc = load_layers(s, setup, err);
	if (rc == SC_OK)
		rc = field_load_pairs(&s->attention, setup,
				      profile(s, "attention.csv", path), err);
	if (rc != SC_OK || !strcmp(s->of->gpu, "rtx4090"))
		return rc;
	return field_load_skew(&s->skew, setup, profile(s, "skew.csv", path),
			       err);
}

FIELD_CREATE_WITH(struct inst, start, destroy)

/* ---- a step ---- */

/* Attention of a step; unequal decodes take longer than their mean says. */
static double attention_of(const struct inst *s, const sc_step *step,
			   const struct field_sums *t, double kp)
{
	double kd = floor(t->contexts / fmax(1, t->decodes));
	double ns =
	    field_pairs_ns(&s->attention, t->prompt, kp, t->decodes, kd);
	double rate = 0.5, alpha, least, most;
	uint32_t shortest = 0, longest_ctx = 0;
	if (step->n_decode < 2 || !s->skew.alpha)
		return ns;
	field_extremes(step->decode_ctx, step->n_decode, &shortest,
		       &longest_ctx);
	least = shortest, most = longest_ctx;
	if (most == kd)
		return ns;
	if (most > least)
		rate = fmin(1, fmax(0, (kd - least) / (most - least)));
	alpha = field_skew_of(&s->skew, t->prompt, t->decodes, rate, most, kp);
	double longest =
	    field_pairs_ns(&s->attention, t->prompt, kp, t->decodes, most);
	if (alpha == 0 || longest <= ns)
		return ns;
	return rint(ns + alpha * (longest - ns));
}

/* The experts of a layer: linear over those that are activated. */
static double experts(const struct inst *s, double tokens)
{
	double n = fmax(1, fmin(tokens * s->of->topk, s->of->experts));
	struct field_bracket a = field_bracket(s->activated, s->moe.columns,
					       sizeof *s->activated, n);
	double low = field_column_at(&s->moe, a.low, tokens);
	return field_whole_ns(
	    a.low == a.high
		? low
		: field_between(low, field_column_at(&s->moe, a.high, tokens),
				a.w));
}

/* All layers without attention at these tokens, ns. */
static double layers_ns(const struct inst *s, double tokens)
{
	struct field_bracket at =
	    field_bracket(s->dense.axis, s->dense.rows, sizeof(double), tokens);
	double ns = s->moe.rows ? s->of->layers * experts(s, tokens) : 0;
	for (size_t i = 0; i < s->dense.columns; i++)
		ns += s->times[i] *
		      field_whole_ns(field_curve_at(&s->dense, at, i));
	return ns;
}
/* LM head and sampler. */
static double head_ns(const struct inst *s, double requests)
{
	struct field_bracket at = field_bracket(
	    s->sequences.axis, s->sequences.rows, sizeof(double), requests);
	double ns = 0;
	for (size_t i = 0; i < s->sequences.columns; i++)
		ns += field_whole_ns(field_curve_at(&s->sequences, at, i));
	return ns;
}
/* A number that was asked before is known; 0: not yet. */
static double known_ns(const struct inst *s, double *known, double x,
		       double (*ns)(const struct inst *s, double x))
{
	if (x >= KNOWN)
		return ns(s, x);
	double *at = &known[(size_t)x];
	return *at > 0 ? *at : (*at = ns(s, x));
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	struct inst *s = inst;
	struct field_sums t = field_sums_of(step);
	double kp = 0;
	(void)err;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		kp += step->prefill_ctx[i];
	double ns = s->of->layers * attention_of(s, step, &t, kp) +
		    known_ns(s, s->layers_ns, fmax(1, t.prompt + t.decodes),
			     layers_ns) +
		    known_ns(s, s->head_ns, fmax(1, t.requests), head_ns);
	return field_answer(out, ns / 1000);
}

/* One layer's attention (ours). */
static int32_t kernel(void *inst, const sc_kernel *k, sc_kernel_result *out,
		      sc_error *err)
{
	const struct inst *s = inst;
	double batch = (double)k->batch, context = (double)k->context;
	if ((k->op != SC_OP_DECODE && k->op != SC_OP_PREFILL) || k->ranks > 1 ||
	    k->window || k->heads != s->of->heads ||
	    k->kv_heads != s->of->kv_heads || k->head_dim != s->of->head_dim ||
	    field_bytes(k->format) != 2 ||
	    (k->kv_format && field_bytes(k->kv_format) != 2))
		return sc_fail(err, SC_EUNSUP,
			       "LLMServingSim's profile has attention of its "
			       "model alone, on one GPU, in 16 bits");
	double ns =
	    k->op == SC_OP_DECODE
		? field_pairs_ns(&s->attention, 0, 0, batch, context)
		: field_pairs_ns(&s->attention, batch * (double)k->new_tokens,
				 batch * context, 0, 0);
	out->latency_us = ns / 1000;
	out->provenance = SC_INTERPOLATED;
	return SC_OK;
}

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = SC_CAP_NOT_MONOTONE,
    .name = "llmservingsim2",
    .version = "5daddb2",
    .summary = "LLMServingSim 2: the sum of profiled layers",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = destroy,
    .eval = eval,
    .eval_batch = eval_batch,
    .kernel = kernel,
    .id = "io.github.casys-kaist.llmservingsim2",
    .author = "CASYS Lab at KAIST",
    .licence = "MIT",
    .url = "https://github.com/casys-kaist/LLMServingSim",
    .citation = "LLMServingSim 2.0 at 5daddb2",
};
SC_PLUGIN_DEFINE(plugin);
