/* genz: GenZ, operator by operator, one after the other, each the longer of
 * compute and memory; genz.md has the formulas. */
#include "field.h"
#include "stepcost/batch.h"

struct knobs {
	const char *gpu;
	int64_t hardware_from_file;
	double efficiency;
};
static const sc_knob *const knobs[] = {
    FIELD_GPU_KNOBS(struct knobs),
    SC_DOUBLE(struct knobs, efficiency, "1", 0.001, 1, "1",
	      "Share of the peak and of the memory bandwidth that operators "
	      "reach."),
};

#define GB 1073741824.0
#define ON_CHIP (18000 * GB) /* byte/s */
#define START_US 5           /* of a collective */

struct gpu {
	double tflops, memory_gb, link_gb, latency_us;
};
static const char *const *const gpu_names[] = {
    (const char *const[]){"a100-80-sxm", "A100_80GB_GPU", NULL},
    (const char *const[]){"h100-sxm", "H100_GPU", NULL},
    (const char *const[]){"GH200_GPU", NULL},
    (const char *const[]){"gb200", NULL},
    (const char *const[]){"mi300x", NULL}};
static const struct gpu gpus[] = {{312, 2039, 150, 1},
				  {989, 3400, 450, 1},
				  {1979, 4900, 450, 1},
				  {4500, 8000, 900, 0.25},
				  {1307, 5300, 400, 1}};

struct inst {
	struct field_model m;
	double macs;   /* per second */
	double memory; /* byte/s */
	double link, latency_us;
	double bytes; /* of every number */
	double efficiency;
	double tp, ep;          /* GenZ's own: it runs on tp * ep GPUs */
	double heads, kv_heads; /* of a rank */
};

/* ---- operators: us ---- */

static double operator_us(const struct inst *s, double macs, double off_chip,
			  double on_chip)
{
	if (macs == 0)
		return 0; /* its weights are free then */
	double memory =
	    off_chip * s->bytes / s->memory + on_chip * s->bytes / ON_CHIP;
	return fmax(macs / s->macs, memory) / s->efficiency * 1e6;
}

/* out x n = (out x in) (in x n); on_chip: its input and output are. */
static double gemm_us(const struct inst *s, double out, double n, double in,
		      int on_chip)
{
	double weights = out * in, rest = in * n + n * out;
	return operator_us(s, out * n * in, weights + (on_chip ? 0 : rest),
			   on_chip ? rest : 0);
}

/* Scores, and what they select, of q queries over kv keys. */
static double attention_us(const struct inst *s, double q, double kv,
			   int is_decode)
{
	double dim = s->m.head_dim, h = s->heads, g = s->kv_heads;
	double macs = h * q * kv * dim, query = h * q * dim,
	       cache = g * kv * dim, scores = h * q * kv;
	double off = is_decode ? cache : query + cache;
	double on = is_decode ? query + scores : scores;
	return 2 * operator_us(s, macs, off, on);
}

/* The same of all decodes of a step: where memory takes longer than MACs for
 * each key, it does for any number of keys, and the time is linear. */
static double decodes_us(const struct inst *s, const sc_step *step)
{
	double dim = s->m.head_dim, h = s->heads, us = 0;
	double keys = (double)sc_decode_ctx_sum(step), n = step->n_decode;
	double key_s =
	    s->kv_heads * dim * s->bytes / s->memory + h * s->bytes / ON_CHIP;
	uint32_t least = 0, most;
	if (step->n_decode)
		field_extremes(step->decode_ctx, step->n_decode, &least, &most);
	if (least > 0 && key_s >= h * dim / s->macs)
		return 2 * (keys * key_s + n * h * dim * s->bytes / ON_CHIP) /
		       s->efficiency * 1e6;
	for (uint32_t i = 0; i < step->n_decode; i++)
		us += attention_us(s, 1, step->decode_ctx[i], 1);
	return us;
}

static double all_reduce_us(const struct inst *s, double values, double n)
{
	if (!(values > 0) || n <= 1)
		return 0;
	return START_US + 2 * (n - 1) * s->latency_us +
	       2 * (n - 1) * (values * s->bytes / n) / s->link * 1e6;
}

static double gather_us(const struct inst *s, double values, double n)
{
	if (!(values > 0) || n <= 1)
		return 0;
	return START_US + (n - 1) * s->latency_us +
	       (n - 1) * (values * s->bytes / n) / s->link * 1e6;
}

/* ---- parts of a layer ---- */

static double ffn_us(const struct inst *s, double width, double tokens)
{
	return gemm_us(s, 2 * width, tokens, s->m.hidden, 0) +
	       gemm_us(s, s->m.hidden, tokens, width, 0);
}

