/* engine/presets.h -- the defaults of an engine's version, for keys that are
 * not given.
 *
 * A scheduler other than vLLM's is a preset, too.  Without a preset the
 * defaults are the program's own, and those of the rules that only a preset
 * changes are vLLM 0.15's.  [any thread] */
#pragma once
#include "engine/choices.h"

enum {
	ENGINE_N_PRESETS = PRESET_TENSORRT_LLM + 1
}; /* PRESET_NONE among them */

/* Returns the settings of the preset; NULL for PRESET_NONE. */
const sc_preset *engine_preset(enum engine_preset preset);
/* Returns the scheduler that forms the steps under the preset. */
enum engine_scheduler engine_preset_scheduler(enum engine_preset preset);
/* Returns the name of that scheduler; a scheduler's name stands for itself. */
const char *engine_scheduler_of(const char *preset);
/* Returns the preset of a scheduler with only one; PRESET_NONE for vLLM. */
enum engine_preset engine_scheduler_preset(enum engine_scheduler s);
/* Returns which of that scheduler's rules were read alone, for example "its KV
 * cache read, not run"; NULL: all were run against the engine's own. */
const char *engine_scheduler_doubt(enum engine_scheduler s);

/* A preset stands for releases around the one that it was made of, as
 * etc/measured.ini takes them. */
struct engine_release {
	enum engine_preset preset;
	const char *releases; /* "0.20 to 0.25" */
};
/* Returns the preset for a release, "vllm-0.20" or "sglang-0.5.4", or NULL: it
 * names no engine or no number. */
const struct engine_release *engine_preset_of_release(const char *release);
