/* simulated.c -- Describes the simulated set-up. */
#include "report/results/simulated.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "arm/arm_gpus.h"
#include "base/text.h"
#include "engine/front_ends.h"
#include "engine/parallel.h"
#include "engine/presets.h"
#include "engine/refusals.h"
#include "keys/keys.h"
#include "record/metrics.h"
#include "report/results/outside.h"
#include "stepcost/format.h"

const char *const simulated_label[N_SIMULATED] = {"model", "GPU", "engine",
						  "serving", "workload"};

/* ---- settings that were changed ---- */

static void write_setting(FILE *f, const char *key, const char *value, size_t n)
{
	fprintf(f, "%s%s = %s", n ? ", " : "", key, value);
}

/* A section that the host reads: its keys, and their resolved values. */
struct section {
	const char *name;
	const sc_knob *const *knob;
	uint32_t n;
	const void *block;
};

/* Where the INI sets keys: a section, and what its keys begin with. */
struct place {
	const char *section, *prefix;
};

/* Returns the value that a key has without the i-th place, by the places before
 * it and at last the block; NULL: it is not known. */
static const char *value_beneath(const struct config *c,
				 const struct place *place, size_t i,
				 const struct section *base, uint32_t k,
				 char buf[32])
{
	while (i-- > 0) {
		const struct ini_item *t =
		    place[i].section
			? ini_find_behind(&c->cfg, place[i].section,
					  place[i].prefix, base->knob[k]->name)
			: NULL;
		if (t)
			return t->value;
	}
	return base->block ? knob_text(buf, base->knob[k], base->block) : NULL;
}

/* Returns the keys of n places that have other values than beneath, in the
 * order of the table; not `config`, which names the file beneath.  The caller
 * frees the text; NULL: memory is out. */
static char *overrides_text(const struct config *c, const struct place *place,
			    size_t n, const struct section *base)
{
	char buf[32];
	size_t written = 0;
	struct text as;
	FILE *f = text_begin(&as);
	for (size_t p = 0; f && p < n; p++)
		for (uint32_t k = 0; place[p].section && k < base->n; k++) {
			const char *key = base->knob[k]->name;
			const struct ini_item *t = ini_find_behind(
			    &c->cfg, place[p].section, place[p].prefix, key);
			const char *was =
			    value_beneath(c, place, p, base, k, buf);
			if (t && strcmp(key, "config") != 0 &&
			    (!was || !is_same_value(was, t->value)))
				write_setting(f, key, t->value, written++);
		}
	return text_end(&as);
}

static struct section engine_of(const struct config *c)
{
	return (struct section){"engine", engine_key, engine_n_keys,
				&c->engine_keys};
}

static struct section workload_of(const struct config *c)
{
	return (struct section){"workload", workload_keys, n_workload_keys,
				&c->workload_keys};
}

/* Receives a key that differs from the base; n: how many came before. */
typedef void (*change_fn)(void *to, const sc_knob *knob, const void *block,
			  size_t n);

static void text_change(void *to, const sc_knob *knob, const void *block,
			size_t n)
{
	char value[32];
	write_setting(to, knob->name, knob_text(value, knob, block), n);
}

static void json_change(void *to, const sc_knob *knob, const void *block,
			size_t n)
{
	(void)n;
	knobs_write(to, block, &knob, 1);
}

/* Returns 1 if only other schedulers read the key. */
static int is_foreign(const sc_knob *knob, const struct engine_keys *k)
{
	return !engine_row_is_of(engine_row_of(knob),
				 (enum engine_scheduler)k->scheduler);
}

/* Returns how many keys differ from base: the preset of the section, or NULL
 * for the defaults. */
