/* vidur: Vidur's predictions of single operators, by its polynomials or by a
 * forest that is trained on its profile; vidur.md has the rules. */
#include "figures.h"
#include "forest.h"
#include "stepcost/batch.h"

#define PREDICTORS(X)                                                          \
	X(PREDICTOR_FOREST, "forest"), X(PREDICTOR_LINEAR, "linear")
SC_WORDS(predictor, PREDICTORS);

struct knobs {
	const char *model, *gpu;
	int64_t predictor, seed;
};
static const sc_knob *const knobs[] = {
    SC_TEXT(struct knobs, model, "",
	    "A model of the profile: llama-2-7b. Empty: by the name of the "
	    "model."),
    SC_TEXT(struct knobs, gpu, "",
	    "A GPU of the profile: a800. Empty: that of [hardware]."),
    SC_CHOICE(struct knobs, predictor, "forest", predictor_words,
	      "The predictor of an operator: a random forest, the origin's "
	      "default, or its polynomials."),
    SC_INT(struct knobs, seed, "1", 0, 1e9, "1",
	   "Seed of the forest; the origin has none, so its trainings differ.",
	   .when = "predictor=forest"),
};

/* The grids that the origin asks its predictors on; beyond them it fails. */
enum { TOKENS = 4096, DECODES = 128, CONTEXT = 4096, BLOCK = 64, LAYERS = 32 };
enum { N_CONTEXT = CONTEXT / BLOCK + 1, N_ROUNDED = TOKENS / 8 + 1 };

struct inst {                    /* ms of one layer */
	double layer[N_ROUNDED]; /* without attention, by tokens / 8 */
	double save[TOKENS + 1]; /* into the KV cache */
	double decode[DECODES + 1][N_CONTEXT];
	double prefill[N_CONTEXT][TOKENS + 1]; /* q, not its square */
	/* axes: contexts, tokens, tokens rounded, their squares */
	double context[N_CONTEXT], tokens[TOKENS + 1], rounded[N_ROUNDED],
	    squares[TOKENS + 1];
};

/* ---- polynomials ---- */

static double power(double x, char n)
{
	double product = 1;
	for (; n > '0'; n--)
		product *= x;
	return product;
}

/* Adds a term to each cell: powers "2x1" of the axes, "2" of the second one. */
static void add_term(const struct forest_grid *g, const char *powers,
		     double coefficient)
{
	int is_constant = !strcmp(powers, "intercept");
	char first = powers[1] ? powers[0] : '0';
	char second = powers[1] ? powers[2] : powers[0];
	if (is_constant)
		first = second = '0';
	for (size_t i = 0; i < g->n[0]; i++)
		for (size_t k = 0; k < g->n[1]; k++)
			g->cell[i * g->n[1] + k] +=
			    coefficient * power(g->axis[0][i], first) *
			    power(g->axis[1][k], second);
}

static void add_polynomial(const struct field_figures *f,
			   const struct forest_grid *g, const char *operator)
{
	for (size_t i = 0; i < f->rows; i++)
		if (!strcmp(field_cell(f, i, 0), operator))
			add_term(g, field_cell(f, i, 1), field_number(f, i, 2));
}

/* ---- the forest ---- */

enum { ALL, DECODE_ROWS, PREFILL_ROWS };

/* Trains on columns of the figures: features a and b (b < 0: none), target y;
 * of attention either rows of decodes or of prompts. */
static int32_t add_forest(const struct field_figures *f, int which, int a,
			  int b, int y, uint64_t seed,
			  const struct forest_grid *g, sc_error *err)
{
	double *x[2] = {calloc(f->rows + 1, sizeof **x),
			calloc(f->rows + 1, sizeof **x)};
	double *target = calloc(f->rows + 1, sizeof *target);
	struct forest forest = {0};
	size_t n = 0;
	int rc = x[0] && x[1] && target ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < f->rows; i++) {
		int is_prompt = field_number(f, i, 1) > 0;
		if (which != ALL && is_prompt != (which == PREFILL_ROWS))
			continue;
		double first = a < 0 ? 0 : field_number(f, i, (size_t)a);
		double second = field_number(f, i, (size_t)b);
		if (which == PREFILL_ROWS)
			second *= second;
		if (which == ALL && f->columns == 5) /* of the KV cache */
			second = fmax(second, field_number(f, i, 0));
		x[0][n] = first;
		x[1][n] = second;
		target[n++] = field_number(f, i, (size_t)y);
	}
	if (rc == 0)
		rc = forest_make(&forest, x, target, n);
	if (rc == 0)
		forest_fill(&forest, seed, g);
	forest_free(&forest);
	free(x[0]), free(x[1]), free(target);
	return rc == 0 ? SC_OK : sc_fail(err, SC_ENOMEM, "out of memory");
}

static int32_t attention_forests(const struct field_figures *f, uint64_t seed,
				 const struct forest_grid *save,
				 const struct forest_grid *decode,
				 const struct forest_grid *prefill,
				 sc_error *err)
{
	int32_t rc = add_forest(f, ALL, -1, 1, 3, seed * 100 + 50, save, err);
	if (rc == SC_OK)
		rc = add_forest(f, DECODE_ROWS, 0, 2, 4, seed * 100 + 51,
				decode, err);
	if (rc == SC_OK)
		rc = add_forest(f, PREFILL_ROWS, 2, 1, 4, seed * 100 + 52,
				prefill, err);
	return rc;
}

/* ---- both ---- */

