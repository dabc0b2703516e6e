/* llmservingsim2: LLMServingSim 2's sum of profiled layers, in whole
 * nanoseconds; llmservingsim2.md has the rules. */
#include "figures.h"
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
/* Upper bounds of the buckets of unequal batches; the last has all beyond. */
static const double skew_decodes[] = {2, 4, 8, 16, 32, 64, 128, 256, 1e6},
		    skew_rate[] = {0.05, 0.15, 0.4, 0.7, 1.01},
		    skew_longest[] = {1024, 4096, 16384, 1e9},
		    skew_context[] = {0, 512, 1024, 2048, 4096, 8192, 1e9};
enum { N_DECODES = 9, N_RATE = 5, N_LONGEST = 4, N_CONTEXT = 7 };
enum { KNOWN = 8192 };
#define N_BUCKETS (N_DECODES * N_RATE * N_LONGEST * N_CONTEXT)

/* Whole ns over one axis: value[row * columns + column]; NaN: no point. */
struct curves {
	size_t rows, columns;
	double *axis, *value;
};
/* A pair (prompt tokens, decodes) has rows of one prompt context each, and a
 * row has times over the decode context. */
struct row {
	double context;
	size_t first, n; /* of length[] and ns[] */
};
struct pair {
	double prompt, decodes;
	size_t first, n; /* of row[] */
};
struct inst {
	const struct profile *of;
	struct curves dense, sequences, moe;
	double times[16];     /* of each column of dense in a step */
	double activated[16]; /* of each column of moe */
	struct pair *pair;    /* [n_pairs], ascending */
	struct row *row;
	double *length, *ns;
	size_t n_pairs, n_prompt, n_decodes;
	double prompt[64], decodes[64]; /* the axes of pairs */
	const struct pair **at;         /* [n_prompt * n_decodes] nearest */
	double *alpha, skew_prompt[64], other_alpha;
	size_t n_skew;
	double layers_ns[KNOWN], head_ns[KNOWN]; /* of known_ns() */
};

static void destroy(void *inst)
{
	struct inst *s = inst;
	struct curves *c[] = {&s->dense, &s->sequences, &s->moe};
	for (int i = 0; i < 3; i++)
		free(c[i]->axis);
	free(s->pair), free(s->row), free(s->length), free(s->alpha);
	free(s->at);
	free(s);
}

/* ---- reading ---- */

static int32_t load(struct field_figures *f, const struct inst *s,
		    const sc_setup *setup, const char *file, const char *header,
		    sc_error *err)
{
	char path[200];
	snprintf(path, sizeof path, "%s.%s/%s", s->of->gpu, s->of->model, file);
	return field_load(f, setup, path, header, err);
}

static int32_t load_curves(struct curves *c, struct field_figures *f,
			   const struct inst *s, const sc_setup *setup,
			   const char *file, const char *axis, sc_error *err)
{
	int32_t rc = load(f, s, setup, file, axis, err);
	if (rc != SC_OK)
		return rc;
	c->rows = f->rows, c->columns = f->columns - 1;
	c->axis = calloc(f->rows * f->columns + 1, sizeof *c->axis);
	if (!c->axis)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	c->value = c->axis + c->rows;
	for (size_t i = 0; i < c->rows; i++) {
		c->axis[i] = field_number(f, i, 0);
		for (size_t k = 0; k < c->columns; k++)
			c->value[i * c->columns + k] =
			    field_number(f, i, k + 1);
	}
	return c->columns <= 16 ? SC_OK
				: sc_fail(err, SC_ENODATA,
					  "%s has more than 16 columns", file);
}

