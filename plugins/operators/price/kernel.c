/* kernel.c -- Prices one kernel of any shape: by the engine's own table first,
 * as a step does.  MLA modules differ: a step takes the faster of two engines.
 */
#include "price/kernel.h"
#include <math.h>
#include "stepcost/fail.h"
#include "inst.h"
#include "price/all_to_all.h"
#include "price/linear.h"
#include "price/sparse.h"
#include "price/mismatch.h"

static double or_1(double v)
{
	return v > 0 ? v : 1;
}

/* ---- formats ---- */

/* The word for the formats of a kernel; NULL: none is known.  *row: what other
 * tables have for it; NULL: the same word. */
static const char *word_of(const struct inst *s, const sc_kernel *k,
			   const char *given, const struct word_row **row)
{
	const struct policy_rows *p = s->policy;
	const char *word = NULL;
	if (given && *given)
		word = sc_op_dtype(given);
	for (size_t i = 0; !word && i < p->n_plain; i++)
		if (p->plain[i].format == k->format)
			word = p->plain[i].word;
	const struct sc_kernel_dtype *known =
	    word ? sc_kernel_dtype(word) : NULL;
	*row = word ? policy_word(p, word) : NULL;
	return *row ? word : known ? known->name : NULL;
}

static struct dtype gemm_dtype(const struct inst *s, const sc_kernel *k)
{
	const struct word_row *row;
	const char *given = SC_HAS(k, dtype) ? k->dtype : NULL;
	const char *word = word_of(s, k, given, &row);
	return (struct dtype){row ? row->gemm : word, SC_EXACT, 0};
}

static struct dtype moe_dtype(const struct inst *s, const sc_kernel *k)
{
	const struct word_row *row;
	const char *word = word_of(s, k, k->dtype, &row);
	return (struct dtype){row ? row->experts : word, SC_EXACT, 0};
}

static struct dtype module_dtype(const struct inst *s, const sc_kernel *k)
{
	const struct word_row *row;
	int has_own = k->gemm_dtype && *k->gemm_dtype;
	const char *word =
	    word_of(s, k, has_own ? k->gemm_dtype : k->dtype, &row);
	return row ? (struct dtype){row->module, row->module_how, 0}
		   : (struct dtype){word, SC_EXACT, 0};
}

static const char *cache_of(const sc_kernel *k)
{
	uint32_t format =
	    SC_HAS(k, kv_format) && k->kv_format ? k->kv_format : k->format;
	return dtype_of_cache(format);
}

/* ---- the question ---- */

static const char *given_dtype(const sc_kernel *k)
{
	const char *given = SC_HAS(k, dtype) ? k->dtype : NULL;
	return given && *given ? sc_op_dtype(given) : NULL;
}

/* A word of tables if they have one for it; NULL: nothing. */
static const char *asked_dtype(const struct inst *s, const sc_kernel *k)
{
	const char *word = gemm_dtype(s, k).name;
	return word ? word : given_dtype(k);
}

/* Returns the format of the KV cache that was asked for.  The rows that answer
 * may be of another one: see cache_of(). */
static const char *asked_cache(const sc_kernel *k)
{
	uint32_t format =
	    SC_HAS(k, kv_format) && k->kv_format ? k->kv_format : k->format;
	return format ? sc_op_dtype(sc_format_name(format)) : "bf16";
}

/* The formats of a module's projections; dtype: what answers for them. */
static const char *asked_module(const sc_kernel *k, struct dtype dtype)
{
	int has_own = k->gemm_dtype && *k->gemm_dtype;
	const char *given =
	    has_own ? sc_op_dtype(k->gemm_dtype) : given_dtype(k);
	return dtype.provenance == SC_EXACT || !given ? dtype.name : given;
}

/* Beside gemm_dtype, dtype is what a module's attention computes in. */
static void mismatch_attention(const sc_kernel *k, sc_kernel_result *out)
{
	const char *given = given_dtype(k);
	if (k->gemm_dtype && *k->gemm_dtype && given &&
	    strcmp(given, sc_op_dtype(k->gemm_dtype)) != 0)
		mismatch_word(out, "dtype", given, "bf16");
}

/* ---- what answered ---- */