static size_t changes(struct section s, const sc_preset *base, change_fn take,
		      void *to)
{
	union {
		struct engine_keys engine;
		struct workload_keys workload;
	} was;
	char a[32], b[32];
	size_t n = 0;
	int is_engine = s.knob == engine_key;
	if (knobs_fill(&was, s.knob, s.n, base, NULL, s.name, "", NULL) < 0)
		return 0;
	for (uint32_t i = 0; i < s.n; i++)
		if (!(base && !strcmp(s.knob[i]->name, "preset")) &&
		    !(is_engine && is_foreign(s.knob[i], s.block)) &&
		    strcmp(knob_text(a, s.knob[i], s.block),
			   knob_text(b, s.knob[i], &was)) != 0)
			take(to, s.knob[i], s.block, n++);
	return n;
}

/* The defaults under the preset, with its times outside of steps. */
static const sc_preset *preset_of(const struct config *c,
				  struct engine_defaults *to)
{
	const struct engine_keys *k = &c->engine_keys;
	return engine_defaults(to, (enum engine_preset)k->preset,
			       (enum front_end)k->front_end,
			       c->is_apart || k->prefill_replicas > 0);
}

/* ---- the parts as text ---- */

/* Writes, for example, "fp8", "bf16, experts fp4" or "int4 computed in
 * bf16". */
static void write_formats(const sc_model *m, FILE *f)
{
	uint32_t linear = m->group[0]->attn_format, experts = 0;
	for (uint32_t i = 0; i < m->n_groups; i++)
		if (m->group[i]->ffn == SC_FFN_MOE)
			experts = m->group[i]->expert_format;
	fputs(sc_format_name(linear), f);
	if (experts && experts != linear)
		fprintf(f, ", experts %s", sc_format_name(experts));
	if (m->compute_format != linear)
		fprintf(f, " computed in %s",
			sc_format_name(m->compute_format));
}

/* Returns how requests choose their tokens.  NULL: not known. */
static const char *sampling_of(const struct config *c)
{
	static const char *const word[] = {NULL, "greedy", "random", "top_p"};
	int64_t own = c->engine_keys.sampling;
	return word[own ? own : c->model.keys.sampling];
}

static const char *kv_format_of(const struct config *c)
{
	sc_model view = c->model.view;
	model_set_kv_format(&c->model, engine_kv_format(&c->engine_keys),
			    &view);
	return sc_format_name(view.kv_format);
}

static void write_model(const struct config *c, FILE *f)
{
	const struct model *m = &c->model;
	if (!m->view.n_groups) {
		fputs("none", f);
		return;
	}
	fprintf(f, "%s: ", m->name);
	write_formats(&m->view, f);
	fprintf(f, ", KV cache %s; %.4g billion parameters", kv_format_of(c),
		(double)m->view.n_params / 1e9);
	if (sampling_of(c))
		fprintf(f, ", sampling %s", sampling_of(c));
	if (!*m->keys.config)
		return;
	const struct place place[] = {{"model", ""}};
	const struct section table = {"model", model_key, model_n_keys, NULL};
	char *text = overrides_text(c, place, 1, &table);
	if (text && *text)
		fprintf(f, "; %s", text);
	free(text);
}

/* Writes the GPU's name, and the keys of the INI that override its file. */
static void write_gpu_of(const struct config *c, size_t arm, uint32_t pool,
			 FILE *f)
{
	struct problem none;
	size_t index = arm;
	if (pool && config_decode_arm(c, arm, &index, &none) < 0)
		index = arm;
	const struct arm_config *a = &c->arm[index];
	const char *name = pool ? a->decode_hardware : a->hardware;
	const char *of_pool = config_pool(c, arm, pool);
	const struct place place[] = {{"hardware", ""},
				      {of_pool, "hardware."},
				      {a->section, "hardware."}};
	struct hardware file = {0};
	const struct section base = {"hardware", hardware_key, hardware_n_keys,
				     &file.keys};
	char *text = hardware_load_file(&file, &c->cfg, of_pool, a->section,
					SC_BF16, &none) == 0
			 ? overrides_text(c, place, 3, &base)
			 : NULL;
	hardware_free(&file);
	if (text && *text)
		fprintf(f, "%s (%s)", name, text);
	else if (*name == '[')
		fprintf(f, "of unknown kind: no %s", name);
	else
		fputs(name, f);
	free(text);
}

