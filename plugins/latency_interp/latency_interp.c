/* latency_interp: a step as the sum of its kernels, each priced from measured
 * latency (surface.h): fused QKV, attention, output, gate-up and down GEMM of
 * every layer, two all-reduces, the LM head.  What no table holds - host work,
 * elementwise kernels, sampling - are knobs.  See latency_interp.md. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "stepcost/captured.h"
#include "stepcost/fail.h"
#include "stepcost/knob.h"
#include "stepcost/table.h"
#include "surface.h"

struct knobs {
	int64_t mixed, monotone, decode_batch, format_mismatch, pad_batch;
	int64_t lm_head, other_gpu;
	double step_us, layer_us, launch_us, all_reduce_us;
	double activation_passes, logit_passes;
};

static const char *const mixed_choices[] = {"sum", "max", NULL};
enum { MIXED_SUM, MIXED_MAX };
static const char *const batch_choices[] = {"mean", "max", "average", "single",
					    NULL};
enum { BATCH_MEAN, BATCH_MAX, BATCH_AVERAGE, BATCH_SINGLE };
static const char *const mismatch_choices[] = {"law", "residual", "refuse",
					       NULL};
enum { MISMATCH_LAW, MISMATCH_RESIDUAL, MISMATCH_REFUSE };

static const sc_knob *const knobs[] = {
    SC_CHOICE(struct knobs, mixed, "sum", mixed_choices,
	      "Attention of the two phases in one step: after another, or side "
	      "by side."),
    SC_BOOL(struct knobs, monotone, "false",
	    "Never let time fall as tokens grow; else every measured point is "
	    "met exactly."),
    SC_CHOICE(struct knobs, decode_batch, "mean", batch_choices,
	      "Decode attention of unlike contexts: at (batch, mean kv), "
	      "(batch, max kv), averaged over (batch, each kv), or the sum of "
	      "single requests."),
    SC_CHOICE(struct knobs, format_mismatch, "law", mismatch_choices,
	      "No table in the number format: the reference law, another "
	      "format's residual on it, or an error."),
    SC_BOOL(struct knobs, pad_batch, "true",
	    "GEMMs and all-reduces run at the captured batch size."),
    SC_BOOL(struct knobs, lm_head, "true", "Price the LM head."),
    SC_BOOL(struct knobs, other_gpu, "false",
	    "Use tables of a GPU with another memory bandwidth."),
    SC_DOUBLE(struct knobs, step_us, "0", 0, 1e6, "us", "Host cost of a step."),
    SC_DOUBLE(struct knobs, layer_us, "0", 0, 1e4, "us",
	      "Host and elementwise cost of a layer."),
    SC_DOUBLE(struct knobs, launch_us, "0", -100, 1e4, "us",
	      "Added to every kernel that a table prices; below 0 where the "
	      "table was timed from the host."),
    SC_DOUBLE(struct knobs, all_reduce_us, "0", 0, 1e4, "us",
	      "Added to every all-reduce: ranks that wait for each other."),
    SC_DOUBLE(struct knobs, activation_passes, "0", 0, 1e3, "1",
	      "Times that elementwise kernels of a layer move its activations "
	      "through memory."),
    SC_DOUBLE(struct knobs, logit_passes, "0", 0, 1e5, "1",
	      "Times that sampling moves the fp32 logits through memory."),
};

static const char *const served_values[] = {"mixed",
					    "max",
					    "step_us",
					    "250",
					    "layer_us",
					    "9",
					    "all_reduce_us",
					    "6",
					    "activation_passes",
					    "2",
					    "logit_passes",
					    "70",
					    NULL};
static const sc_preset served = {
    .size = sizeof served,
    .name = "served",
    .help = "With the overheads of vLLM 0.15 on H100, from 32 served rows of "
	    "dense models.",
    .values = served_values,
};
static const sc_preset *const presets[] = {&served};

/* A GEMM that a step runs: `count` times, with m tokens (or sequences). */
struct gemm {
	double count;
	struct surface at;
	const struct atlas *in;
};
/* Layers with the same attention on a rank. */
struct attention {
	double count, window; /* window 0: none */
	struct surface prefill, decode;
};

