/* stepcost/exec/protocol.h -- header-only helper for plugins: the lines that a
 * program receives and the lines that it answers, as doc/exec-protocol.md
 * describes them: first the knobs and the setup, then a line for each step.
 *
 *   int32_t rc = sc_exec_greet(&process, &plugin, setup, knobs, err);
 *   sc_exec_put_step(&process.ask, step);
 *   rc = sc_exec_ask(&process, err);
 *   rc = sc_exec_read(&process, out, err);
 */
#ifndef SC_EXEC_PROTOCOL_H
#define SC_EXEC_PROTOCOL_H
#include "stepcost/exec/process.h"

#define SC_EXEC_PROTOCOL 1

/* ---- the first line ---- */

static inline void sc_exec_put_knobs(struct sc_line *l, const sc_plugin *p,
				     const void *block)
{
	sc_put_name(l, "knobs");
	sc_put(l, "{");
	for (uint32_t i = 0; i < p->n_knobs; i++) {
		const sc_knob *k = p->knob[i];
		const char *at = (const char *)block + k->offset;
		double d;
		int64_t n;
		memcpy(&d, at, sizeof d);
		memcpy(&n, at, sizeof n);
		sc_put_name(l, k->name);
		if (k->type == SC_KNOB_DOUBLE)
			sc_put_number(l, d);
		else if (k->type == SC_KNOB_BOOL)
			sc_put(l, n ? "true" : "false");
		else if (k->type == SC_KNOB_CHOICE)
			sc_put_text(l, k->choices[n]);
		else
			sc_put_number(l, (double)n);
	}
	sc_put(l, "}");
}

