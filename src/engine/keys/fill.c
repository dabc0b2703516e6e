/* fill.c -- Fills struct engine_keys from an INI. */
#include "engine/keys/fill.h"
#include <string.h>
#include "engine/front_ends.h"
#include "engine/keys/rows.h"
#include "engine/presets.h"
#include "engine/refusals.h"
#include "keys/keys.h"

static int fill(struct engine_keys *k, const struct engine_source *s,
		const sc_knob *const *key, uint32_t n, const sc_preset *preset,
		struct problem *p)
{
	if (knobs_fill(k, key, n, preset, s->ini, "engine", "", p) < 0)
		return -1;
	if (s->pool && knobs_overlay(k, key, n, s->ini, s->pool, "", p) < 0)
		return -1;
	return s->arm ? knobs_overlay(k, key, n, s->ini, s->arm, "engine.", p)
		      : 0;
}

/* Preset and scheduler are one engine: the one that is named nearer. */
static int settle_preset(struct engine_keys *k, const struct engine_source *s,
			 struct problem *p)
{
	const struct ini_item *preset = engine_key_item(s, "preset");
	const struct ini_item *scheduler = engine_key_item(s, "scheduler");
	const enum engine_scheduler asked = (enum engine_scheduler)k->scheduler;
	int is_nearer =
	    engine_is_of_arm(s, preset) && !engine_is_of_arm(s, scheduler);
	if (!scheduler || is_nearer ||
	    engine_preset_scheduler((enum engine_preset)k->preset) == asked)
		return 0;
	if (preset && k->preset != PRESET_NONE &&
	    engine_is_of_arm(s, preset) == engine_is_of_arm(s, scheduler))
		return problem_set(p, EXIT_USAGE,
				   "%s: scheduler = %s contradicts preset = %s",
				   scheduler->at, engine_scheduler_words[asked],
				   engine_preset_words[k->preset]);
	k->preset = engine_scheduler_preset(asked);
	return 0;
}

/* ---- times outside of steps ---- */

/* Fills in all keys: under the preset, with the times that are in force. */
static int fill_all(struct engine_keys *k, const struct engine_source *s,
		    enum engine_preset chosen, struct problem *p)
{
	const sc_knob *const first[] = {
	    &engine_row_named("front_end")->knob,
	    &engine_row_named("prefill_replicas")->knob};
	struct engine_defaults with;
	if (fill(k, s, first, 2, engine_preset(chosen), p) < 0)
		return -1;
	int is_apart = s->pool || s->is_part || k->prefill_replicas > 0;
	return fill(k, s, engine_key, engine_n_keys,
		    engine_defaults(&with, chosen, (enum front_end)k->front_end,
				    is_apart),
		    p);
}

/* ---- keys of other engines ---- */

/* Sets the keys that this engine does not read back to their defaults: they are
 * in [engine] for other arms. */
static int forget_unread(struct engine_keys *k, struct problem *p)
{
	for (uint32_t i = 0; i < engine_n_keys; i++)
		if (!engine_row_is_obeyed(engine_row(i),
					  (enum engine_preset)k->preset) &&
		    knobs_fill(k, &engine_key[i], 1, NULL, NULL, "engine", "",
			       p) < 0)
			return -1;
	return 0;
}

static void adopt(struct engine_keys *k, const struct engine_row *r)
{
	const char *from = (const char *)k + r->knob.offset;
	char *to = (char *)k + r->alias_of;
	int64_t opposite;
	memcpy(&opposite, from, sizeof opposite);
	opposite = !opposite;
	memcpy(to, r->alias == ALIAS_SAME ? from : (const char *)&opposite,
	       sizeof opposite);
}

void engine_keys_adopt(struct engine_keys *k)
{
	int64_t chunk = k->chunked_prefill_size;
	for (uint32_t i = 0; i < engine_n_keys; i++) {
		const struct engine_row *r = engine_row(i);
		if (r->alias &&
		    engine_row_is_obeyed(r, (enum engine_preset)k->preset))
			adopt(k, r);
	}
	if (k->scheduler != SCHEDULER_SGLANG)
		return;
	k->max_num_seqs =
	    k->max_running_requests ? k->max_running_requests : 4096;
	k->max_num_batched_tokens = chunk > 0 ? chunk : k->max_prefill_tokens;
}

/* Says which preset stands for a release that has none of its own. */
static int check_release(const struct engine_source *s, struct problem *p)
{
	const struct ini_item *item = engine_key_item(s, "preset");
	const struct engine_release *near =
	    item ? engine_preset_of_release(item->value) : NULL;
	for (int i = 0; near && i < ENGINE_N_PRESETS; i++)
		if (!strcmp(item->value, engine_preset_words[i]))
			near = NULL;
	if (!near)
		return 0;
	const char *word = engine_preset_words[near->preset];
	return problem_set(p, EXIT_USAGE,
			   "%s: preset = %s: this release has no preset; %s "
			   "stands for %s",
			   item->at, item->value, word, near->releases);
}

/* ---- all of them ---- */

int engine_keys_fill(struct engine_keys *k, const struct engine_source *s,
		     struct problem *p)
{
	const sc_knob *const first[] = {&engine_row_named("preset")->knob,
					&engine_row_named("scheduler")->knob};
	if (check_release(s, p) < 0 || fill(k, s, first, 2, NULL, p) < 0 ||
	    settle_preset(k, s, p) < 0)
		return -1;
	const enum engine_preset chosen = (enum engine_preset)k->preset;
	if (engine_refuse_unread(chosen, s, p) < 0 ||
	    fill_all(k, s, chosen, p) < 0)
		return -1;
	k->preset = chosen;
	k->scheduler = engine_preset_scheduler(chosen);
	if (!s->is_part && forget_unread(k, p) < 0)
		return -1;
	engine_keys_adopt(k);
	if (fleet_keys_fill(&k->autoscaler, &k->failures, s->ini, p) < 0)
		return -1;
	return router_keys_fill(&k->router, (enum routing)k->routing, s, p);
}

void engine_keys_write(struct jw *j, const struct engine_keys *k)
{
	int has_rare =
	    k->preset != PRESET_NONE &&
	    (k->num_speculative_tokens || k->pipeline_parallel_size > 1);
	for (uint32_t i = 0; i < engine_n_keys; i++)
		if (has_rare || !engine_row(i)->is_rare)
			knobs_write(j, k, &engine_key[i], 1);
}

void engine_router_write(struct jw *j, const char *name,
			 const struct engine_keys *k)
{
	router_keys_write(j, name, (enum routing)k->routing, &k->router);
}

void engine_fleet_write(struct jw *j, const struct engine_keys *k)
{
	fleet_keys_write(j, &k->autoscaler, &k->failures);
}
