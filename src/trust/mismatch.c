/* mismatch.c -- Compares the keys of a run with those of scored runs. */
#include "trust/mismatch.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/equal_schedules.h"
#include "engine/engine.h"
#include "engine/keys/defaults.h"
#include "engine/keys/fill.h"
#include "engine/keys/rows.h"
#include "engine/presets.h"
#include "keys/keys.h"
#include "keys/known_gpus.h"

static void add(char text[MISMATCH_TEXT], const char *key, const char *value,
		const char *known)
{
	size_t n = strlen(text);
	snprintf(text + n, MISMATCH_TEXT - n, "%s%s %s (%s)", n ? ", " : "",
		 key, value, known);
}

/* ---- the GPU ---- */

static int is_of_family(void *user, const char *gpu)
{
	char family[PLACE_FAMILY];
	return !strcmp(place_family(family, gpu), user);
}

/* These do not change how long a step takes. */
static int is_free(const char *key)
{
	static const char *const name[] = {
	    "usd_per_hour", "tdp_watts", "power_limit_w",
	    "power_a",      "power_b",   "power_p",
	    "power_c",      "power_q",   "idle_w",
	    "usd_per_kwh",  "pue"};
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (!strcmp(key, name[i]))
			return 1;
	return 0;
}

static void compare_number(char text[MISMATCH_TEXT], const struct hardware *is,
			   const struct hardware *file, uint32_t key,
			   uint32_t format, const struct known_range *known)
{
	const sc_knob *k = hardware_key[key];
	const struct ini_item *t = ini_find(&is->from, "hardware", k->name);
	double v = hardware_value(is, key, format);
	double was = hardware_value(file, key, format);
	char range[80];
	if (!t || isnan(v) || !strcmp(t->value, "0") || is_free(k->name))
		return;
	if (fabs(v - was) > 1e-9 * v) {
		int n =
		    snprintf(range, sizeof range, "%s: %.6g", file->name, was);
		if (known->most > 0)
			snprintf(range + n, sizeof range - (size_t)n,
				 "; such GPUs: %.6g to %.6g", known->least,
				 known->most);
	} else if (known->most > 0 && (v < known->least || v > known->most)) {
		snprintf(range, sizeof range, "such GPUs: %.6g to %.6g",
			 known->least, known->most);
	} else {
		return;
	}
	add(text, k->name, t->value, range);
}

/* Returns 0, or -1 if the GPU is not known. */
static int compare_gpu(char text[MISMATCH_TEXT], const struct config *c,
		       size_t i, struct hardware *is)
{
	const char *pool = config_pool(c, i, 0), *arm = c->arm[i].section;
	uint32_t format = c->model.view.compute_format;
	char family[PLACE_FAMILY];
	struct hardware file = {0};
	struct problem unused;
	struct known_range *known = calloc(hardware_n_keys, sizeof *known);
	int rc =
	    known && hardware_load(is, &c->cfg, pool, arm, format, &unused) == 0
		? 0
		: -1;
	if (rc == 0 &&
	    hardware_load_file(&file, &c->cfg, pool, arm, format, &unused) ==
		0 &&
	    file.from.n) {
		place_family(family, is->name);
		known_ranges(known, format, is_of_family, family);
		for (uint32_t k = 0; k < hardware_n_keys; k++)
			compare_number(text, is, &file, k, format, &known[k]);
	}
	hardware_free(&file);
	free(known);
	return rc;
}

/* ---- the model ---- */

/* The longest request that the model takes does not change its steps. */
static const char no_cost[] = "max_position_embeddings";

static void compare_model(char text[MISMATCH_TEXT], const struct config *c)
{
	const struct ini_item *config = ini_find(&c->cfg, "model", "config");
	struct model file;
	struct problem unused;
	if (!config || !config->value[0])
		return;
	int rc = model_load_config(&file, &c->cfg, config, &unused);
	for (size_t i = 0; rc == 0 && i < c->cfg.n; i++) {
		const struct ini_item *t = &c->cfg.item[i];
		const sc_knob *k =
		    strcmp(t->section, "model") || t == config
			? NULL
			: knob_named(model_key, model_n_keys, t->key);
		char is[32], was[32], known[100];
		if (!k || !strcmp(k->name, no_cost))
			continue;
		const char *now = knob_text(is, k, &c->model.keys);
		const char *before = knob_text(was, k, &file.keys);
		if (!strcmp(now, before))
			continue;
		snprintf(known, sizeof known, "%s: %.40s", file.name, before);
		add(text, t->key, now, known);
	}
	model_free(&file);
}

/* ---- the engine ---- */

/* Returns the row that the key's value goes to. */
static const struct engine_row *meant(const struct engine_row *r)
{
	return r->alias ? engine_row_at(r->alias_of) : r;
}

/* Returns 1 if a scored run is only like others with the same value.  A place
 * has the split, the engine, its drafts and its load; memory, prices and the
 * number of replicas do not change the error of a step. */