static int32_t load_layers(struct inst *s, const sc_setup *setup, sc_error *err)
{
	struct field_figures f[3] = {0};
	int32_t rc = load_curves(&s->dense, &f[0], s, setup, "dense.csv",
				 "tokens,", err);
	for (size_t i = 0; rc == SC_OK && i < s->dense.columns; i++) {
		const char *name = f[0].name[i + 1];
		int once = !strcmp(name, "embedding") ||
			   !strcmp(name, "final_layernorm");
		s->times[i] = once ? 1 : s->of->layers;
		if (!strcmp(name, "layernorm"))
			s->times[i] *= 2;
	}
	if (rc == SC_OK)
		rc = load_curves(&s->sequences, &f[1], s, setup,
				 "sequences.csv", "sequences,", err);
	if (rc == SC_OK && s->of->experts > 0)
		rc = load_curves(&s->moe, &f[2], s, setup, "moe.csv", "tokens,",
				 err);
	for (size_t i = 0; rc == SC_OK && i < s->moe.columns; i++)
		s->activated[i] = strtod(f[2].name[i + 1], NULL);
	for (int i = 0; i < 3; i++)
		field_free(&f[i]);
	return rc;
}

/* Adds x to an ascending axis unless it is there. */
static void add(double *axis, size_t *n, double x)
{
	size_t i = *n;
	while (i > 0 && axis[i - 1] > x)
		i--;
	if ((i > 0 && axis[i - 1] == x) || *n == 64)
		return;
	memmove(axis + i + 1, axis + i, (*n - i) * sizeof *axis);
	axis[i] = x;
	++*n;
}

/* Rows are in order of prompt tokens, decodes, prompt context. */
static void take_attention(struct inst *s, const struct field_figures *f)
{
	size_t points = 0;
	for (size_t i = 0; i < f->rows; i++) {
		double prompt = field_number(f, i, 0);
		double decodes = field_number(f, i, 1);
		struct pair *p = s->n_pairs ? &s->pair[s->n_pairs - 1] : NULL;
		if (!p || p->prompt != prompt || p->decodes != decodes) {
			p = &s->pair[s->n_pairs++];
			*p = (struct pair){prompt, decodes, i, 0};
			add(s->prompt, &s->n_prompt, prompt);
			add(s->decodes, &s->n_decodes, decodes);
		}
		p->n++;
		s->row[i] = (struct row){field_number(f, i, 2), points, 0};
		for (size_t k = 3; k < f->columns; k++) {
			if (!*field_cell(f, i, k))
				continue;
			s->length[points] =
			    strtod(strchr(f->name[k], '=') + 1, NULL);
			s->ns[points++] = field_number(f, i, k);
			s->row[i].n++;
		}
	}
}

/* The profiled pair that is nearest, the first of equals. */
static const struct pair *nearest(const struct inst *s, double prompt,
				  double decodes)
{
	const struct pair *best = s->pair;
	double least = INFINITY;
	for (size_t i = 0; i < s->n_pairs && least > 0; i++) {
		double dp = s->pair[i].prompt - prompt;
		double dd = s->pair[i].decodes - decodes;
		if (dp * dp + dd * dd < least) {
			least = dp * dp + dd * dd;
			best = &s->pair[i];
		}
	}
	return best;
}

static int32_t find_nearest(struct inst *s, sc_error *err)
{
	size_t n = s->n_prompt * s->n_decodes;
	s->at = calloc(n + 1, sizeof *s->at);
	if (!s->at)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		s->at[i] = nearest(s, s->prompt[i / s->n_decodes],
				   s->decodes[i % s->n_decodes]);
	return SC_OK;
}

static int32_t load_attention(struct inst *s, const sc_setup *setup,
			      sc_error *err)
{
	struct field_figures f;
	int32_t rc =
	    load(&f, s, setup, "attention.csv",
		 "prefill_tokens,decodes,prefill_context,decode_context=", err);
	size_t cells = f.rows * f.columns + 1;
	s->pair = calloc(cells, sizeof *s->pair);
	s->row = calloc(f.rows + 1, sizeof *s->row);
	s->length = calloc(2 * cells, sizeof *s->length);
	s->ns = s->length + cells;
	if (rc == SC_OK && (!s->pair || !s->row || !s->length))
		rc = sc_fail(err, SC_ENOMEM, "out of memory");
	if (rc == SC_OK)
		take_attention(s, &f);
	field_free(&f);
	return rc == SC_OK ? find_nearest(s, err) : rc;
}