/* Writes the number of an arm's GPUs, their kind, and how it divides them. */
static void write_gpus_of(const struct config *c, size_t arm, uint32_t pool,
			  FILE *f)
{
	struct engine_keys k;
	struct problem none;
	if (config_arm_keys(&k, c, arm, pool, &none) < 0)
		return;
	fprintf(f, "%" PRIu64 " ", engine_gpus(&k));
	write_gpu_of(c, arm, pool, f);
	if (engine_gpus(&k) > 1)
		fprintf(f, " = tensor_parallel_size %" PRId64,
			k.tensor_parallel_size);
	if (k.pipeline_parallel_size > 1)
		fprintf(f, " x pipeline_parallel_size %" PRId64,
			k.pipeline_parallel_size);
	if (k.data_parallel_size > 1)
		fprintf(f, " x data_parallel_size %" PRId64,
			k.data_parallel_size);
	if (engine_gpus(&k) > 1)
		fprintf(f, " x replicas %" PRId64, k.replicas);
	if (k.prefill_replicas)
		fprintf(f, ", %" PRId64 " of them for prompts",
			k.prefill_replicas);
}

typedef void (*write_fn)(const struct config *c, size_t arm, uint32_t pool,
			 FILE *f);

/* Returns what `write` writes about an arm; the caller frees it.  NULL: memory
 * is out. */
static char *text_of(write_fn write, const struct config *c, size_t arm,
		     uint32_t pool)
{
	struct text t;
	FILE *m = text_begin(&t);
	if (!m)
		return NULL;
	write(c, arm, pool, m);
	return text_end(&t);
}

/* Writes ", NAME" for each arm behind i with the text of arm i. */
static void write_same(const struct config *c, size_t n_arms, size_t i,
		       char *const *text, FILE *f)
{
	for (size_t k = i + 1; k < n_arms; k++)
		if (text[k] && !strcmp(text[k], text[i]))
			fprintf(f, ", %s", c->arm[k].name);
}

static int is_first(char *const *text, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (text[k] && !strcmp(text[k], text[i]))
			return 0;
	return 1;
}

/* Writes the GPUs of a pool, for the arms that have pools or for the others.
 * Arms with the same GPUs share a text; if all do, no arm is named. */
static void write_pool(const struct config *c, size_t n_arms, int has_pools,
		       uint32_t pool, FILE *f)
{
	char **text = calloc(n_arms + 1, sizeof *text);
	size_t kinds = 0, said = 0;
	for (size_t i = 0; text && i < n_arms; i++) {
		if ((config_pool(c, i, 0) != NULL) == has_pools)
			text[i] = text_of(write_gpus_of, c, i, pool);
		else
			kinds = 1;
	}
	for (size_t i = 0; text && i < n_arms; i++)
		kinds += text[i] && is_first(text, i);
	for (size_t i = 0; text && i < n_arms; i++) {
		if (!text[i] || !is_first(text, i))
			continue;
		fprintf(f, "%s%s", said++ ? "; " : "", text[i]);
		if (kinds == 1)
			continue;
		fprintf(f, " in %s", c->arm[i].name);
		write_same(c, n_arms, i, text, f);
	}
	for (size_t i = 0; text && i < n_arms; i++)
		free(text[i]);
	free(text);
}

static void write_gpus(const struct config *c, size_t n_arms, FILE *f)
{
	size_t n_apart = 0;
	for (size_t i = 0; i < n_arms; i++)
		n_apart += config_pool(c, i, 0) != NULL;
	if (n_apart < n_arms)
		write_pool(c, n_arms, 0, 0, f);
	for (uint32_t pool = 0; n_apart && pool < 2; pool++) {
		fprintf(f, "%s%s: ", pool || n_apart < n_arms ? "; " : "",
			pool_name[pool]);
		write_pool(c, n_arms, 1, pool, f);
	}
}