/* Writes a member of a struct under its C name. */
#define SC_EXEC_PUT(l, p, field)                                               \
	(sc_put_name(l, #field), sc_put_number(l, (double)(p)->field))

static inline void sc_exec_put_since_1_2(struct sc_line *l, const sc_layers *g)
{
	SC_EXEC_PUT(l, g, linear_kind), SC_EXEC_PUT(l, g, linear_k_heads);
	SC_EXEC_PUT(l, g, linear_k_dim), SC_EXEC_PUT(l, g, linear_v_heads);
	SC_EXEC_PUT(l, g, linear_v_dim), SC_EXEC_PUT(l, g, linear_conv);
	SC_EXEC_PUT(l, g, linear_chunk), SC_EXEC_PUT(l, g, state_bits);
	SC_EXEC_PUT(l, g, index_heads), SC_EXEC_PUT(l, g, index_dim);
	SC_EXEC_PUT(l, g, index_topk), SC_EXEC_PUT(l, g, compress_ratio);
	SC_EXEC_PUT(l, g, o_groups), SC_EXEC_PUT(l, g, o_lora_rank);
}

static inline void sc_exec_put_layers(struct sc_line *l, const sc_layers *g)
{
	sc_put(l, l->text[l->n - 1] == '[' ? "{" : ",{");
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
	sc_put(l, "}");
}

static inline void sc_exec_put_model(struct sc_line *l, const sc_model *m)
{
	sc_put_name(l, "model");
	sc_put(l, "{");
	sc_put_name(l, "name"), sc_put_text(l, m->name);
	SC_EXEC_PUT(l, m, hidden), SC_EXEC_PUT(l, m, vocab);
	SC_EXEC_PUT(l, m, tied_embeddings), SC_EXEC_PUT(l, m, compute_format);
	SC_EXEC_PUT(l, m, head_format), SC_EXEC_PUT(l, m, kv_format);
	SC_EXEC_PUT(l, m, embed_bits), SC_EXEC_PUT(l, m, head_bits);
	SC_EXEC_PUT(l, m, kv_bits), SC_EXEC_PUT(l, m, n_params);
	sc_put_name(l, "group");
	sc_put(l, "[");
	for (uint32_t i = 0; i < m->n_groups; i++)
		sc_exec_put_layers(l, m->group[i]);
	sc_put(l, "]}");
}

static inline void sc_exec_put_hardware(struct sc_line *l, const sc_hardware *h)
{
	sc_put_name(l, "hardware");
	sc_put(l, "{");
	sc_put_name(l, "name"), sc_put_text(l, h->name);
	SC_EXEC_PUT(l, h, sm_count), SC_EXEC_PUT(l, h, mem_bandwidth);
	SC_EXEC_PUT(l, h, mem_bytes), SC_EXEC_PUT(l, h, l2_bytes);
	SC_EXEC_PUT(l, h, link_bandwidth), SC_EXEC_PUT(l, h, link_latency_us);
	SC_EXEC_PUT(l, h, net_bandwidth), SC_EXEC_PUT(l, h, net_latency_us);
	SC_EXEC_PUT(l, h, tdp_watts), SC_EXEC_PUT(l, h, usd_per_hour);
	sc_put_name(l, "peak_flops");
	for (int i = 0; i < 16; i++) {
		sc_put(l, i ? "," : "[");
		sc_put_number(l, h->peak_flops[i]);
	}
	sc_put(l, "]}");
}

static inline void sc_exec_put_engine(struct sc_line *l, const sc_setup *s)
{
	sc_put_name(l, "parallel");
	sc_put(l, "{");
	SC_EXEC_PUT(l, s->parallel, tp), SC_EXEC_PUT(l, s->parallel, pp);
	SC_EXEC_PUT(l, s->parallel, ep), SC_EXEC_PUT(l, s->parallel, dp);
	sc_put(l, "}");
	sc_put_name(l, "engine");
	sc_put(l, "{");
	SC_EXEC_PUT(l, s->engine, max_num_seqs);
	SC_EXEC_PUT(l, s->engine, max_num_batched_tokens);
	SC_EXEC_PUT(l, s->engine, block_size);
	SC_EXEC_PUT(l, s->engine, graph_max_tokens);
	SC_EXEC_PUT(l, s->engine, async_scheduling);
	sc_put(l, "}");
}

static inline void sc_exec_put_table(struct sc_line *l, const sc_table *t)
{
	sc_put(l, l->text[l->n - 1] == '[' ? "{" : ",{");
	sc_put_name(l, "set"), sc_put_text(l, t->set);
	sc_put_name(l, "op"), sc_put_text(l, t->op);
	sc_put_name(l, "notes");
	sc_put(l, "{");
	for (size_t i = 0; i < t->n_notes; i++) {
		sc_put_name(l, t->note[2 * i]);
		sc_put_text(l, t->note[2 * i + 1]);
	}
	sc_put(l, "}");
	sc_put_name(l, "columns");
	sc_put(l, "{");
	for (uint32_t c = 0; c < t->n_cols; c++) {
		sc_put_name(l, t->col_name[c]);
		sc_put(l, "[");
		for (uint64_t r = 0; r < t->n_rows; r++) {
			sc_put(l, r ? "," : "");
			if (t->col[c])
				sc_put_number(l, t->col[c][r]);
			else
				sc_put_text(l, t->text[c][r]);
		}
		sc_put(l, "]");
	}
	sc_put(l, "}}");
}

/* Sends the first line.  The program answers {"ready":1} or {"error":"..."}. */
static inline int32_t sc_exec_greet(struct sc_exec_process *x,
				    const sc_plugin *p, const sc_setup *s,
				    const void *block, sc_error *err)
{
	struct hello {
		char error[160];
		uint32_t ready;
	} hello = {"", 0};
	static const struct sc_field field[] = {
	    {"ready", SC_FIELD_UINT32, 1, offsetof(struct hello, ready), NULL},
	    {"error", SC_FIELD_TEXT, sizeof hello.error,
	     offsetof(struct hello, error), NULL}};
	struct sc_line *l = &x->ask;
	sc_error why = {.size = sizeof why};
	sc_put(l, "{");
	sc_put_name(l, "stepcost_exec"), sc_put_integer(l, SC_EXEC_PROTOCOL);
	sc_exec_put_knobs(l, p, block);
	sc_exec_put_model(l, s->model);
	sc_exec_put_hardware(l, s->hardware);
	sc_exec_put_engine(l, s);
	sc_put_name(l, "tables");
	sc_put(l, "[");
	for (uint32_t i = 0; i < s->n_tables; i++)
		sc_exec_put_table(l, s->table[i]);
	sc_put(l, "]}\n");
	int32_t rc = sc_exec_ask(x, err);
	if (rc < 0)
		return rc;
	if (sc_get_object(x->answer, field, 2, &hello, &why) < 0)
		return sc_exec_give_up(x, why.text, err);
	if (hello.error[0] || hello.ready != SC_EXEC_PROTOCOL)
		return sc_exec_give_up(x,
				       hello.error[0]
					   ? hello.error
					   : "does not answer {\"ready\":1}",
				       err);
	return SC_OK;
}

/* ---- one step ---- */

static inline void sc_exec_put_step(struct sc_line *l, const sc_step *s)
{
	l->n = 0;
	sc_put(l, "{");
	sc_put_name(l, "step"), sc_put_integer(l, s->step_index);
	sc_put_name(l, "flags"), sc_put_integer(l, s->flags);
	sc_put_name(l, "sampled"), sc_put_integer(l, s->n_sampled);
	sc_put_column(l, "prefill_new", s->prefill_new, s->n_prefill);
	sc_put_column(l, "prefill_ctx", s->prefill_ctx, s->n_prefill);
	if (s->prefill_last)
		sc_put_column(l, "prefill_last", s->prefill_last, s->n_prefill);
	sc_put_column(l, "decode_ctx", s->decode_ctx, s->n_decode);
	if (s->decode_new)
		sc_put_column(l, "decode_new", s->decode_new, s->n_decode);
	sc_put(l, "}\n");
}

struct sc_exec_reply {
	sc_result result;
	char error[160];
};

/* The formatter takes #name for a directive. */
/* clang-format off */
#define SC_EXEC_NUMBER(name, n)                                                \
	{#name, SC_FIELD_DOUBLE, n, offsetof(sc_result, name), NULL}
/* clang-format on */
static const char *const sc_exec_bounds[] = {"none", "compute",  "memory",
					     "comm", "overhead", NULL};
static const struct sc_field sc_exec_fields[] = {
    SC_EXEC_NUMBER(total_us, 1),
    SC_EXEC_NUMBER(exact_us, 1),
    SC_EXEC_NUMBER(ready_us, 1),
    SC_EXEC_NUMBER(host_us, 1),
    SC_EXEC_NUMBER(gemm_us, 2),
    SC_EXEC_NUMBER(attention_us, 2),
    SC_EXEC_NUMBER(compute_us, 2),
    SC_EXEC_NUMBER(memory_us, 2),
    SC_EXEC_NUMBER(comm_us, 1),
    SC_EXEC_NUMBER(overhead_us, 1),
    SC_EXEC_NUMBER(flops, 1),
    SC_EXEC_NUMBER(bytes, 1),
    SC_EXEC_NUMBER(energy_j, 1),
    SC_EXEC_NUMBER(lookup_us, SC_N_PROVENANCE),
    {"lookups", SC_FIELD_UINT32, SC_N_PROVENANCE, offsetof(sc_result, lookups),
     NULL},
    {"bound", SC_FIELD_WORD, 1, offsetof(sc_result, bound), sc_exec_bounds},
    {"error", SC_FIELD_TEXT, 160, offsetof(struct sc_exec_reply, error), NULL},
};

/* Reads the answer to a step.  Fields that the answer does not name keep their
 * value in *out. */
static inline int32_t sc_exec_read(const struct sc_exec_process *x,
				   sc_result *out, sc_error *err)
{
	struct sc_exec_reply reply = {.result = *out};
	sc_error why = {.size = sizeof why};
	if (sc_get_object(x->answer, sc_exec_fields,
			  sizeof sc_exec_fields / sizeof *sc_exec_fields,
			  &reply, &why) < 0)
		return sc_fail(err, SC_EINVAL, "%s: %s in '%.80s'", x->program,
			       why.text, x->answer);
	if (reply.error[0])
		return sc_fail(err, SC_EUNSUP, "%s: %s", x->program,
			       reply.error);
	*out = reply.result;
	return SC_OK;
}
#endif
