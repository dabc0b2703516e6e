/* stepcost/exec/setup.h -- header-only helper for plugins: the first line that
 * a program receives, as JSON: the knobs, the model, the GPU, the engine and
 * the tables.
 *
 *   json_t *setup = sc_exec_setup(&plugin, s, knobs);
 */
#ifndef SC_EXEC_SETUP_H
#define SC_EXEC_SETUP_H
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "stepcost/plugin.h"

#define SC_EXEC_PROTOCOL 1
#define SC_EXEC_NEWEST_PROTOCOL 2 /* if the program answers {"ready":2} */

/* A whole number is written as one; one that is not finite is null. */
static inline json_t *sc_exec_number(double v)
{
	return !isfinite(v)                      ? json_null()
	       : fabs(v) < 1e17 && trunc(v) == v ? json_integer((json_int_t)v)
						 : json_real(v);
}

/* A text that is no UTF-8 is null. */
static inline json_t *sc_exec_text(const char *s)
{
	json_t *v = json_string(s);
	return v ? v : json_null();
}

static inline json_t *sc_exec_optional(const char *s)
{
	return s ? sc_exec_text(s) : json_null();
}

static inline json_t *sc_exec_numbers(const sc_numbers *of)
{
	json_t *all = json_array();
	for (uint32_t i = 0; i < of->n; i++)
		json_array_append_new(all, sc_exec_number(of->value[i]));
	return all;
}

static inline json_t *sc_exec_knob(const sc_knob *k, const void *block)
{
	const char *at = (const char *)block + k->offset, *text;
	const sc_numbers *numbers;
	double d;
	int64_t n;
	memcpy(&d, at, sizeof d);
	memcpy(&n, at, sizeof n);
	memcpy(&text, at, sizeof text);
	memcpy(&numbers, at, sizeof numbers);
	switch (k->type) {
	case SC_KNOB_DOUBLE:
		return sc_exec_number(d);
	case SC_KNOB_BOOL:
		return json_boolean(n);
	case SC_KNOB_CHOICE:
		return sc_exec_text(k->choices[n]);
	case SC_KNOB_TEXT:
		return sc_exec_text(text);
	case SC_KNOB_NUMBERS:
		return sc_exec_numbers(numbers);
	default:
		return json_integer(n);
	}
}

static inline json_t *sc_exec_knobs_of(const sc_plugin *p, const void *block)
{
	json_t *all = json_object();
	for (uint32_t i = 0; i < p->n_knobs; i++)
		json_object_set_new(all, p->knob[i]->name,
				    sc_exec_knob(p->knob[i], block));
	return all;
}

