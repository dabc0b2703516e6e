/* model.c -- Writes the facts that were read from a model's configuration. */
#include "report/model.h"
#include <math.h>
#include <string.h>
#include "base/csv.h"
#include "base/json/json_writer.h"
#include "base/number.h"
#include "base/paragraph.h"
#include "base/text.h"
#include "engine/presets.h"
#include "keys/keys.h"
#include "stepcost/format.h"

static const char *ffn_name(const sc_layers *g)
{
	static const char *const name[] = {"none", "gated", "plain", "experts"};
	return name[g->ffn <= SC_FFN_MOE ? g->ffn : 0];
}

/* A named number of a model, for all formats. */
struct fact {
	const char *name;
	double value;
};
enum { N_FACTS = 9, N_CAPACITY = 3, GROUPS_TEXT = 4000 };

static void facts_of(const struct model *m, struct fact f[N_FACTS])
{
	const sc_model *v = &m->view;
	const struct fact all[N_FACTS] = {
	    {"parameters", (double)v->n_params},
	    {"active_parameters", (double)m->n_active},
	    {"weight_bytes", m->weight_bytes},
	    {"kv_bytes_per_token", model_kv_bytes(m, m->view.kv_bits, 1, 0,
						  m->keys.num_hidden_layers)},
	    {"hidden_size", v->hidden},
	    {"vocab_size", v->vocab},
	    {"max_model_len", m->max_len},
	    {"tied_embeddings", v->tied_embeddings},
	    {"layer_groups", v->n_groups},
	};
	memcpy(f, all, sizeof all);
}

static void write_group(FILE *f, const sc_layers *g, const char *attention)
{
	char bits[NUMBER_SIZE];
	fprintf(f, "  %u x attention %s, %u heads, %u kv heads, dim %u",
		g->n_layers, attention, g->n_heads, g->n_kv_heads, g->head_dim);
	if (g->window)
		fprintf(f, ", %u tokens", g->window);
	if (g->attention == SC_ATTN_MLA)
		fprintf(f, ", ranks q %u kv %u, nope %u rope %u v %u",
			g->q_lora_rank, g->kv_lora_rank, g->qk_nope_dim,
			g->qk_rope_dim, g->v_dim);
	number_format(bits, g->attn_bits);
	fprintf(f, ", %s %s bits; FFN %s %u", sc_format_name(g->attn_format),
		bits, ffn_name(g), g->ffn_dim);
	if (g->ffn == SC_FFN_MOE) {
		number_format(bits, g->expert_bits);
		fprintf(f, ", %u of %u, %s %s bits", g->experts_per_token,
			g->n_experts, sc_format_name(g->expert_format), bits);
		if (g->n_shared_experts)
			fprintf(f, ", %u shared of %u", g->n_shared_experts,
				g->shared_ffn_dim);
	}
}

static void text_group(FILE *f, const sc_layers *g, const char *attention)
{
	struct text t;
	FILE *m = text_begin(&t);
	if (!m)
		return;
	write_group(m, g, attention);
	char *text = text_end(&t);
	paragraph_write(f, text ? text : "", PARAGRAPH_COLUMNS, 6);
	free(text);
}

/* Fills in the figures that vLLM logs of its KV cache.  Returns 0 if they are
 * not known. */
static int capacity(const struct engine *e, struct fact f[N_CAPACITY])
{
	double concurrency = engine_concurrency(e);
	const struct fact all[N_CAPACITY] = {
	    {"num_gpu_blocks", (double)e->num_gpu_blocks},
	    {"kv_cache_tokens", floor(concurrency * e->max_model_len)},
	    {"max_concurrency", concurrency},
	};
	memcpy(f, all, sizeof all);
	return e->kv_groups.n_kinds && isfinite(concurrency);
}

static void text_kv_cache(FILE *f, const struct engine *e)
{
	struct fact fact[N_CAPACITY];
	char text[GROUPS_TEXT], number[NUMBER_SIZE];
	if (e->kv_groups.n_kinds == 0)
		return;
	fprintf(f, "  %-20s %s (layers x tokens of a block, %s)\n", "kv_groups",
		kv_groups_text(text, sizeof text, &e->kv_groups),
		engine_preset(e->preset)->name);
	for (int i = 0; capacity(e, fact) && i < N_CAPACITY; i++) {
		number_format(number, fact[i].value);
		fprintf(f, "  %-20s %s\n", fact[i].name, number);
	}
}

static void json_kv_cache(struct jw *j, const struct engine *e)
{
	struct fact fact[N_CAPACITY];
	char text[GROUPS_TEXT];
	if (e->kv_groups.n_kinds == 0)
		return;
	jw_text(j, "engine_preset", engine_preset(e->preset)->name);
	jw_text(j, "kv_groups",
		kv_groups_text(text, sizeof text, &e->kv_groups));
	for (int i = 0; capacity(e, fact) && i < N_CAPACITY; i++)
		jw_number(j, fact[i].name, fact[i].value);
}

/* ---- cost models ---- */