static double experts_us(const struct inst *s, double tokens)
{
	const struct field_model *m = &s->m;
	double width = ceil(m->expert_ffn / s->tp), d = m->hidden;
	double us = gemm_us(s, m->experts, tokens, floor(d / s->tp), 0) +
		    all_reduce_us(s, tokens * m->experts, s->tp) +
		    2 * gather_us(s, tokens * m->topk * d, s->ep);
	/* Below E / k tokens an expert gets no row, and costs nothing. */
	double rows = floor(tokens * m->topk / m->experts);
	double n = floor(m->experts / s->ep);
	if (m->n_shared > 0) { /* as of DeepSeek */
		double active = fmin(m->topk * tokens, m->experts);
		n = fmax(1, ceil(active / s->ep));
		rows = active > 0 ? floor(tokens * m->topk / active) : 0;
		us += ffn_us(s, m->n_shared * ceil(m->shared_ffn / s->tp),
			     tokens);
	}
	return us + ffn_us(s, n * width, rows);
}

static double prefills_us(const struct inst *s, const sc_step *step)
{
	double us = 0;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		us += attention_us(
		    s, step->prefill_new[i],
		    (double)step->prefill_ctx[i] + step->prefill_new[i], 0);
	return us;
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	const struct field_model *m = &s->m;
	struct field_sums t = field_sums_of(step);
	double tokens = t.prompt + t.decodes, d = m->hidden,
	       ranks = s->tp * s->ep, vocab = floor(m->vocab / ranks);
	double q = s->heads * m->head_dim;
	(void)err;
	double gemms = gemm_us(s, (s->heads + 2 * s->kv_heads) * m->head_dim,
			       tokens, d, 1) +
		       gemm_us(s, d, tokens, q, 1);
	double prefill = prefills_us(s, step), decode = decodes_us(s, step);
	double comm = all_reduce_us(s, tokens * d, ranks) +
		      all_reduce_us(s, tokens * d, s->tp);
	double ffn = m->experts > 0
			 ? experts_us(s, tokens)
			 : ffn_us(s, ceil(m->dense_ffn / s->tp), tokens);
	double ends =
	    gemm_us(s, d, t.prompt, vocab, 0) + gemm_us(s, vocab, tokens, d, 0);
	double ends_comm = all_reduce_us(s, t.prompt * d, ranks) +
			   gather_us(s, tokens * m->vocab, ranks);
	out->gemm_us[step->n_decode ? SC_DECODE : SC_PREFILL] =
	    m->layers * (gemms + ffn) + ends;
	if (step->n_prefill)
		out->attention_us[SC_PREFILL] = m->layers * prefill;
	if (step->n_decode)
		out->attention_us[SC_DECODE] = m->layers * decode;
	out->comm_us = m->layers * comm + ends_comm;
	return field_answer(
	    out, m->layers * (gemms + prefill + decode + ffn + comm) + ends +
		     ends_comm);
}

/* ---- the instance ---- */

static int32_t start(struct inst *s, const sc_setup *setup,
		     const struct knobs *k, sc_error *err)
{
	struct field_model *m = &s->m;
	int32_t rc = field_read(
	    m, setup, FIELD_EXPERTS | FIELD_SHARED | FIELD_TP | FIELD_EP,
	    "GenZ", err);
	if (rc != SC_OK)
		return rc;
	int i = field_gpu(gpu_names, 5, setup, k->gpu, "GenZ", err);
	if (i < 0)
		return SC_EUNSUP;
	if (m->weight_bytes != 1 && m->weight_bytes != 2)
		return sc_fail(err, SC_EUNSUP,
			       "GenZ prices weights of 1 and 2 bytes only");
	s->ep = m->ep;
	s->tp = m->tp / m->ep;
	if (s->tp != floor(s->tp) ||
	    (m->experts > 0 && fmod(m->experts, s->ep)))
		return sc_fail(err, SC_EUNSUP,
			       "GenZ spreads experts over all their ranks "
			       "evenly: %g experts and %g of %g ranks do not",
			       m->experts, s->ep, m->tp);
	s->bytes = m->weight_bytes;
	s->efficiency = k->efficiency;
	s->macs = gpus[i].tflops * 1e12 / 2 * (s->bytes == 1 ? 2 : 1);
	s->memory = gpus[i].memory_gb * GB;
	s->link = gpus[i].link_gb * GB;
	s->latency_us = gpus[i].latency_us;
	if (k->hardware_from_file) {
		const sc_hardware *hw = setup->hardware;
		s->macs = hw->peak_flops[SC_BF16] / 2 * (s->bytes == 1 ? 2 : 1);
		s->memory = hw->mem_bandwidth;
		s->link = hw->link_bandwidth;
	}
	s->heads = fmax(ceil(m->heads / (s->tp * s->ep)), 1);
	s->kv_heads = fmax(ceil(m->kv_heads / (s->tp * s->ep)), 1);
	return SC_OK;
}

FIELD_CREATE(struct inst, start)

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = SC_CAP_ORDER_SENSITIVE,
    .name = "genz",
    .version = "091bdd0",
    .summary = "GenZ: operators one after the other, each a roofline",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "io.github.abhibambhaniya.genz",
    .author = "Abhimanyu Rajeshkumar Bambhaniya and others",
    .licence = "MIT",
    .url = "https://github.com/abhibambhaniya/GenZ-LLM-Analyzer",
    .citation = "GenZ-LLM-Analyzer at 091bdd0",
};
SC_PLUGIN_DEFINE(plugin);