/* "SET 4096-7168 and near". */
static void name_used(const struct kernels *by, const struct sc_grid *near,
		      int keys, uint32_t n, sc_kernel_result *out)
{
	size_t size = sizeof out->used, at;
	if (!by->from || !near) {
		snprintf(out->used, size, "law");
		return;
	}
	at = (size_t)snprintf(out->used, size, "%s", by->from->set->name);
	for (int i = 0; i < keys && at < size; i++)
		at += (size_t)snprintf(out->used + at, size - at, "%c%.0f",
				       i ? '-' : ' ', near->key[i]);
	if (n > 1 && at < size)
		snprintf(out->used + at, size - at, " and near");
}

static int32_t say(sc_kernel_result *out, struct answer a)
{
	out->latency_us = a.us;
	out->provenance = a.provenance;
	return SC_OK;
}

static void name_curve(const struct curve *c, sc_kernel_result *out)
{
	const struct kernels by = {.from = c->from};
	name_used(&by, c->below, 1, c->above ? 2 : 1, out);
	if (!c->from)
		snprintf(out->used, sizeof out->used, "formula");
}

static int32_t lacks(const sc_kernel *k, sc_error *err)
{
	return sc_fail(err, SC_EINVAL, "a kernel of op %u lacks a size", k->op);
}

/* ---- by op ---- */

static int32_t gemm(struct inst *s, const sc_kernel *k, sc_kernel_result *out,
		    sc_error *err)
{
	struct dtype dtype = gemm_dtype(s, k);
	if (!k->m || !k->n || !k->k || !dtype.name)
		return lacks(k, err);
	struct gemm g = gemm_for(s, dtype, (double)k->n, (double)k->k);
	least_alone(&g.by.least, s->setup->hardware);
	name_used(&g.by, g.near[0], 2, g.n_near, out);
	say(out, gemm_us(&g, (double)k->m));
	mismatch_rows(
	    out, &g.by,
	    &(struct sc_op_key){SC_OPLAW_GEMM, dtype.name, NULL, NULL, NULL},
	    "dtype");
	return SC_OK;
}

static int32_t attention(struct inst *s, const sc_kernel *k,
			 sc_kernel_result *out, sc_error *err)
{
	int decode = k->op == SC_OP_DECODE;
	double ranks = or_1(k->ranks), cached = (double)k->context;
	double all = decode ? cached : cached + (double)k->new_tokens;
	const double key[4] = {ceil(k->heads / ranks),
			       fmax(1, ceil(k->kv_heads / ranks)), k->head_dim,
			       SC_HAS(k, window) ? k->window : 0};
	if (!k->heads || !k->kv_heads || !k->head_dim || !k->batch ||
	    !(all > (decode ? 0 : cached)))
		return lacks(k, err);
	const char *dtype = gemm_dtype(s, k).name;
	int in_fp8 = !decode && dtype && !strcmp(dtype, "fp8");
	struct lengths l =
	    attention_for(s, decode ? SC_OPLAW_DECODE : SC_OPLAW_PREFILL,
			  in_fp8 ? "fp8" : "bf16", cache_of(k), key);
	least_alone(&l.by.least, s->setup->hardware);
	l.cached_us = l.decode_us = 0;
	struct answer a =
	    lengths_us(&l, sc_logged_of((double)k->batch), sc_logged_of(all));
	if (!decode)
		a.us *= key[3] > 0 ? (all - cached) / all
				   : 1 - cached * cached / (all * all);
	if (!decode && cached > 0) {
		double n = (double)k->batch, fresh = all - cached;
		double seen = key[3] > 0 ? fmin(cached, key[3] - 1) : cached;
		a.us = fmax(a.us, lengths_least_us(
				      &l, n * sc_pairs(fresh, cached, key[3]),
				      n * seen, n * fresh));
	}
	name_used(&l.by, l.blend.part[0].of, 4, l.blend.n, out);
	say(out, a);
	mismatch_rows(out, &l.by,
		      &(struct sc_op_key){l.by.law.op, asked_dtype(s, k),
					  asked_cache(k), NULL, NULL},
		      "dtype");
	if (!decode && cached > 0) /* rows are whole prompts */
		mismatch_word(out, "context", "", "0");
	return SC_OK;
}