struct inst {
	struct knobs k;
	double graph_max, tp, layers;
	double activation_us_per_token, logit_us_per_sequence; /* one pass */
	double all_reduce_bytes_per_token;
	/* By SC_OP_* - SC_OP_GEMM and format; those with law.op set are open.
	 */
	struct atlas atlas[SC_LAW_OPS][SC_FORMAT_CODES];
	struct atlas *prefill, *decode, *all_reduce;
	uint32_t n_gemms, n_attentions;
	struct gemm *gemms; /* [4 groups]                                   */
	struct gemm head;
	struct attention *attentions; /* [groups]                           */
	struct surface reduce;
};

__attribute__((format(printf, 3, 4))) static void
say(const sc_setup *setup, int32_t level, const char *fmt, ...)
{
	char text[200];
	va_list ap;
	if (!setup->host || !setup->host->log)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	setup->host->log(setup->host, level, text);
}

/* The format that an atlas is kept under. */
static uint32_t kept_as(uint32_t format)
{
	return format ? sc_format_kernels(format) : SC_BF16;
}

/* ---- tables ---- */

static double note_or(const sc_table *t, const char *key, double otherwise)
{
	double v = t ? sc_note_number(t, key) : (double)NAN;
	return isnan(v) ? otherwise : v;
}

/* The law's constants as fitted for the set and format, else those of another
 * format that was fitted, else H100's. */
static void read_constants(struct sc_law *l, const sc_table *t, uint32_t format)
{
	const uint32_t like[] = {format, SC_BF16, SC_FP8};
	const struct sc_law_kind *kind = sc_law_kind_of(l->op);
	for (size_t f = 0; f < sizeof like / sizeof *like; f++) {
		uint32_t found = 0;
		for (uint32_t i = 0; i < kind->n_constants; i++) {
			char key[96];
			snprintf(key, sizeof key, "law.%s.%s.%s", kind->op,
				 sc_format_name(like[f]),
				 kind->constant[i].name);
			l->c[i] = note_or(t, key, kind->constant[i].start);
			found += t && !isnan(sc_note_number(t, key));
		}
		if (found == kind->n_constants)
			return;
	}
}

/* The law of a format, with the peak rates that the set names, else the
 * hardware's. */
static struct sc_law law_of(uint32_t op, uint32_t format, const sc_setup *setup,
			    const sc_table *notes)
{
	const sc_hardware *hw = setup->hardware;
	struct sc_law l = {.op = op, .element = sc_format_bytes(format)};
	double peak = hw->peak_flops[format];
	char key[64];
	snprintf(key, sizeof key, "peak_tflops_%s", sc_format_name(format));
	if (!(peak > 0))
		peak = hw->peak_flops[SC_BF16] * 2 / l.element;
	l.peak = 1e12 * note_or(notes, key, peak / 1e12);
	if (op == SC_OP_ALL_REDUCE)
		l.bandwidth = 1e9 * note_or(notes, "link_bandwidth_gbs",
					    hw->link_bandwidth / 1e9);
	else
		l.bandwidth = 1e12 * note_or(notes, "memory_bandwidth_tbs",
					     hw->mem_bandwidth / 1e12);
	read_constants(&l, notes, format);
	return l;
}

/* No rows in the format: another's residuals on this format's law. */
static int32_t borrow(struct atlas *a, const sc_setup *setup, const sc_table *t,
		      sc_error *err)
{
	static const uint32_t others[] = {SC_BF16, SC_FP8};
	struct sc_law own = a->law;
	int32_t rc = SC_OK;
	for (size_t i = 0; rc == SC_OK && !a->n_surfaces &&
			   i < sizeof others / sizeof *others;
	     i++) {
		int monotone = a->monotone;
		atlas_free(a);
		*a = (struct atlas){.law = law_of(own.op, others[i], setup, t),
				    .monotone = monotone};
		rc = atlas_build(a, t, others[i], err);
	}
	atlas_restate(a, &own);
	return rc;
}