/* Writes the keys in the sections of the pools. */
static void write_pools(const struct config *c, FILE *f)
{
	for (uint32_t pool = 0; c->is_apart && pool < 2; pool++) {
		size_t n = 0;
		fprintf(f, "; %s: ", pool_name[pool]);
		for (size_t i = 0; i < c->cfg.n; i++) {
			const struct ini_item *t = &c->cfg.item[i];
			if (!strcmp(t->section, engine_pool_section[pool]) &&
			    strncmp(t->key, "hardware.", 9) != 0)
				write_setting(f, t->key, t->value, n++);
		}
		if (n == 0)
			fputs("the same", f);
	}
}

/* Writes the engine settings, and those of single arms. */
static void write_engine(const struct config *c, size_t n_arms, FILE *f)
{
	struct engine_defaults defaults;
	const sc_preset *preset = preset_of(c, &defaults);
	size_t n = 0;
	struct text t;
	FILE *m = text_begin(&t);
	if (!m)
		return;
	const char *doubt = engine_scheduler_doubt(
	    (enum engine_scheduler)c->engine_keys.scheduler);
	n = changes(engine_of(c), preset, text_change, m);
	fclose(m);
	fprintf(f, "%s%s%s%s%s%s", preset ? preset->name : "defaults",
		doubt ? " (" : "", doubt ? doubt : "", doubt ? ")" : "",
		n ? ", but " : "", t.s);
	free(t.s);
	write_pools(c, f);
	for (size_t i = 0; i < n_arms; i++) {
		const struct place place[] = {{c->arm[i].section, "engine."}};
		struct section base = engine_of(c);
		/* A preset of its own has other values beneath its keys. */
		if (ini_find_behind(&c->cfg, place->section, place->prefix,
				    "preset"))
			base.block = NULL;
		char *own = overrides_text(c, place, 1, &base);
		if (own && *own)
			fprintf(f, "; in %s %s", c->arm[i].name, own);
		free(own);
	}
}

char *simulated_part(const struct config *c, size_t n_arms,
		     enum simulated_part part)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	switch (part) {
	case SIMULATED_MODEL:
		write_model(c, f);
		break;
	case SIMULATED_GPU:
		write_gpus(c, n_arms, f);
		break;
	case SIMULATED_ENGINE:
		write_engine(c, n_arms, f);
		break;
	case SIMULATED_OUTSIDE:
		fclose(f);
		free(t.s);
		return outside_text(c, n_arms, 1);
	default:
		changes(workload_of(c), NULL, text_change, f);
	}
	return text_end(&t);
}

/* ---- all of it ---- */

void simulated_facts(const struct config *c, size_t n_arms, struct document *d)
{
	for (int i = 0; i < N_SIMULATED; i++)
		document_own(d, DOCUMENT_FACT, simulated_label[i],
			     simulated_part(c, n_arms, (enum simulated_part)i));
}

/* Returns the common text of a part; the caller frees it.  NULL: the
 * configurations differ. */
static char *common_part(const struct config *const *c, size_t n,
			 enum simulated_part part)
{
	char *first = simulated_part(c[0], c[0]->n_arms, part);
	for (size_t i = 1; first && i < n; i++) {
		char *other = simulated_part(c[i], c[i]->n_arms, part);
		if (!other || strcmp(first, other) != 0) {
			free(first);
			first = NULL;
		}
		free(other);
	}
	return first;
}