static int32_t experts(struct inst *s, const sc_kernel *k,
		       sc_kernel_result *out, sc_error *err)
{
	struct dtype dtype = moe_dtype(s, k);
	const char *routing = routing_words[s->k.routing];
	const struct sc_moe shape = {.hidden = k->hidden,
				     .inter = k->inter,
				     .experts = k->experts,
				     .topk = k->topk,
				     .tp = or_1(k->tp),
				     .ep = or_1(k->ep)};
	for (int i = 0; k->routing && i < 2; i++)
		if (!strcmp(k->routing, routing_words[i]))
			routing = routing_words[i];
	if (!k->tokens || !k->hidden || !k->inter || !k->experts || !k->topk ||
	    !dtype.name)
		return lacks(k, err);
	struct moe m = moe_for(s, dtype, routing, &shape);
	least_alone(&m.by.least, s->setup->hardware);
	name_used(&m.by, m.blend.part[0].of, 6, m.blend.n, out);
	say(out, moe_us(&m, (double)k->tokens));
	if (k->routing && *k->routing)
		routing = k->routing;
	mismatch_rows(
	    out, &m.by,
	    &(struct sc_op_key){SC_OPLAW_MOE, dtype.name, NULL, routing, NULL},
	    "dtype");
	return SC_OK;
}

static int32_t latent(struct inst *s, const sc_kernel *k, sc_kernel_result *out,
		      sc_error *err)
{
	int core = k->op == SC_OP_MLA_CORE;
	int decode = k->op == SC_OP_MLA_DECODE || (core && !k->new_tokens);
	double len = (double)(decode ? k->context : k->new_tokens);
	struct dtype dtype =
	    core ? (struct dtype){"bf16", SC_EXACT, 0} : module_dtype(s, k);
	const struct sc_op_key row_key = {
	    core ? (decode ? SC_OPLAW_MLA_DECODE : SC_OPLAW_MLA_PREFILL)
		 : (decode ? SC_OPLAW_MODULE_DECODE : SC_OPLAW_MODULE_PREFILL),
	    dtype.name, cache_of(k), NULL, NULL};
	if (!k->heads || !k->batch || !(len > 0) || !dtype.name)
		return lacks(k, err);
	double heads = ceil(k->heads / or_1(k->ranks));
	struct kernels by = kernels_for(s, &row_key, &heads, 1);
	by.provenance = sc_worse(by.provenance, dtype.provenance);
	struct lengths l = mla_shape(s, &by, heads);
	least_alone(&l.by.least, s->setup->hardware);
	name_used(&by, l.blend.part[0].of, 1, l.blend.n, out);
	say(out,
	    lengths_us(&l, sc_logged_of((double)k->batch), sc_logged_of(len)));
	const struct sc_op_key asked = {
	    row_key.op, core ? asked_dtype(s, k) : asked_module(k, dtype),
	    asked_cache(k), NULL, NULL};
	mismatch_rows(out, &by, &asked, core ? "dtype" : "gemm_dtype");
	if (!core)
		mismatch_attention(k, out);
	if (!decode && k->context) /* rows are whole prompts */
		mismatch_word(out, "context", "", "0");
	return SC_OK;
}

static int32_t message(struct inst *s, const sc_kernel *k,
		       sc_kernel_result *out, sc_error *err)
{
	const char *kind = k->op == SC_OP_COLLECTIVE ? k->kind : NULL;
	if (k->ranks < 2 || !k->bytes || (k->op == SC_OP_COLLECTIVE && !kind))
		return lacks(k, err);
	if (!(s->rates.link > 0))
		return sc_fail(err, SC_EINVAL,
			       "the hardware has no link_bandwidth_gbs");
	struct curve c = collective_for(s, kind, k->ranks);
	name_curve(&c, out);
	say(out, curve_us(&c, (double)k->bytes));
	mismatch_word(out, "dtype", asked_dtype(s, k), "bf16");
	return SC_OK;
}

static int32_t absorbed(struct inst *s, const sc_kernel *k,
			sc_kernel_result *out, sc_error *err)
{
	if (!k->kind || !k->tokens || !k->heads)
		return lacks(k, err);
	const char *dtype = gemm_dtype(s, k).name;
	struct curve c = bmm_for(s, k->kind, k->heads, dtype);
	if (!c.from)
		return sc_fail(err, SC_ENODATA, "no table of mla_bmm has %s",
			       k->kind);
	name_curve(&c, out);
	say(out, curve_us(&c, (double)k->tokens));
	mismatch_word(out, "dtype", asked_dtype(s, k),
		      curve_dtype(&c.from->row_key));
	return SC_OK;
}