/* An empty atlas answers with the law, and counts that as a fallback; one that
 * nothing can answer stays closed. */
static int32_t open_atlas(struct atlas *a, const struct knobs *k,
			  const sc_setup *setup, uint32_t op, uint32_t format,
			  sc_error *err)
{
	const sc_table *t =
	    sc_table_of(setup, sc_law_kinds[op - SC_OP_GEMM].op);
	/* Any table carries the notes of its set. */
	const sc_table *notes = t                 ? t
				: setup->n_tables ? setup->table[0]
						  : NULL;
	struct sc_law law = law_of(op, format, setup, notes);
	if (!(law.bandwidth > 0) || !(law.peak > 0))
		return SC_OK;
	*a = (struct atlas){.law = law, .monotone = k->monotone != 0};
	int32_t rc = atlas_build(a, t, format, err);
	if (rc == SC_OK && !a->n_surfaces && t &&
	    k->format_mismatch == MISMATCH_RESIDUAL)
		rc = borrow(a, setup, t, err);
	return rc;
}

static int32_t open_all(struct inst *s, const sc_setup *setup, sc_error *err)
{
	int32_t rc = SC_OK;
	for (uint32_t op = 0; rc == SC_OK && op < SC_LAW_OPS; op++)
		for (size_t i = 0; rc == SC_OK && i < SC_N_FORMATS; i++) {
			uint32_t f = sc_formats[i].code;
			if (f == sc_formats[i].kernels)
				rc = open_atlas(&s->atlas[op][f], &s->k, setup,
						SC_OP_GEMM + op, f, err);
		}
	return rc;
}

/* An atlas that the model cannot do without: says if it is none of its own. */
static int32_t need(struct inst *s, const sc_setup *setup, uint32_t op,
		    uint32_t format, struct atlas **a, sc_error *err)
{
	uint32_t as = kept_as(format);
	const char *name = sc_law_kinds[op - SC_OP_GEMM].op;
	*a = &s->atlas[op - SC_OP_GEMM][as];
	if (!(*a)->law.op)
		return sc_fail(
		    err, SC_EINVAL,
		    "%s in %s: neither hardware nor MANIFEST has the "
		    "peak and %s bandwidth of its reference law",
		    name, sc_format_name(as),
		    op == SC_OP_ALL_REDUCE ? "link" : "memory");
	int own =
	    (*a)->n_surfaces && (*a)->surface[0].provenance != SC_SUBSTITUTED;
	if (!own && s->k.format_mismatch == MISMATCH_REFUSE)
		return sc_fail(err, SC_ENODATA, "table %s has no %s rows", name,
			       sc_format_name(as));
	if (!own && !(*a)->announced)
		say(setup, 2, "latency_interp: table %s has no %s rows: %s",
		    name, sc_format_name(as),
		    (*a)->n_surfaces
			? "another format's residual on the reference law"
			: "the reference law");
	(*a)->announced = 1;
	return SC_OK;
}

/* ---- the model on one rank ---- */

static int32_t check_layers(const sc_setup *setup, const sc_layers *g,
			    sc_error *err)
{
	const char *name = setup->model->name;
	if (g->attention == SC_ATTN_MLA)
		return sc_fail(err, SC_EUNSUP,
			       "%s: multi-head latent attention (MLA) has no "
			       "kernel table",
			       name);
	if (g->attention == SC_ATTN_LINEAR || g->attention == SC_ATTN_NONE)
		return sc_fail(err, SC_EUNSUP,
			       "%s: layers without softmax attention have no "
			       "kernel table",
			       name);
	if (g->ffn == SC_FFN_MOE)
		return sc_fail(err, SC_EUNSUP,
			       "%s: mixture of experts has no kernel table",
			       name);
	if (g->attention != SC_ATTN_FULL)
		say(setup, 2,
		    "latency_interp: %s: windowed attention is priced as full "
		    "attention on the window",
		    name);
	return SC_OK;
}