/* The index of the first upper bound that is not below x; the last, beyond. */
static size_t bucket(const double *upper, size_t n, double x)
{
	size_t i = 0;
	while (i + 1 < n && upper[i] < x)
		i++;
	return i;
}
static size_t bucket_of(size_t prompt, double decodes, double rate,
			double longest, double context)
{
	size_t i =
	    prompt * N_DECODES + bucket(skew_decodes, N_DECODES, decodes);
	i = i * N_RATE + bucket(skew_rate, N_RATE, rate);
	i = i * N_LONGEST + bucket(skew_longest, N_LONGEST, longest);
	return i * N_CONTEXT + bucket(skew_context, N_CONTEXT, context);
}

/* How unequal batches are slower; the RTX 4090's profile has none. */
static int32_t load_skew(struct inst *s, const sc_setup *setup, sc_error *err)
{
	struct field_figures f;
	if (!strcmp(s->of->gpu, "rtx4090"))
		return SC_OK;
	int32_t rc = load(
	    &f, s, setup, "skew.csv",
	    "prefill_tokens,decodes,rate,longest,prefill_context,alpha", err);
	for (size_t i = 1; rc == SC_OK && i < f.rows; i++)
		add(s->skew_prompt, &s->n_skew, field_number(&f, i, 0));
	s->alpha = calloc((s->n_skew + 1) * N_BUCKETS, sizeof *s->alpha);
	if (rc == SC_OK && !s->alpha)
		rc = sc_fail(err, SC_ENOMEM, "out of memory");
	if (rc == SC_OK)
		s->other_alpha = field_number(&f, 0, 5);
	for (size_t i = 0; rc == SC_OK && i < s->n_skew * N_BUCKETS; i++)
		s->alpha[i] = s->other_alpha;
	for (size_t i = 1; rc == SC_OK && i < f.rows; i++)
		s->alpha[bucket_of(
		    bucket(s->skew_prompt, s->n_skew, field_number(&f, i, 0)),
		    field_number(&f, i, 1), field_number(&f, i, 2),
		    field_number(&f, i, 3), field_number(&f, i, 4))] =
		    field_number(&f, i, 5);
	field_free(&f);
	return rc;
}

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
	int32_t rc = choose(s, setup, k, err);
	if (rc == SC_OK)
		rc = load_layers(s, setup, err);
	if (rc == SC_OK)
		rc = load_attention(s, setup, err);
	return rc == SC_OK ? load_skew(s, setup, err) : rc;
}

FIELD_CREATE_WITH(struct inst, start, destroy)

/* ---- a step ---- */

struct bracket {
	size_t low, high;
	double w;
};
/* At or below the first point that one alone; beyond the last the last two. */
static struct bracket bracket(const double *axis, size_t n, size_t stride,
			      double x)
{
#define AT(i) (*(const double *)((const char *)axis + (i)*stride))
	size_t high = n - 1, low = 0;
	if (n == 1 || x <= AT(0))
		return (struct bracket){0, 0, 0};
	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		if (AT(middle) <= x)
			low = middle;
		else
			high = middle;
	}
	if (x == AT(high))
		return (struct bracket){high, high, 0};
	return (struct bracket){low, high,
				(x - AT(low)) / (AT(high) - AT(low))};
#undef AT
}
static double between(double low, double high, double w)
{
	return low + w * (high - low);
}
static double whole(double ns)
{
	return fmax(1, trunc(ns));
}
static double curve(const struct curves *c, struct bracket b, size_t column)
{
	return between(c->value[b.low * c->columns + column],
		       c->value[b.high * c->columns + column], b.w);
}

/* A column with holes; not truncated. */
static double column_of(const struct curves *c, size_t column, double x)
{
	double axis[64], value[64];
	size_t n = 0;
	for (size_t i = 0; i < c->rows && n < 64; i++) {
		double is = c->value[i * c->columns + column];
		if (is > 0)
			axis[n] = c->axis[i], value[n++] = is;
	}
	struct bracket b = bracket(axis, n, sizeof *axis, x);
	return between(value[b.low], value[b.high], b.w);
}

