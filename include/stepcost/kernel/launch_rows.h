/* stepcost/kernel/launch_rows.h -- header-only helper: the rows of a table
 * attention_mixed, which measured the attention of whole steps, against the law
 * of launch_law.h; and the choice of the kernel that a step has.
 *
 * A row is divided by the law.  Between rows the logarithm of the quotient is
 * interpolated by inverse squared distance to the fourth power, in logarithms
 * of prompt tokens, cached tokens, decodes and context.  A measured step comes
 * out as measured.  Leaving a row out: 3 to 5 % for chunks, 7 to 8 % for mixed
 * steps, mean error. */
#ifndef SC_LAUNCH_ROWS_H
#define SC_LAUNCH_ROWS_H
#include <string.h>
#include <strings.h>
#include "stepcost/kernel/launch_law.h"
#include "stepcost/table.h"

/* ---- which kernel ---- */

/* How a step computes attention of prompts and decodes. */
enum sc_launches {
	SC_LAUNCHES_SUM, /* as each alone; a kernel splits the keys of a chunk
			  */
	SC_LAUNCHES_TWO, /* one after the other; chunks by launch_law.h */
	SC_LAUNCHES_ONE, /* at a time, by launch_law.h */
};

/* Returns 1 for a GPU with kernels of its own for attention: HBM, and more than
 * the instructions of Ampere.  Rates: data sheets; A100 has no FP8, and GPUs
 * that have it and GDDR memory read less than 2 TB/s. */
static inline int sc_launch_is_hopper(const sc_hardware *hw)
{
	return hw->peak_flops[SC_FP8] > 0 && hw->mem_bandwidth > 2.5e12;
}

/* Returns the engine that the table was measured in; SC_ENGINE_UNKNOWN: none.
 */
static inline uint32_t sc_launch_engine(const sc_table *t)
{
	static const struct {
		const char *begins;
		uint32_t engine;
	} known[] = {{"vllm", SC_ENGINE_VLLM},
		     {"sglang", SC_ENGINE_SGLANG},
		     {"trtllm", SC_ENGINE_TENSORRT_LLM},
		     {"tensorrt-llm", SC_ENGINE_TENSORRT_LLM}};
	const char *software = t ? sc_note(t, "software") : NULL;
	for (size_t i = 0; software && i < sizeof known / sizeof *known; i++)
		if (!strncasecmp(software, known[i].begins,
				 strlen(known[i].begins)))
			return known[i].engine;
	return SC_ENGINE_UNKNOWN;
}

/* Returns the table attention_mixed of this GPU; NULL: there is none. */
static inline const sc_table *sc_launch_table(const sc_setup *setup)
{
	char why[256];
	const sc_table *t = sc_table_of(setup, "attention_mixed");
	if (!t || sc_table_of_other_gpu(t, setup->hardware, why, sizeof why))
		return NULL;
	return t;
}

/* Returns the engine that is modelled, SC_ENGINE_*. */
static inline uint32_t sc_launch_simulated(const sc_setup *setup)
{
	const sc_engine *e = setup->engine;
	return SC_HAS(e, engine) ? e->engine : SC_ENGINE_UNKNOWN;
}

/* Returns how `engine` computes; prompts: the table that answers for prompts,
 * or NULL.  An engine that is not known has the kernels of its tables.
 * vLLM computes a step in one launch of FlashAttention-2, but has other kernels
 * on Hopper and later data centre GPUs (FlashAttention-3, FlashInfer), and for
 * a KV cache of 8 bits.  PyTorch computes a chunk behind cached tokens by
 * FlashAttention-2.  SGLang's FlashInfer splits the keys of a chunk, and
 * decodes apart. */
static inline enum sc_launches
sc_launches_of(const sc_setup *setup, uint32_t engine, const sc_table *prompts)
{
	const sc_hardware *hw = setup->hardware;
	const char *software = prompts ? sc_note(prompts, "software") : NULL;
	if (!hw->sm_count || setup->model->kv_bits < 16)
		return SC_LAUNCHES_SUM;
	if (engine == SC_ENGINE_UNKNOWN && sc_launch_table(setup))
		return SC_LAUNCHES_ONE;
	if (engine == SC_ENGINE_UNKNOWN && software &&
	    !strncasecmp(software, "pytorch", strlen("pytorch")))
		return SC_LAUNCHES_TWO;
	if (engine == SC_ENGINE_UNKNOWN)
		engine = sc_launch_engine(prompts);
	return engine == SC_ENGINE_VLLM && !sc_launch_is_hopper(hw)
		   ? SC_LAUNCHES_ONE
		   : SC_LAUNCHES_SUM;
}

