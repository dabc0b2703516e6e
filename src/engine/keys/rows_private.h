/* engine/keys/rows_private.h -- what the table of the keys of [engine] is
 * written with; for engine/keys/rows.c alone.
 *
 *	INT(key, default, least, most, unit, help, presets, into, more...)
 *
 * key: the field of struct engine_keys.  presets: those that read it, PLAIN |
 * VLLM.  into: COPIED(), MADE(), SAME_AS(), OPPOSITE_OF() or READ_BY_ARM().
 * more: NEUTRAL(), WITHOUT(), RARE, CALLED(), where they apply. */
#pragma once
#include "engine/engine.h"
#include "engine/keys/rows.h"
#include "keys/keys.h"

#define AT(field_) (((struct engine_keys *)0)->field_)
/* The place of the key's field, which has that type, or the build fails. */
#define PLACE(field_, type_)                                                   \
	(uint32_t) _Generic(AT(field_), type_                                  \
			    : offsetof(struct engine_keys, field_))
#define ROW(kind_, type_, field_, def_, min_, max_, unit_, choices_, help_,    \
	    by_, ...)                                                          \
	&((const struct engine_row){.knob = {.size = sizeof(sc_knob),          \
					     .type = (kind_),                  \
					     .offset = PLACE(field_, type_),   \
					     .name = #field_,                  \
					     .def = (def_),                    \
					     .min = (min_),                    \
					     .max = (max_),                    \
					     .unit = (unit_),                  \
					     .help = (help_),                  \
					     .choices = (choices_)},           \
				    .obeyed_by = (by_),                        \
				    __VA_ARGS__})                              \
	     .knob
#define INT(field, def, min, max, unit, help, by, ...)                         \
	ROW(SC_KNOB_INT, int64_t, field, def, min, max, unit, NULL, help, by,  \
	    __VA_ARGS__)
#define DOUBLE(field, def, min, max, unit, help, by, ...)                      \
	ROW(SC_KNOB_DOUBLE, double, field, def, min, max, unit, NULL, help,    \
	    by, __VA_ARGS__)
#define BOOL(field, def, help, by, ...)                                        \
	ROW(SC_KNOB_BOOL, int64_t, field, def, 0, 1, "1", NULL, help, by,      \
	    __VA_ARGS__)
#define CHOICE(field, def, words, help, by, ...)                               \
	ROW(SC_KNOB_CHOICE, int64_t, field, def, 0, 0, "1", words, help, by,   \
	    __VA_ARGS__)
#define TEXT(field, def, help, by, ...)                                        \
	ROW(SC_KNOB_TEXT, const char *, field, def, 0, 0, "", NULL, help, by,  \
	    __VA_ARGS__)

/* Sets of presets that read a key. */
#define PLAIN ENGINE_PLAIN
#define VLLM ENGINE_VLLM
#define VLLM_2026_07 ENGINE_BY(PRESET_VLLM_2026_07)
#define SINCE_VLLM_024 (ENGINE_BY(PRESET_VLLM_024) | VLLM_2026_07)
#define SGLANG ENGINE_SGLANG
#define SGLANG_2026 ENGINE_SGLANG_2026
#define TRTLLM ENGINE_TRTLLM
#define ANY_PRESET ENGINE_ANY_PRESET
#define ANY ENGINE_ANY
/* The key's field of struct engine: copied from the value, or made by
 * engine/resolve.c. */
#define FIELD(field_) (((struct engine *)0)->field_)
#define PLACED(field_)                                                         \
	.field = offsetof(struct engine, field_),                              \
	.field_bytes = sizeof FIELD(field_)
#define COPIED(field_, effect_)                                                \
	PLACED(field_), .effect = EFFECT_##effect_,                            \
			.into = _Generic(FIELD(field_), uint32_t               \
					 : INTO_UINT32, uint64_t               \
					 : INTO_UINT64, int64_t                \
					 : INTO_NS, double                     \
					 : INTO_DOUBLE, const char *           \
					 : INTO_TEXT)
#define MADE(field_) PLACED(field_), .into = INTO_MADE
/* The key has no field: arm/ reads it. */
#define READ_BY_ARM(effect_) .effect = EFFECT_##effect_
/* The value is that of another key of the same type, or its opposite. */
#define SAME_AS(key_)                                                          \
	.alias = ALIAS_SAME, .alias_of = offsetof(struct engine_keys, key_)
#define OPPOSITE_OF(key_)                                                      \
	.alias = ALIAS_OPPOSITE, .alias_of = PLACE(key_, int64_t)
#define NEUTRAL(value_) .neutral = (value_)
#define WITHOUT(why_) .without = (why_)
#define RARE .is_rare = 1
#define WHEN(when_) .knob.when = (when_)
#define CALLED(vllm_, sglang_, trtllm_) .called = {vllm_, sglang_, trtllm_}
/* What happens without a preset, where a key needs one. */
#define OWN_SIZES "the sizes of a step have defaults of their own"
#define WINDOWS "windows keep every token"
#define STATES "states take no memory"
#define CHUNKS "a request is admitted where its first chunk has room"
#define DEALS "the cost model divides a step among the ranks"
#define NO_DRAFTS "no tokens are drafted"
#define ONE_STEP "a step passes all stages as one"
#define WAITS "the engine waits for a batch with nothing in it"
#define NO_ADAPTERS "no request has an adapter"
#define NO_ITEMS "no request has pictures or sound"
#define ON_GPU "KV is on the GPU alone"
#define WHOLE_KV "each rank keeps the KV of every token"
#define NO_TIMES "requests take no time outside of steps, unless it is given"
#define PUSHED "a prompt's KV cache is sent when the prompt is done"

#define DRAFTS "num_speculative_tokens>0"
#define ADAPTERS "enable_lora=true"
#define APART "prefill_replicas>0 ; pools=together"
#define OFFLOADED "kv_offloading_size>0 ; cpu_bytes_to_use>0"