static int is_compared(const struct engine_row *r)
{
	static const uint32_t others[] = {
	    offsetof(struct engine, parallel),
	    offsetof(struct engine, preset),
	    offsetof(struct engine, scheduler),
	    offsetof(struct engine, speculation),
	    offsetof(struct engine, num_gpu_blocks),
	    offsetof(struct engine, max_model_len),
	    offsetof(struct engine, replicas),
	    offsetof(struct engine, routing)};
	const struct engine_names *n = &meant(r)->called;
	const struct engine_names *own = &r->called;
	int is_flag = n->vllm || n->sglang || n->tensorrt_llm || own->vllm ||
		      own->sglang || own->tensorrt_llm;
	/* The format changes how many blocks there are, and what attention
	 * reads. */
	if (!strcmp(r->knob.name, "kv_cache_dtype"))
		return 1;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (meant(r)->field == others[i])
			return 0;
	return is_flag && engine_row_effect(r) != EFFECT_NOTHING;
}

/* The values of a key that scored runs had. */
struct had {
	const struct engine_row *row;
	double least, most; /* of numbers */
	char words[100];    /* of others */
};

static int is_number(const struct engine_row *r)
{
	return r->knob.type == SC_KNOB_INT || r->knob.type == SC_KNOB_DOUBLE;
}

static void add_value(struct had *h, const char *value)
{
	double v = strtod(value, NULL);
	size_t n = strlen(h->words);
	if (is_number(h->row)) {
		h->least = fmin(h->least, v);
		h->most = fmax(h->most, v);
		return;
	}
	if (!strstr(h->words, value))
		snprintf(h->words + n, sizeof h->words - n, "%s%s",
			 n ? ", " : "", value);
}

/* Adds the defaults under every version of the scheduler. */
static void add_defaults(struct had *h, const struct engine_keys *own,
			 const struct engine_usage *usage)
{
	for (int i = 0; i < ENGINE_N_PRESETS; i++) {
		enum engine_preset preset = (enum engine_preset)i;
		struct ini only = {0};
		const struct engine_source from = {.ini = &only};
		struct engine_keys k;
		struct problem unused;
		char text[32];
		if (!engine_row_is_obeyed(h->row, preset) ||
		    engine_preset_scheduler(preset) !=
			(enum engine_scheduler)own->scheduler)
			continue;
		if (ini_put(&only, "engine", "preset", engine_preset_words[i],
			    "", &unused) == 0 &&
		    engine_keys_fill(&k, &from, &unused) == 0 &&
		    engine_keys_complete(&k, &from, usage, &unused) == 0)
			add_value(h, knob_text(text, &h->row->knob, &k));
		ini_free(&only);
	}
}

/* Adds what the rows tell of the key: "max_num_seqs=128;...". */
static void add_scored(struct had *h, const struct scored *s)
{
	const char *name = h->row->knob.name;
	size_t n = strlen(name);
	for (size_t i = 0; i < s->n; i++) {
		const char *at = s->row[i].engine_keys;
		for (; at && *at; at = strchr(at, ';'), at += at != NULL)
			if (!strncmp(at, name, n) && at[n] == '=') {
				char value[32];
				snprintf(value, sizeof value, "%.*s",
					 (int)strcspn(at + n + 1, ";"),
					 at + n + 1);
				add_value(h, value);
			}
	}
}

static void compare_key(char text[MISMATCH_TEXT], const struct engine_row *r,
			const struct engine_keys *own,
			const struct engine_usage *usage,
			const struct scored *s)
{
	struct had h = {.row = r, .least = INFINITY, .most = -INFINITY};
	char value[32], known[130];
	const char *is = knob_text(value, &r->knob, own);
	add_defaults(&h, own, usage);
	add_scored(&h, s);
	if (is_number(r)) {
		double v = strtod(is, NULL);
		if (v >= h.least && v <= h.most)
			return;
		if (h.least < h.most)
			snprintf(known, sizeof known, "scored: %.6g to %.6g",
				 h.least, h.most);
		else
			snprintf(known, sizeof known, "scored: %.6g", h.least);
	} else {
		if (strstr(h.words, is))
			return;
		snprintf(known, sizeof known, "scored: %s", h.words);
	}
	add(text, r->knob.name, is, known);
}

static void compare_engine(char text[MISMATCH_TEXT], const struct config *c,
			   size_t i, const struct hardware *gpu,
			   const struct scored *s)
{
	const struct engine_source from =
	    config_engine_source(c, i, config_pool(c, i, 0));
	const struct engine_usage usage = engine_usage_of(&c->model, gpu);
	struct engine_keys own;
	struct problem unused;
	if (engine_keys_fill(&own, &from, &unused) < 0)
		return;
	for (uint32_t k = 0; k < engine_n_keys; k++) {
		const struct engine_row *r = engine_row(k);
		if (engine_key_item(&from, r->knob.name) && is_compared(r) &&
		    engine_row_is_obeyed(r, (enum engine_preset)own.preset))
			compare_key(text, r, &own, &usage, s);
	}
}

const char *mismatch_scored(char text[MISMATCH_TEXT], const struct config *c,
			    size_t i, const struct scored *s)
{
	struct hardware gpu = {0};
	text[0] = '\0';
	if (s->n == 0)
		return text;
	if (compare_gpu(text, c, i, &gpu) == 0) {
		compare_model(text, c);
		compare_engine(text, c, i, &gpu, s);
	}
	hardware_free(&gpu);
	return text;
}