static int32_t dispatch(struct inst *s, const sc_kernel *k,
			sc_kernel_result *out, sc_error *err)
{
	const struct all_to_all e = {
	    .kind = k->kind,
	    .mode = k->mode && *k->mode ? k->mode : "low_latency",
	    .key = {k->ranks, k->hidden, k->experts, k->topk},
	    .sms = SC_HAS(k, sms) ? k->sms : 0};
	if (!k->kind || k->ranks < 2 || !k->tokens || !k->hidden ||
	    !k->experts || !k->topk)
		return lacks(k, err);
	if (!(s->rates.link > 0))
		return sc_fail(err, SC_EINVAL,
			       "the hardware has no link_bandwidth_gbs");
	struct curve c = all_to_all_for(s, &e);
	name_curve(&c, out);
	say(out, curve_us(&c, (double)k->tokens));
	if (e.sms > 0 ? !c.from || !(c.from->row_key.sms > 0)
		      : c.from && c.from->has_rivals)
		mismatch_word(out, "sms", "", c.from ? "fastest" : "any");
	/* Tokens leave in FP8 and come back in 16 bit. */
	mismatch_word(out, "dtype", given_dtype(k),
		      strcmp(k->kind, "dispatch") ? "bf16" : "fp8");
	return SC_OK;
}

/* ---- linear and sparse attention ---- */

/* "SET KEY", or the law alone. */
static void name_mixer(const struct mixer *m, uint32_t which,
		       sc_kernel_result *out)
{
	const struct mixer_group *f = m->by[which].from;
	size_t size = sizeof out->used;
	int n = snprintf(out->used, size, "%s", f ? f->set->name : "law");
	if (!f || n < 0 || (size_t)n + 2 > size)
		return;
	out->used[n] = ' ';
	sc_mixer_key_numbers(&f->row_key, out->used + n + 1,
			     size - (size_t)n - 1);
}

/* Returns what answered. */
static const struct mixer_by *ask_mixer(const struct mixer *m,
					const struct sc_mixer_at *at,
					sc_kernel_result *out)
{
	uint32_t which = 0;
	struct answer a = mixer_us(m, at, &which);
	name_mixer(m, which, out);
	say(out, a);
	return &m->by[which];
}

/* Tables of linear attention have 16-bit activations, and 32 bits a number of
 * the state. */
static void mismatch_linear(const struct inst *s, const sc_kernel *k,
			    uint32_t op, sc_kernel_result *out)
{
	int has_state = op == SC_SCAN_PREFILL || op == SC_STEP_DECODE ||
			op == SC_STEP_VERIFY;
	mismatch_word(out, "dtype", asked_dtype(s, k), "bf16");
	if (has_state && k->kv_format)
		mismatch_word(out, "kv_dtype", sc_format_name(k->kv_format),
			      "fp32");
}

static int32_t linear(struct inst *s, const sc_kernel *k, sc_kernel_result *out,
		      sc_error *err)
{
	uint32_t table = linear_table(k->linear_kind);
	uint32_t op = k->kind ? sc_linear_op(k->kind) : SC_N_LINEAR_OPS;
	const struct sc_mixer_at at = {(double)k->batch,
				       or_1((double)k->new_tokens), 0};
	const struct sc_linear what = {.family = table,
				       .k_heads =
					   k->k_heads ? k->k_heads : k->v_heads,
				       .k_dim = k->k_dim ? k->k_dim : k->v_dim,
				       .v_heads = k->v_heads,
				       .v_dim = k->v_dim,
				       .conv = k->conv,
				       .chunk = k->chunk};
	int told = table == SC_MIXER_KDA || (k->k_heads && k->k_dim);
	if (table == SC_N_MIXERS || op == SC_N_LINEAR_OPS || !told ||
	    !k->v_heads || !k->v_dim || !k->conv || !k->batch)
		return lacks(k, err);
	if (table == SC_MIXER_MAMBA2 && op == SC_STEP_DECODE) {
		struct linear_call l =
		    linear_for(s, &what, sc_format_bytes(k->kv_format));
		snprintf(out->used, sizeof out->used, "law");
		return say(out, linear_mamba_step_us(&l, at.batch));
	}
	struct mixer m = mixer_for_linear(s, table, op, &what);
	mismatch_sizes(s, out, ask_mixer(&m, &at, out), &what);
	mismatch_linear(s, k, op, out);
	return SC_OK;
}