static int32_t make_gemm(struct inst *s, const sc_setup *setup, struct gemm *g,
			 double count, double n, double k, uint32_t format,
			 sc_error *err)
{
	const double shape[3] = {ceil(n), ceil(k), 0};
	struct atlas *in;
	int32_t rc = need(s, setup, SC_OP_GEMM, format, &in, err);
	g->count = count;
	g->in = in;
	return rc == SC_OK ? atlas_resolve(in, shape, s->tp, &g->at, err) : rc;
}

/* Fused: QKV is one GEMM, gate and up another. */
static int32_t add_gemms(struct inst *s, const sc_setup *setup,
			 const sc_layers *g, const double local[3],
			 sc_error *err)
{
	double d = setup->model->hidden, tp = s->tp, layers = g->n_layers;
	double qkv = (local[0] + 2 * local[1]) * local[2];
	double up = (g->ffn == SC_FFN_GATED ? 2 : 1) * ceil(g->ffn_dim / tp);
	const struct {
		double n, k;
		uint32_t format;
	} side[] = {{qkv, d, g->attn_format},
		    {d, local[0] * local[2], g->attn_format},
		    {up, d, g->ffn_format},
		    {d, g->ffn_dim / tp, g->ffn_format}};
	int32_t rc = SC_OK;
	for (int i = 0; rc == SC_OK && i < (g->ffn == SC_FFN_NONE ? 2 : 4); i++)
		rc = make_gemm(s, setup, &s->gemms[s->n_gemms++], layers,
			       side[i].n, side[i].k, side[i].format, err);
	return rc;
}

static int32_t add_layers(struct inst *s, const sc_setup *setup,
			  const sc_layers *g, sc_error *err)
{
	/* A rank that would get less than one kv head gets a copy of one. */
	const double local[3] = {ceil(g->n_heads / s->tp),
				 fmax(1, ceil(g->n_kv_heads / s->tp)),
				 g->head_dim};
	struct attention *a = &s->attentions[s->n_attentions++];
	int32_t rc = check_layers(setup, g, err);
	a->count = g->n_layers;
	a->window = g->attention == SC_ATTN_FULL ? 0 : g->window;
	if (rc == SC_OK)
		rc = atlas_resolve(s->prefill, local, s->tp, &a->prefill, err);
	if (rc == SC_OK)
		rc = atlas_resolve(s->decode, local, s->tp, &a->decode, err);
	if (rc == SC_OK)
		rc = add_gemms(s, setup, g, local, err);
	s->layers += g->n_layers;
	return rc;
}

static int32_t add_rest(struct inst *s, const sc_setup *setup, sc_error *err)
{
	const sc_model *m = setup->model;
	double bandwidth = s->decode->law.bandwidth;
	const double ranks[3] = {s->tp, 0, 0};
	int32_t rc = SC_OK;
	for (uint32_t i = 0; i < m->n_groups; i++) {
		const sc_layers *g = m->group[i];
		double ffn = g->ffn == SC_FFN_NONE ? 0 : g->ffn_dim;
		double q = (double)g->n_heads * g->head_dim;
		s->activation_us_per_token +=
		    g->n_layers * 2 *
		    (2.0 * m->hidden + (q + 3 * ffn) / s->tp) / bandwidth * 1e6;
	}
	s->logit_us_per_sequence = 4.0 * m->vocab / bandwidth * 1e6;
	s->all_reduce_bytes_per_token = 2.0 * m->hidden;
	if (s->k.lm_head)
		rc = make_gemm(s, setup, &s->head, 1, m->vocab / s->tp,
			       m->hidden, m->head_format, err);
	if (rc == SC_OK && s->tp > 1)
		rc = need(s, setup, SC_OP_ALL_REDUCE, SC_BF16, &s->all_reduce,
			  err);
	if (rc == SC_OK && s->tp > 1)
		rc =
		    atlas_resolve(s->all_reduce, ranks, s->tp, &s->reduce, err);
	return rc;
}