/* Writes a member of a struct under its C name. */
#define SC_EXEC_PUT(to, p, field)                                              \
	json_object_set_new(to, #field, sc_exec_number((double)(p)->field))

static inline void sc_exec_put_since_1_2(json_t *l, const sc_layers *g)
{
	SC_EXEC_PUT(l, g, linear_kind), SC_EXEC_PUT(l, g, linear_k_heads);
	SC_EXEC_PUT(l, g, linear_k_dim), SC_EXEC_PUT(l, g, linear_v_heads);
	SC_EXEC_PUT(l, g, linear_v_dim), SC_EXEC_PUT(l, g, linear_conv);
	SC_EXEC_PUT(l, g, linear_chunk), SC_EXEC_PUT(l, g, state_bits);
	SC_EXEC_PUT(l, g, index_heads), SC_EXEC_PUT(l, g, index_dim);
	SC_EXEC_PUT(l, g, index_topk), SC_EXEC_PUT(l, g, compress_ratio);
	SC_EXEC_PUT(l, g, o_groups), SC_EXEC_PUT(l, g, o_lora_rank);
}

static inline json_t *sc_exec_layers(const sc_layers *g)
{
	json_t *l = json_object();
	SC_EXEC_PUT(l, g, n_layers), SC_EXEC_PUT(l, g, attention);
	SC_EXEC_PUT(l, g, n_heads), SC_EXEC_PUT(l, g, n_kv_heads);
	SC_EXEC_PUT(l, g, head_dim), SC_EXEC_PUT(l, g, window);
	SC_EXEC_PUT(l, g, q_lora_rank), SC_EXEC_PUT(l, g, kv_lora_rank);
	SC_EXEC_PUT(l, g, qk_nope_dim), SC_EXEC_PUT(l, g, qk_rope_dim);
	SC_EXEC_PUT(l, g, v_dim), SC_EXEC_PUT(l, g, ffn);
	SC_EXEC_PUT(l, g, ffn_dim), SC_EXEC_PUT(l, g, n_experts);
	SC_EXEC_PUT(l, g, experts_per_token);
	SC_EXEC_PUT(l, g, n_shared_experts), SC_EXEC_PUT(l, g, shared_ffn_dim);
	SC_EXEC_PUT(l, g, attn_format), SC_EXEC_PUT(l, g, ffn_format);
	SC_EXEC_PUT(l, g, expert_format), SC_EXEC_PUT(l, g, attn_bits);
	SC_EXEC_PUT(l, g, ffn_bits), SC_EXEC_PUT(l, g, expert_bits);
	if (SC_HAS(g, activation_bits))
		SC_EXEC_PUT(l, g, flags), SC_EXEC_PUT(l, g, activation_bits);
	if (SC_HAS(g, o_lora_rank))
		sc_exec_put_since_1_2(l, g);
	return l;
}

static inline json_t *sc_exec_model(const sc_model *m)
{
	json_t *l = json_object(), *groups = json_array();
	json_object_set_new(l, "name", sc_exec_text(m->name));
	SC_EXEC_PUT(l, m, hidden), SC_EXEC_PUT(l, m, vocab);
	SC_EXEC_PUT(l, m, tied_embeddings), SC_EXEC_PUT(l, m, compute_format);
	SC_EXEC_PUT(l, m, head_format), SC_EXEC_PUT(l, m, kv_format);
	SC_EXEC_PUT(l, m, embed_bits), SC_EXEC_PUT(l, m, head_bits);
	SC_EXEC_PUT(l, m, kv_bits), SC_EXEC_PUT(l, m, n_params);
	for (uint32_t i = 0; i < m->n_groups; i++)
		json_array_append_new(groups, sc_exec_layers(m->group[i]));
	json_object_set_new(l, "group", groups);
	return l;
}

static inline json_t *sc_exec_hardware(const sc_hardware *h)
{
	json_t *l = json_object(), *peak = json_array();
	json_object_set_new(l, "name", sc_exec_text(h->name));
	SC_EXEC_PUT(l, h, sm_count), SC_EXEC_PUT(l, h, mem_bandwidth);
	SC_EXEC_PUT(l, h, mem_bytes), SC_EXEC_PUT(l, h, l2_bytes);
	SC_EXEC_PUT(l, h, link_bandwidth), SC_EXEC_PUT(l, h, link_latency_us);
	SC_EXEC_PUT(l, h, net_bandwidth), SC_EXEC_PUT(l, h, net_latency_us);
	SC_EXEC_PUT(l, h, tdp_watts), SC_EXEC_PUT(l, h, usd_per_hour);
	for (int i = 0; i < 16; i++)
		json_array_append_new(peak, sc_exec_number(h->peak_flops[i]));
	json_object_set_new(l, "peak_flops", peak);
	return l;
}

static inline json_t *sc_exec_parallel(const sc_parallel *p)
{
	json_t *l = json_object();
	SC_EXEC_PUT(l, p, tp), SC_EXEC_PUT(l, p, pp);
	SC_EXEC_PUT(l, p, ep), SC_EXEC_PUT(l, p, dp);
	return l;
}

static inline json_t *sc_exec_engine(const sc_engine *e)
{
	json_t *l = json_object();
	SC_EXEC_PUT(l, e, max_num_seqs);
	SC_EXEC_PUT(l, e, max_num_batched_tokens);
	SC_EXEC_PUT(l, e, block_size), SC_EXEC_PUT(l, e, graph_max_tokens);
	SC_EXEC_PUT(l, e, async_scheduling);
	if (SC_HAS(e, expert_dispatch)) {
		SC_EXEC_PUT(l, e, kv_tokens);
		json_object_set_new(l, "expert_dispatch",
				    sc_exec_optional(e->expert_dispatch));
	}
	return l;
}

static inline json_t *sc_exec_table(const sc_table *t)
{
	json_t *notes = json_object(), *columns = json_object();
	for (size_t i = 0; i < t->n_notes; i++)
		json_object_set_new(notes, t->note[2 * i],
				    sc_exec_text(t->note[2 * i + 1]));
	for (uint32_t c = 0; c < t->n_cols; c++) {
		json_t *column = json_array();
		for (uint64_t r = 0; r < t->n_rows; r++)
			json_array_append_new(
			    column, t->col[c] ? sc_exec_number(t->col[c][r])
					      : sc_exec_text(t->text[c][r]));
		json_object_set_new(columns, t->col_name[c], column);
	}
	return json_pack("{s:o,s:o,s:o,s:o}", "set", sc_exec_text(t->set), "op",
			 sc_exec_text(t->op), "notes", notes, "columns",
			 columns);
}

/* What the descriptor says of the plugin. */
static inline json_t *sc_exec_described(const sc_plugin *p, const char *folder)
{
	json_t *needs = json_array(), *sigma = json_array();
	for (uint32_t i = 0; i < p->n_needs; i++) {
		const sc_need *n = p->need[i];
		json_array_append_new(
		    needs,
		    json_pack("{s:i,s:o,s:b,s:o,s:o}", "kind", (int)n->kind,
			      "value", sc_exec_text(n->value), "optional",
			      (int)(n->flags & SC_NEED_OPTIONAL), "columns",
			      sc_exec_optional(n->columns), "notes",
			      sc_exec_optional(n->notes)));
	}
	for (uint32_t i = 0; i < p->n_sigma; i++)
		json_array_append_new(sigma, sc_exec_text(p->sigma[i]->name));
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name",
			 sc_exec_text(p->name), "id", sc_exec_optional(p->id),
			 "licence", sc_exec_optional(p->licence), "citation",
			 sc_exec_optional(p->citation), "needs", needs, "sigma",
			 sigma, "dir", sc_exec_optional(folder));
}

static inline json_t *sc_exec_setup(const sc_plugin *p, const sc_setup *s,
				    const void *block)
{
	json_t *tables = json_array();
	for (uint32_t i = 0; i < s->n_tables; i++)
		json_array_append_new(tables, sc_exec_table(s->table[i]));
	return json_pack(
	    "{s:i,s:[ii],s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "stepcost_exec",
	    SC_EXEC_PROTOCOL, "protocols", SC_EXEC_PROTOCOL,
	    SC_EXEC_NEWEST_PROTOCOL, "plugin",
	    sc_exec_described(p, SC_HAS(s, plugin_dir) ? s->plugin_dir : NULL),
	    "knobs", sc_exec_knobs_of(p, block), "model",
	    sc_exec_model(s->model), "hardware", sc_exec_hardware(s->hardware),
	    "parallel", sc_exec_parallel(s->parallel), "engine",
	    sc_exec_engine(s->engine), "tables", tables);
}
#endif