void simulated_facts_of(const struct config *const *c, const char *const *name,
			size_t n, struct document *d)
{
	for (int k = 0; k < N_SIMULATED; k++) {
		enum simulated_part part = (enum simulated_part)k;
		char *text = common_part(c, n, part);
		for (size_t i = 0; !text && i < n; i++) {
			char *own = simulated_part(c[i], c[i]->n_arms, part);
			char *line = NULL;
			if (own && asprintf(&line, "%s: %s", name[i], own) < 0)
				line = NULL;
			document_own(d, DOCUMENT_FACT, simulated_label[k],
				     line);
			free(own);
		}
		if (text)
			document_own(d, DOCUMENT_FACT, simulated_label[k],
				     text);
	}
}

static void json_model(const struct config *c, struct jw *j)
{
	const sc_model *m = &c->model.view;
	struct text t = {0};
	FILE *f = m->n_groups ? text_begin(&t) : NULL;
	if (f) {
		write_formats(m, f);
		fclose(f);
	}
	jw_text(j, "model", f ? c->model.name : NULL);
	jw_text(j, "weight_format", t.s);
	jw_text(j, "kv_format", f ? kv_format_of(c) : NULL);
	free(t.s);
}

static void json_gpus(const struct config *c, size_t n_arms, uint32_t pool,
		      struct jw *j)
{
	jw_flat_object(j, "gpu");
	for (size_t i = 0; i < n_arms; i++) {
		char *text = text_of(write_gpu_of, c, i, pool);
		jw_text(j, c->arm[i].name, text);
		free(text);
	}
	jw_end(j);
}

/* A number; where arms differ, that of the first, and one for each arm. */
static void json_counts(const struct config *c, size_t n_arms, struct jw *j)
{
	int same = 1;
	for (size_t i = 1; i < n_arms; i++)
		same &= config_arm_gpus(c, i) == config_arm_gpus(c, 0);
	jw_uint(j, "gpus", config_arm_gpus(c, 0));
	if (same)
		return;
	jw_flat_object(j, "gpus_of_arm");
	for (size_t i = 0; i < n_arms; i++)
		jw_uint(j, c->arm[i].name, config_arm_gpus(c, i));
	jw_end(j);
}

static void json_split(const struct config *c, const struct engine_keys *k,
		       struct jw *j)
{
	jw_uint(j, "tensor_parallel_size", (uint64_t)k->tensor_parallel_size);
	jw_uint(j, "pipeline_parallel_size",
		(uint64_t)k->pipeline_parallel_size);
	jw_uint(j, "data_parallel_size", (uint64_t)k->data_parallel_size);
	jw_uint(j, "expert_parallel_size", parallel_of(k, &c->model).ep);
	jw_uint(j, "replicas", (uint64_t)k->replicas);
}

static void json_pools(const struct config *c, size_t n_arms, struct jw *j)
{
	if (!c->is_apart)
		return;
	jw_object(j, "pools");
	for (uint32_t pool = 0; pool < 2; pool++) {
		const struct engine_keys *k = &c->pool_keys[pool];
		jw_object(j, pool_name[pool]);
		jw_uint(j, "gpus", engine_gpus(k));
		json_gpus(c, n_arms, pool, j);
		json_split(c, k, j);
		jw_end(j);
	}
	jw_end(j);
}

void simulated_json(const struct config *c, size_t n_arms, struct jw *j)
{
	struct engine_defaults defaults;
	const sc_preset *preset = preset_of(c, &defaults);
	jw_object(j, "simulated");
	json_model(c, j);
	json_counts(c, n_arms, j);
	json_gpus(c, n_arms, 0, j);
	json_split(c, &c->engine_keys, j);
	json_pools(c, n_arms, j);
	jw_text(j, "sampling", sampling_of(c));
	jw_text(j, "engine_preset", preset ? preset->name : NULL);
	jw_flat_object(j, "engine");
	changes(engine_of(c), preset, json_change, j);
	jw_end(j);
	outside_json(c, n_arms, j);
	jw_flat_object(j, "workload");
	changes(workload_of(c), NULL, json_change, j);
	jw_end(j);
	jw_end(j);
}