/* Sets the tile, and limits the rate, of the kernel. */
static inline void sc_launch_kernel(struct sc_launch *l,
				    enum sc_launches launches,
				    const sc_hardware *hw)
{
	l->tile = launches == SC_LAUNCHES_ONE ? SC_TILE_PAGED : SC_TILE_PACKED;
	l->sms = hw->sm_count;
	l->l2_bytes = hw->l2_bytes;
	if (sc_launch_is_hopper(hw))
		l->rate = fmin(l->rate,
			       SC_HOPPER_SHARE * hw->peak_flops[SC_BF16] / 1e6);
}

/* ---- rows ---- */

enum { SC_LAUNCH_AXES = 4 }; /* prompt and cached tokens, decodes, context */
struct sc_launch_row {
	double at[SC_LAUNCH_AXES], residual; /* logarithms */
};
struct sc_launch_rows {
	uint32_t n;
	struct sc_launch_row *row; /* [n] */
};

struct sc_launch_columns {
	const double *heads, *kv_heads, *head_dim, *us;
	const double *axis[SC_LAUNCH_AXES];
};
/* Returns 0 if the table lacks a column. */
static inline int sc_launch_columns_of(const sc_table *t,
				       struct sc_launch_columns *c)
{
	static const char *const axis[SC_LAUNCH_AXES] = {
	    "prefill_tokens", "prefill_context", "decodes", "decode_context"};
	int all = 1;
	c->heads = sc_column(t, "heads");
	c->kv_heads = sc_column(t, "kv_heads");
	c->head_dim = sc_column(t, "head_dim");
	c->us = sc_column(t, "latency_us");
	for (int i = 0; i < SC_LAUNCH_AXES; i++) {
		c->axis[i] = sc_column(t, axis[i]);
		all &= c->axis[i] != NULL;
	}
	return all && c->heads && c->kv_heads && c->head_dim && c->us;
}

/* Returns the highest rate, FLOP/us, that a chunk of the table reaches with
 * heads of this size; 0: no row tells. */
static inline double sc_launch_best_rate(const sc_table *t, double head_dim)
{
	struct sc_launch_columns c;
	double best = 0;
	if (!sc_launch_columns_of(t, &c))
		return 0;
	for (uint64_t i = 0; i < t->n_rows; i++) {
		double tokens = c.axis[0][i], cached = c.axis[1][i];
		double pairs = tokens * (cached + tokens / 2);
		if (c.head_dim[i] == head_dim && c.axis[2][i] == 0 &&
		    c.us[i] > 0)
			best = fmax(best, 4 * c.heads[i] * head_dim * pairs /
					      c.us[i]);
	}
	return best;
}

static inline void sc_launch_at(double at[SC_LAUNCH_AXES], double tokens,
				double cached, double decodes, double context)
{
	at[0] = log1p(tokens);
	at[1] = log1p(cached);
	at[2] = log1p(decodes);
	at[3] = log1p(decodes > 0 ? context : 0);
}

/* Writes the rows of steps with prompts in this shape to `to`, which has room
 * for all rows of the table.  Returns how many they are. */
static inline uint32_t sc_launch_rows_read(const sc_table *t,
					   const struct sc_launch *l,
					   struct sc_launch_row *to)
{
	struct sc_launch_columns c;
	uint32_t n = 0;
	if (!sc_launch_columns_of(t, &c))
		return 0;
	for (uint64_t i = 0; i < t->n_rows; i++) {
		struct sc_launch_work w = {0};
		double tokens = c.axis[0][i], cached = c.axis[1][i];
		double decodes = c.axis[2][i], context = c.axis[3][i];
		if (c.heads[i] != l->heads || c.kv_heads[i] != l->kv_heads ||
		    c.head_dim[i] != l->head_dim || !(tokens > 0) ||
		    !(c.us[i] > 0) || !(cached + decodes > 0))
			continue;
		sc_launch_chunk(&w, l, tokens, cached);
		sc_launch_decodes(&w, l, decodes, context, context);
		sc_launch_at(to[n].at, tokens, cached, decodes, context);
		to[n++].residual = log(c.us[i] / sc_launch_us(l, &w));
	}
	return n;
}

/* Returns the residual at a step of `tokens` behind `cached` ones; steps with
 * and without decodes are apart.  *how: SC_EXACT, SC_INTERPOLATED, or
 * SC_FALLBACK without rows. */
static inline double sc_launch_residual(const struct sc_launch_rows *r,
					const double at[SC_LAUNCH_AXES],
					uint32_t *how)
{
	double sum = 0, weights = 0;
	*how = SC_FALLBACK;
	for (uint32_t i = 0; i < r->n; i++) {
		const double *is = r->row[i].at;
		double far = 0;
		if ((is[2] > 0) != (at[2] > 0))
			continue;
		for (int j = 0; j < SC_LAUNCH_AXES; j++)
			far += (is[j] - at[j]) * (is[j] - at[j]);
		if (far == 0) {
			*how = SC_EXACT;
			return r->row[i].residual;
		}
		*how = SC_INTERPOLATED;
		sum += r->row[i].residual / (far * far);
		weights += 1 / (far * far);
	}
	return weights > 0 ? sum / weights : 0;
}
#endif