static void text_support(FILE *f, const struct plugin_support *s, size_t n)
{
	enum { INDENT = 23 };
	size_t found = 0;
	struct text t;
	FILE *m = n ? text_begin(&t) : NULL;
	if (!m)
		return;
	for (size_t i = 0; i < n; i++)
		if (s[i].is != SUPPORT_NO)
			fprintf(m, "%s%s%s", found++ ? ", " : "", s[i].name,
				s[i].is == SUPPORT_YES ? "" : " (with tables)");
	char *names = text_end(&t);
	paragraph_print(f, PARAGRAPH_COLUMNS, INDENT, "  %-20s %s", "priced_by",
			names && *names ? names : "none");
	free(names);
	for (size_t i = 0; i < n; i++)
		if (s[i].is == SUPPORT_NO)
			paragraph_print(f, PARAGRAPH_COLUMNS, INDENT,
					"  %-20s %s: %s", "not_priced_by",
					s[i].name, s[i].why);
}

static void json_support(struct jw *j, const struct plugin_support *s, size_t n)
{
	static const char *const prices[] = {"yes", "with tables", "no"};
	jw_array(j, "cost_models");
	for (size_t i = 0; i < n; i++) {
		jw_flat_object(j, NULL);
		jw_text(j, "name", s[i].name);
		jw_text(j, "prices", prices[s[i].is]);
		if (s[i].is == SUPPORT_NO)
			jw_text(j, "why", s[i].why);
		jw_end(j);
	}
	jw_end(j);
}

void model_text(const struct model *m, const struct engine *e,
		const struct plugin_support *s, size_t n, FILE *f)
{
	struct fact fact[N_FACTS];
	char number[NUMBER_SIZE];
	facts_of(m, fact);
	fprintf(f, "%s\n", m->name);
	for (int i = 0; i < N_FACTS; i++) {
		number_format(number, fact[i].value);
		fprintf(f, "  %-20s %s\n", fact[i].name, number);
	}
	fprintf(f, "  %-20s compute %s, KV %s\n", "formats",
		sc_format_name(m->view.compute_format),
		sc_format_name(m->view.kv_format));
	text_kv_cache(f, e);
	for (uint32_t i = 0; i < m->view.n_groups; i++)
		text_group(f, m->view.group[i],
			   layer_mixer_name(m->alike[i].layer));
	text_support(f, s, n);
}

void model_csv(const struct model *m, FILE *f)
{
	struct fact fact[N_FACTS];
	facts_of(m, fact);
	fputs("model", f);
	for (int i = 0; i < N_FACTS; i++)
		fprintf(f, ",%s", fact[i].name);
	putc('\n', f);
	csv_text(f, m->name);
	for (int i = 0; i < N_FACTS; i++)
		csv_next_number(f, fact[i].value);
	putc('\n', f);
}

static void json_group(struct jw *j, const sc_layers *g, const char *attention)
{
	const struct fact number[] = {
	    {"layers", g->n_layers},
	    {"heads", g->n_heads},
	    {"kv_heads", g->n_kv_heads},
	    {"head_dim", g->head_dim},
	    {"window", g->window},
	    {"q_lora_rank", g->q_lora_rank},
	    {"kv_lora_rank", g->kv_lora_rank},
	    {"qk_nope_dim", g->qk_nope_dim},
	    {"qk_rope_dim", g->qk_rope_dim},
	    {"v_dim", g->v_dim},
	    {"ffn_dim", g->ffn_dim},
	    {"experts", g->n_experts},
	    {"experts_per_token", g->experts_per_token},
	    {"shared_experts", g->n_shared_experts},
	    {"shared_ffn_dim", g->shared_ffn_dim},
	    {"attention_bits", g->attn_bits},
	    {"ffn_bits", g->ffn_bits},
	    {"expert_bits", g->expert_bits},
	    {"activation_bits", g->activation_bits},
	};
	jw_flat_object(j, NULL);
	jw_text(j, "attention", attention);
	jw_text(j, "ffn", ffn_name(g));
	for (size_t i = 0; i < sizeof number / sizeof *number; i++)
		jw_number(j, number[i].name, number[i].value);
	jw_end(j);
}

void model_json(const struct model *m, const struct engine *e,
		const struct plugin_support *s, size_t n, FILE *f)
{
	struct fact fact[N_FACTS];
	facts_of(m, fact);
	struct jw j = jw_document(f);
	jw_text(&j, "model", m->name);
	for (int i = 0; i < N_FACTS; i++)
		jw_number(&j, fact[i].name, fact[i].value);
	jw_text(&j, "compute_format", sc_format_name(m->view.compute_format));
	jw_text(&j, "kv_format", sc_format_name(m->view.kv_format));
	json_kv_cache(&j, e);
	jw_array(&j, "groups");
	for (uint32_t i = 0; i < m->view.n_groups; i++)
		json_group(&j, m->view.group[i],
			   layer_mixer_name(m->alike[i].layer));
	jw_end(&j);
	json_support(&j, s, n);
	jw_object(&j, "keys");
	model_keys_write(&j, &m->keys);
	jw_finish(&j);
}