/* Tables of one GPU say nothing about another: the bandwidth tells. */
static int32_t check_gpu(const struct inst *s, const sc_setup *setup,
			 sc_error *err)
{
	double is = setup->hardware->mem_bandwidth, of;
	if (!setup->n_tables || s->k.other_gpu)
		return SC_OK;
	of = 1e12 * note_or(setup->table[0], "memory_bandwidth_tbs", NAN);
	if (isnan(of) || !(is > 0) || fabs(is / of - 1) <= 0.05)
		return SC_OK;
	return sc_fail(err, SC_EUNSUP,
		       "set %s is of a GPU with %g TB/s of memory bandwidth, "
		       "the hardware has %g (other_gpu = true prices it all "
		       "the same)",
		       setup->table[0]->set, of / 1e12, is / 1e12);
}

static int32_t fill(struct inst *s, const sc_setup *setup, sc_error *err)
{
	const sc_model *m = setup->model;
	s->tp = setup->parallel->tp;
	s->graph_max = s->k.pad_batch ? setup->engine->graph_max_tokens : 0;
	s->gemms = calloc(4 * (size_t)m->n_groups + 1, sizeof *s->gemms);
	s->attentions = calloc(m->n_groups + 1, sizeof *s->attentions);
	if (!s->gemms || !s->attentions)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	int32_t rc = check_gpu(s, setup, err);
	if (rc == SC_OK)
		rc = open_all(s, setup, err);
	if (rc == SC_OK)
		rc = need(s, setup, SC_OP_PREFILL, m->kv_format, &s->prefill,
			  err);
	if (rc == SC_OK)
		rc =
		    need(s, setup, SC_OP_DECODE, m->kv_format, &s->decode, err);
	for (uint32_t i = 0; rc == SC_OK && i < m->n_groups; i++)
		rc = add_layers(s, setup, m->group[i], err);
	return rc == SC_OK ? add_rest(s, setup, err) : rc;
}

static void destroy(void *inst)
{
	struct inst *s = inst;
	for (uint32_t i = 0; i < s->n_gemms; i++)
		surface_free(&s->gemms[i].at);
	for (uint32_t i = 0; i < s->n_attentions; i++) {
		surface_free(&s->attentions[i].prefill);
		surface_free(&s->attentions[i].decode);
	}
	surface_free(&s->head.at);
	surface_free(&s->reduce);
	for (uint32_t op = 0; op < SC_LAW_OPS; op++)
		for (uint32_t f = 0; f < SC_FORMAT_CODES; f++)
			atlas_free(&s->atlas[op][f]);
	free(s->gemms);
	free(s->attentions);
	free(s);
}

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	struct inst *s = calloc(1, sizeof *s);
	if (!s)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	s->k = *(const struct knobs *)block;
	int32_t rc = fill(s, setup, err);
	if (rc == SC_OK)
		*inst = s;
	else
		destroy(s);
	return rc;
}

/* ---- attention of unlike requests ---- */

/* Prompt chunks as a batch of whole prompts that the law finds as long: a
 * chunk of n tokens on p cached ones does the work n (n + 2p) and moves n
 * queries and n + p keys.  Equal whole prompts come out as they are. */
struct prompts {
	double batch, tokens;
};

static double whole_prompt(const struct sc_law *l, const double shape[3],
			   double n, double cached)
{
	double quadratic, linear, own;
	if (cached == 0)
		return n;
	sc_law_prefill_terms(l, shape, 1, &quadratic, &linear);
	double share = shape[0] / (shape[0] + shape[1]); /* of the queries */
	double bytes = linear - l->c[3];
	own = quadratic * n * (n + 2 * cached) + l->c[3] * (n + cached) +
	      bytes * (n + (1 - share) * cached);
	return 2 * own / (linear + sqrt(linear * linear + 4 * quadratic * own));
}

static struct prompts prompts_of(const struct sc_law *l,
				 const struct attention *a, const sc_step *st)
{
	double sum = 0, squares = 0, least = INFINITY, most = 0;
	for (uint32_t i = 0; i < st->n_prefill; i++) {
		double cached = st->prefill_ctx[i];
		if (a->window > 0)
			cached = fmin(cached, a->window);
		double s = whole_prompt(l, a->prefill.shape, st->prefill_new[i],
					cached);
		sum += s;
		squares += s * s;
		least = fmin(least, s);
		most = fmax(most, s);
	}
	if (least == most)
		return (struct prompts){st->n_prefill, most};
	/* As many equal prompts as have the same sum and sum of squares. */
	return (struct prompts){sum * sum / squares, squares / sum};
}

