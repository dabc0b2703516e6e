/* engine/front_ends.h -- the times that requests take outside of steps, by
 * preset, as they were fitted to published runs: in front of the engine and
 * behind it, and from prefill to decode replicas.
 *
 * They are in force with front_end = measured, and belong to presets: without
 * one there are none.  The times of a handover have the front ends of both
 * pools in them.  [any thread]; constants. */
#pragma once
#include "engine/choices.h"

enum { ENGINE_DEFAULTS = 80 }; /* names and values, and NULL */
/* What a preset sets, with the times that are in force. */
struct engine_defaults {
	sc_preset preset;
	const char *value[ENGINE_DEFAULTS];
};
/* Fills in *to.  is_apart: prefill and decode are.  Returns its preset; NULL
 * for PRESET_NONE. */
const sc_preset *engine_defaults(struct engine_defaults *to,
				 enum engine_preset preset, enum front_end is,
				 int is_apart);
/* Returns the runs that the times were fitted to; NULL for PRESET_NONE. */
const char *engine_front_end_source(enum engine_preset preset, int is_apart);