/* Predicts every time that a step may need, and stores it in the tables of s: a
 * random forest or a polynomial, trained here, is too slow for each step. */
static int32_t fill(struct inst *s, const sc_setup *setup,
		    const struct knobs *k, sc_error *err)
{
	static const double none[1];
	double decodes[DECODES + 1];
	for (int i = 0; i <= DECODES; i++)
		decodes[i] = i;
	const struct forest_grid layer = {{none, s->rounded},
					  {1, N_ROUNDED},
					  s->layer},
				 save = {{none, s->tokens},
					 {1, TOKENS + 1},
					 s->save},
				 decode = {{decodes, s->context},
					   {DECODES + 1, N_CONTEXT},
					   &s->decode[0][0]},
				 prefill = {{s->context, s->squares},
					    {N_CONTEXT, TOKENS + 1},
					    &s->prefill[0][0]};
	struct field_figures layers, attention, polynomials = {0};
	int linear = k->predictor == PREDICTOR_LINEAR;
	uint64_t seed = (uint64_t)k->seed;
	int32_t rc = field_load(&layers, setup, "layers.csv",
				"tokens,attn_pre_proj,", err);
	int32_t rc2 = field_load(&attention, setup, "attention.csv",
				 "sequences,chunk,context,kv_save_ms,"
				 "attention_ms",
				 rc == SC_OK ? err : NULL);
	int32_t rc3 = field_load(&polynomials, setup, "polynomials.csv",
				 "operator,powers,coefficient",
				 rc == SC_OK && rc2 == SC_OK ? err : NULL);
	rc = rc ? rc : rc2 ? rc2 : rc3;
	for (size_t i = 1; rc == SC_OK && i < layers.columns; i++)
		if (linear)
			add_polynomial(&polynomials, &layer, layers.name[i]);
		else
			rc = add_forest(&layers, ALL, -1, 0, (int)i,
					seed * 100 + i, &layer, err);
	if (rc == SC_OK && linear) {
		add_polynomial(&polynomials, &save, "attn_kv_cache_save");
		add_polynomial(&polynomials, &decode, "attn_decode");
		add_polynomial(&polynomials, &prefill, "attn_prefill");
	} else if (rc == SC_OK) {
		rc = attention_forests(&attention, seed, &save, &decode,
				       &prefill, err);
	}
	field_free(&layers), field_free(&attention), field_free(&polynomials);
	return rc;
}

static int32_t start(struct inst *s, const sc_setup *setup,
		     const struct knobs *k, sc_error *err)
{
	const char *model = *k->model ? k->model : setup->model->name;
	const char *gpu = *k->gpu ? k->gpu : setup->hardware->name;
	struct field_model m;
	int32_t rc = field_read(&m, setup, *k->model ? FIELD_ANY_LAYERS : 0,
				"Vidur", err);
	if (rc != SC_OK)
		return rc;
	if (strcasecmp(model, "llama-2-7b") || strcasecmp(gpu, "a800"))
		return sc_fail(err, SC_EUNSUP,
			       "Vidur has no profile of %s on %s here, but of "
			       "llama-2-7b on a800; knobs model and gpu name "
			       "them",
			       model, gpu);
	if (!*k->model && (m.layers != LAYERS || m.hidden != 4096 ||
			   m.weight_bytes != 2 || m.kv_bytes != 2))
		return sc_fail(err, SC_EUNSUP,
			       "Vidur's profile is of Llama-2-7b in 16 bits");
	for (int i = 0; i <= TOKENS; i++) {
		s->tokens[i] = i;
		s->squares[i] = (double)i * i;
		s->rounded[i / 8] = i - i % 8;
		s->context[i / BLOCK] = i - i % BLOCK;
	}
	return fill(s, setup, k, err);
}

FIELD_CREATE(struct inst, start)

static double blocks(double tokens)
{
	return ceil(tokens / BLOCK);
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	struct field_sums t = field_sums_of(step);
	double tokens = t.prompt + t.decodes, squares = 0, cached = 0;
	double kv = t.decodes > 0 ? blocks(floor(t.contexts / t.decodes)) : 0;
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		double n = step->prefill_new[i];
		squares += n * n;
		cached += blocks(step->prefill_ctx[i]);
	}
	double q = rint(sqrt(squares));
	if (tokens > TOKENS || q > TOKENS || t.decodes > DECODES ||
	    kv >= N_CONTEXT || cached >= N_CONTEXT)
		return sc_fail(err, SC_EUNSUP,
			       "Vidur has predictions up to 4,096 tokens, 128 "
			       "decodes and a context of 4,096");
	if (!(tokens > 0))
		return field_answer(out, 0);
	double ms =
	    s->layer[(size_t)ceil(tokens / 8)] + s->save[(size_t)tokens];
	if (step->n_decode)
		ms += s->decode[step->n_decode][(size_t)kv];
	if (step->n_prefill)
		ms += s->prefill[(size_t)cached][(size_t)q];
	return field_answer(out, 1000 * LAYERS * ms);
}

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = SC_CAP_NOT_MONOTONE,
    .name = "vidur",
    .version = "7d47513",
    .summary = "Vidur: a forest, or polynomials, for each operator",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "io.github.microsoft.vidur",
    .author = "Amey Agrawal and others",
    .licence = "MIT",
    .url = "https://github.com/microsoft/vidur",
    .citation = "Agrawal et al., Vidur, MLSys 2024; vidur at 7d47513",
};
SC_PLUGIN_DEFINE(plugin);
