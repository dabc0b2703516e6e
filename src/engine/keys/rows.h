/* engine/keys/rows.h -- the keys of [engine] as data: a row has all that the
 * program knows of a key.
 *
 * The rows decide: the keys that are read from the INI, the copies into struct
 * engine (engine/resolve.h), the refusal of a key that the chosen engine does
 * not read (engine/refusals.h), the comparison of two engines
 * (engine/equal_schedules.h), results and documents.
 *
 * A row is a struct engine_row that begins with the key's sc_knob; engine_key[]
 * points to these knobs, so that it is a table for keys/keys.h, too.
 * [any thread]; constants. */
#pragma once
#include "engine/choices.h"
#include "engine/keys/engine_keys.h"

/* Sets of presets: a bit for each, PRESET_NONE among them. */
#define ENGINE_BY(preset) (1u << (preset))
#define ENGINE_PLAIN ENGINE_BY(PRESET_NONE)
#define ENGINE_VLLM                                                            \
	(ENGINE_BY(PRESET_VLLM_015) | ENGINE_BY(PRESET_VLLM_024) |             \
	 ENGINE_BY(PRESET_VLLM_2026_07))
#define ENGINE_SGLANG_2026                                                     \
	(ENGINE_BY(PRESET_SGLANG_2026_07) | ENGINE_BY(PRESET_SGLANG_2026_08) | \
	 ENGINE_BY(PRESET_SGLANG))
#define ENGINE_SGLANG (ENGINE_BY(PRESET_SGLANG_056) | ENGINE_SGLANG_2026)
#define ENGINE_TRTLLM                                                          \
	(ENGINE_BY(PRESET_TENSORRT_LLM_12) |                                   \
	 ENGINE_BY(PRESET_TENSORRT_LLM_13) | ENGINE_BY(PRESET_TENSORRT_LLM))
#define ENGINE_ANY_PRESET (ENGINE_VLLM | ENGINE_SGLANG | ENGINE_TRTLLM)
#define ENGINE_ANY (ENGINE_PLAIN | ENGINE_ANY_PRESET)

/* What another value changes. */
enum engine_effect {
	EFFECT_UNSAID,   /* no row that is whole                             */
	EFFECT_SCHEDULE, /* which requests are in which step, or when, also
			    where each step costs the same                   */
	EFFECT_PRICE,    /* what a step costs, and nothing else              */
	EFFECT_NOTHING,  /* of a run: it serves messages and reports         */
};

/* How the value gets into its field of struct engine. */
enum engine_into {
	INTO_NOTHING, /* there is no field: arm/ reads the key               */
	INTO_MADE,    /* engine/resolve.h makes the field of this key and
			 others; its effect is in engine/equal_schedules.c    */
	/* Copied, by the type of the field: uint32_t or an enum, uint64_t,
	 * int64_t ns from us, double, const char *. */
	INTO_UINT32,
	INTO_UINT64,
	INTO_NS,
	INTO_DOUBLE,
	INTO_TEXT,
};

/* Is the value that of another key, under the presets that obey this one? */
enum engine_alias { ALIAS_NONE, ALIAS_SAME, ALIAS_OPPOSITE };

/* What the engines call it: on their command lines or in their configuration,
 * without dashes; NULL: the engine has nothing like it. */
struct engine_names {
	const char *vllm, *sglang, *tensorrt_llm;
};

struct engine_row {
	sc_knob knob;       /* its name, type, default, range, unit, help    */
	uint32_t obeyed_by; /* the presets that read it: ENGINE_PLAIN | …    */
	enum engine_effect effect; /* EFFECT_UNSAID where INTO_MADE, or an
				      alias: see engine_row_effect()         */
	enum engine_into into;
	uint32_t field, field_bytes; /* of struct engine, unless INTO_NOTHING */
	enum engine_alias alias;
	uint32_t alias_of; /* the other key's place in struct engine_keys    */
	/* Where vLLM obeys it under its presets only: what happens without. */
	const char *without;
	/* The value that says what engines do which do not read the key: it may
	 * be given to them.  NULL: none does. */
	const char *neutral;
	/* Results have it only where tokens are drafted, or a pipeline has
	 * stages. */
	int is_rare;
	struct engine_names called;
};

extern const sc_knob *const engine_key[];
extern const uint32_t engine_n_keys;

/* The row that a knob of engine_key[] is in. */
static inline const struct engine_row *engine_row_of(const sc_knob *k)
{
	return (const struct engine_row *)(const void *)k;
}
static inline const struct engine_row *engine_row(uint32_t i)
{
	return engine_row_of(engine_key[i]);
}
static inline int engine_row_is_obeyed(const struct engine_row *r,
				       enum engine_preset preset)
{
	return (r->obeyed_by & ENGINE_BY(preset)) != 0;
}
/* NULL: there is no such key. */
const struct engine_row *engine_row_named(const char *name);
/* The row of the field at that place of struct engine_keys; NULL: none. */
const struct engine_row *engine_row_at(uint32_t place);
