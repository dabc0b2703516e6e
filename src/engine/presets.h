/* engine/presets.h -- what an engine of a version does where the keys say
 * nothing.
 *
 * A scheduler other than vLLM's is a preset, too.  Without a preset the
 * defaults are the program's own, and those of the rules that only a preset
 * changes are vLLM 0.15's.  [any thread] */
#ifndef SC_ENGINE_PRESETS_H
#define SC_ENGINE_PRESETS_H
#include "engine/choices.h"

enum {
	ENGINE_N_PRESETS = PRESET_TENSORRT_LLM + 1
}; /* PRESET_NONE among them */

/* What the preset sets; NULL: there is none, PRESET_NONE. */
const sc_preset *engine_preset(enum engine_preset preset);
/* Whose rules form the steps under it. */
enum engine_scheduler engine_preset_scheduler(enum engine_preset preset);
/* The preset of a scheduler that has one alone; of vLLM PRESET_NONE. */
enum engine_preset engine_scheduler_preset(enum engine_scheduler s);
/* How far that scheduler's rules were checked: "read, not run"; NULL: they were
 * run against the engine's own. */
const char *engine_scheduler_doubt(enum engine_scheduler s);
#endif