/* Attention of a pair that was profiled, at kp and kd. */
static double in_pair(const struct inst *s, const struct pair *p, double kp,
		      double kd)
{
	const struct row *row = &s->row[p->first];
	struct bracket b = bracket(&row->context, p->n, sizeof *row, kp);
	double ns[2];
	for (int i = 0; i < 2; i++) {
		const struct row *r = &row[i ? b.high : b.low];
		const double *at = &s->ns[r->first];
		struct bracket d =
		    bracket(&s->length[r->first], r->n, sizeof *at, kd);
		ns[i] = between(at[d.low], at[d.high], d.w);
		if (b.low == b.high)
			return ns[i];
	}
	return between(ns[0], ns[1], b.w);
}

/* One layer's attention, ns: prompt tokens behind kp cached ones, decodes at
 * kd. */
static double attention(const struct inst *s, double prompt, double kp,
			double decodes, double kd)
{
	struct bracket p =
	    bracket(s->prompt, s->n_prompt, sizeof *s->prompt, prompt);
	struct bracket d =
	    bracket(s->decodes, s->n_decodes, sizeof *s->decodes, decodes);
	double ns[2][2];
	if (!(prompt + decodes > 0))
		return 0;
	for (int i = 0; i <= (p.low != p.high); i++)
		for (int k = 0; k <= (d.low != d.high); k++)
			ns[i][k] =
			    in_pair(s,
				    s->at[(i ? p.high : p.low) * s->n_decodes +
					  (k ? d.high : d.low)],
				    kp, kd);
	for (int i = 0; i <= (p.low != p.high); i++)
		if (d.low != d.high)
			ns[i][0] = between(ns[i][0], ns[i][1], d.w);
	return whole(p.low == p.high ? ns[0][0]
				     : between(ns[0][0], ns[1][0], p.w));
}

/* Attention of a step; unequal decodes take longer than their mean says. */
static double attention_of(const struct inst *s, const sc_step *step,
			   const struct field_sums *t, double kp)
{
	double kd = floor(t->contexts / fmax(1, t->decodes));
	double ns = attention(s, t->prompt, kp, t->decodes, kd);
	double rate = 0.5, alpha = s->other_alpha, least, most;
	uint32_t shortest = 0, longest_ctx = 0;
	if (step->n_decode < 2 || !s->alpha)
		return ns;
	field_extremes(step->decode_ctx, step->n_decode, &shortest,
		       &longest_ctx);
	least = shortest, most = longest_ctx;
	if (most == kd)
		return ns;
	if (most > least)
		rate = fmin(1, fmax(0, (kd - least) / (most - least)));
	for (size_t i = 0; i < s->n_skew; i++)
		if (s->skew_prompt[i] == t->prompt)
			alpha =
			    s->alpha[bucket_of(i, t->decodes, rate, most, kp)];
	double longest = attention(s, t->prompt, kp, t->decodes, most);
	if (alpha == 0 || longest <= ns)
		return ns;
	return rint(ns + alpha * (longest - ns));
}

/* The experts of a layer: linear over those that are activated. */
static double experts(const struct inst *s, double tokens)
{
	double n = fmax(1, fmin(tokens * s->of->topk, s->of->experts));
	struct bracket a =
	    bracket(s->activated, s->moe.columns, sizeof *s->activated, n);
	double low = column_of(&s->moe, a.low, tokens);
	return whole(
	    a.low == a.high
		? low
		: between(low, column_of(&s->moe, a.high, tokens), a.w));
}

/* All layers without attention at these tokens, ns. */
static double layers_ns(const struct inst *s, double tokens)
{
	struct bracket at =
	    bracket(s->dense.axis, s->dense.rows, sizeof(double), tokens);
	double ns = s->moe.rows ? s->of->layers * experts(s, tokens) : 0;
	for (size_t i = 0; i < s->dense.columns; i++)
		ns += s->times[i] * whole(curve(&s->dense, at, i));
	return ns;
}
/* LM head and sampler. */
static double head_ns(const struct inst *s, double requests)
{
	struct bracket at = bracket(s->sequences.axis, s->sequences.rows,
				    sizeof(double), requests);
	double ns = 0;
	for (size_t i = 0; i < s->sequences.columns; i++)
		ns += whole(curve(&s->sequences, at, i));
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
	double ns = k->op == SC_OP_DECODE
			? attention(s, 0, 0, batch, context)
			: attention(s, batch * (double)k->new_tokens,
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