/* The table of a module's model; SC_N_MIXERS: there is none. */
static uint32_t table_of_model(const sc_kernel *k, const char *model)
{
	int decode = k->op == SC_OP_SPARSE_DECODE;
	const struct sc_sparse_sizes *z = sc_sparse_model(model);
	if (!z)
		return SC_N_MIXERS;
	if (k->ratio)
		return decode ? SC_MIXER_CSA_DECODE : SC_MIXER_CSA_PREFILL;
	if (z->latent > 0)
		return decode ? SC_MIXER_DSA_DECODE : SC_MIXER_DSA_PREFILL;
	return decode ? SC_MIXER_MSA_DECODE : SC_MIXER_MSA_PREFILL;
}

static int32_t sparse(struct inst *s, const sc_kernel *k, sc_kernel_result *out,
		      sc_error *err)
{
	int decode = k->op == SC_OP_SPARSE_DECODE;
	const char *model = k->model && *k->model ? k->model : "minimax_m3";
	struct dtype dtype = module_dtype(s, k);
	uint32_t table = table_of_model(k, model);
	if (table == SC_N_MIXERS || !dtype.name || !k->heads || !k->batch ||
	    !(decode ? k->context : k->new_tokens))
		return lacks(k, err);
	const struct sc_mixer_key row_key = {
	    .table = table,
	    .model = sc_sparse_model(model)->model,
	    .gemm = dtype.name,
	    .kv = cache_of(k),
	    .indexer =
		sc_mixer_kinds[table].family == SC_FAMILY_DSA ? k->indexer : 0,
	    .ratio = k->ratio};
	struct sc_mixer_point at = {.heads = ceil(k->heads / or_1(k->ranks))};
	struct sc_mixer what = sc_mixer_of(&row_key, &at);
	struct mixer m = mixer_for_sparse(s, &row_key, &what.sparse, 0);
	at.at = (struct sc_mixer_at){
	    (double)k->batch, decode ? 1 : (double)k->new_tokens,
	    decode ? (double)k->context - 1 : (double)k->prefix};
	const struct mixer_by *by = ask_mixer(&m, &at.at, out);
	struct sc_mixer_key asked = row_key;
	asked.gemm = asked_module(k, dtype);
	asked.kv = asked_cache(k);
	mismatch_module(out, by, &asked);
	mismatch_attention(k, out);
	return SC_OK;
}

static int32_t streams(struct inst *s, const sc_kernel *k,
		       sc_kernel_result *out, sc_error *err)
{
	if (!k->kind || !k->tokens || !k->hidden || !k->streams)
		return lacks(k, err);
	struct curve c = mhc_for(s, k->kind, k->hidden, k->streams);
	if (!c.from)
		return sc_fail(err, SC_ENODATA, "no table of mhc has %s",
			       k->kind);
	name_curve(&c, out);
	say(out, curve_us(&c, (double)k->tokens));
	mismatch_word(out, "dtype", asked_dtype(s, k), "bf16");
	return SC_OK;
}

static int32_t mixer_price(struct inst *s, const sc_kernel *k,
			   sc_kernel_result *out, sc_error *err)
{
	if (!SC_HAS(k, model)) /* from a host before these ops */
		return lacks(k, err);
	if (k->op == SC_OP_LINEAR)
		return linear(s, k, out, err);
	return k->op == SC_OP_MHC ? streams(s, k, out, err)
				  : sparse(s, k, out, err);
}

int32_t kernel_price(void *inst, const sc_kernel *k, sc_kernel_result *out,
		     sc_error *err)
{
	struct inst *s = inst;
	switch (k->op) {
	case SC_OP_GEMM:
		return gemm(s, k, out, err);
	case SC_OP_PREFILL:
	case SC_OP_DECODE:
		return attention(s, k, out, err);
	case SC_OP_ALL_REDUCE:
	case SC_OP_COLLECTIVE:
		return message(s, k, out, err);
	case SC_OP_MOE:
		return experts(s, k, out, err);
	case SC_OP_MLA_DECODE:
	case SC_OP_MLA_PREFILL:
	case SC_OP_MLA_CORE:
		return latent(s, k, out, err);
	case SC_OP_MLA_BMM:
		return absorbed(s, k, out, err);
	case SC_OP_ALL_TO_ALL:
		return dispatch(s, k, out, err);
	case SC_OP_LINEAR:
	case SC_OP_SPARSE_DECODE:
	case SC_OP_SPARSE_PREFILL:
	case SC_OP_MHC:
		return mixer_price(s, k, out, err);
	default:
		return lacks(k, err);
	}
}