static double context(const struct attention *a, const sc_step *st, uint32_t i)
{
	double n = st->decode_new ? st->decode_new[i] : 1;
	double kv = st->decode_ctx[i] + n;
	return a->window > 0 ? fmin(kv, a->window) : kv;
}

static struct answer decode_attention(const struct inst *s,
				      const struct attention *a,
				      const sc_step *st)
{
	const struct atlas *in = s->decode;
	double n = st->n_decode, kv = 0;
	struct answer sum = {0, 0};
	if (s->k.decode_batch == BATCH_MEAN || s->k.decode_batch == BATCH_MAX) {
		int max = s->k.decode_batch == BATCH_MAX;
		for (uint32_t i = 0; i < st->n_decode; i++)
			kv = max ? fmax(kv, context(a, st, i))
				 : kv + context(a, st, i);
		return surface_at(in, &a->decode, n, max ? kv : kv / n);
	}
	for (uint32_t i = 0; i < st->n_decode; i++) {
		int single = s->k.decode_batch == BATCH_SINGLE;
		struct answer one = surface_at(in, &a->decode, single ? 1 : n,
					       context(a, st, i));
		sum.us += single ? one.us : one.us / n;
		if (one.provenance > sum.provenance)
			sum.provenance = one.provenance;
	}
	return sum;
}

/* ---- a step ---- */

/* Counts an answer that `count` kernels take, and returns their time. */
static double take(const struct inst *s, sc_result *out, struct answer a,
		   double count)
{
	double us = count * fmax(0, a.us + s->k.launch_us);
	out->lookups[a.provenance]++;
	out->lookup_us[a.provenance] += us;
	return us;
}

static double gemms_us(const struct inst *s, sc_result *out, double m,
		       double sequences)
{
	double us = 0;
	for (uint32_t i = 0; i < s->n_gemms; i++)
		us += take(s, out,
			   surface_at(s->gemms[i].in, &s->gemms[i].at, 1, m),
			   s->gemms[i].count);
	if (s->head.count > 0 && sequences > 0)
		us +=
		    take(s, out,
			 surface_at(s->head.in, &s->head.at, 1, sequences), 1);
	return us;
}

static double attention_us(const struct inst *s, sc_result *out,
			   const sc_step *st)
{
	double prefill = 0, decode = 0;
	for (uint32_t i = 0; i < s->n_attentions; i++) {
		const struct attention *a = &s->attentions[i];
		if (st->n_prefill) {
			struct prompts p = prompts_of(&s->prefill->law, a, st);
			prefill += take(s, out,
					surface_at(s->prefill, &a->prefill,
						   p.batch, p.tokens),
					a->count);
		}
		if (st->n_decode)
			decode +=
			    take(s, out, decode_attention(s, a, st), a->count);
	}
	if (st->n_prefill)
		out->attention_us[SC_PREFILL] = prefill;
	if (st->n_decode)
		out->attention_us[SC_DECODE] = decode;
	return s->k.mixed == MIXED_SUM ? prefill + decode
				       : fmax(prefill, decode);
}

static int32_t eval(void *inst, const sc_step *st, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	double prefill = 0, decode = 0, comm = 0;
	(void)err;
	for (uint32_t i = 0; i < st->n_prefill; i++)
		prefill += st->prefill_new[i];
	for (uint32_t i = 0; i < st->n_decode; i++)
		decode += st->decode_new ? st->decode_new[i] : 1;
	double tokens = prefill + decode, sequences = st->n_sampled;
	double m = sc_captured_tokens(tokens, s->graph_max);
	if (!(tokens > 0))
		return SC_OK;
	double gemm = gemms_us(s, out, m, sequences);
	double attention = attention_us(s, out, st);
	if (s->tp > 1)
		comm = take(s, out,
			    surface_at(s->all_reduce, &s->reduce, 1,
				       m * s->all_reduce_bytes_per_token),
			    2 * s->layers);
	if (s->tp > 1)
		comm += 2 * s->layers * s->k.all_reduce_us;
	double rest = s->k.step_us + s->k.layer_us * s->layers +
		      s->k.activation_passes * s->activation_us_per_token * m +
		      s->k.logit_passes * s->logit_us_per_sequence * sequences;
	/* One GEMM serves both phases: by their tokens. */
	if (prefill > 0)
		out->gemm_us[SC_PREFILL] = gemm * prefill / tokens;
	if (decode > 0)
		out->gemm_us[SC_DECODE] = gemm * decode / tokens;
	out->comm_us = comm;
	out->overhead_us = rest;
	out->exact_us = gemm + attention + comm + rest;
	out->total_us = out->exact_us;
	return SC_OK;
}

/* ---- one kernel ---- */

/* Heads of one rank, or a model's with its ranks. */
static void shape_of(const sc_kernel *k, double shape[3])
{
	double ranks = k->ranks ? k->ranks : 1;
	switch (k->op) {
	case SC_OP_GEMM:
		shape[0] = (double)k->n;
		shape[1] = (double)k->k;
		shape[2] = 0;
		break;
	case SC_OP_ALL_REDUCE:
		shape[0] = ranks;
		shape[1] = shape[2] = 0;
		break;
	default:
		shape[0] = ceil(k->heads / ranks);
		shape[1] = fmax(1, ceil(k->kv_heads / ranks));
		shape[2] = k->head_dim;
	}
}

static struct answer kernel_us(const struct atlas *a, const struct surface *s,
			       const sc_kernel *k)
{
	double batch = (double)k->batch, cached = (double)k->context;
	switch (k->op) {
	case SC_OP_GEMM:
		return surface_at(a, s, 1, (double)k->m);
	case SC_OP_ALL_REDUCE:
		return surface_at(a, s, 1, (double)k->bytes);
	case SC_OP_PREFILL:
		return surface_at(a, s, batch,
				  whole_prompt(&a->law, s->shape,
					       (double)k->new_tokens, cached));
	default:
		return surface_at(a, s, batch, cached);
	}
}

static int sound(const sc_kernel *k)
{
	switch (k->op) {
	case SC_OP_GEMM:
		return k->m && k->n && k->k;
	case SC_OP_PREFILL:
		return k->heads && k->kv_heads && k->head_dim && k->batch &&
		       k->new_tokens;
	case SC_OP_DECODE:
		return k->heads && k->kv_heads && k->head_dim && k->batch &&
		       k->context;
	case SC_OP_ALL_REDUCE:
		return k->ranks > 1 && k->bytes;
	default:
		return 0;
	}
}

static int32_t kernel(void *inst, const sc_kernel *k, sc_kernel_result *out,
		      sc_error *err)
{
	struct inst *s = inst;
	uint32_t format = kept_as(k->format);
	double shape[3];
	if (!sound(k))
		return sc_fail(err, SC_EINVAL,
			       "a kernel of op %u lacks a size it is made of",
			       k->op);
	if (!s->atlas[k->op - SC_OP_GEMM][format].law.op)
		return sc_fail(
		    err, SC_ENODATA,
		    "op %u in format %u: neither table nor reference "
		    "law",
		    k->op, k->format);
	struct atlas *a = &s->atlas[k->op - SC_OP_GEMM][format];
	shape_of(k, shape);
	const struct surface *at = atlas_ask(a, shape, k->ranks ? k->ranks : 1);
	struct answer is = kernel_us(a, at, k);
	out->latency_us = is.us;
	out->provenance = is.provenance;
	snprintf(out->used, sizeof out->used, "%s", at->used);
	return SC_OK;
}

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = SC_CAP_ORDER_SENSITIVE | SC_CAP_NOT_MONOTONE,
    .name = "latency_interp",
    .version = "1",
    .summary = "Measured kernel latency, interpolated on a reference law",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .n_presets = sizeof presets / sizeof *presets,
    .preset = presets,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = destroy,
    .eval = eval,
    .kernel = kernel,
};
SC_PLUGIN_DEFINE(plugin);
