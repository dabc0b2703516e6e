/* engine/refusals.h -- refuses a key that the chosen engine does not read, so
 * that no key is ignored in silence.
 *
 * In [engine], a key of another scheduler is meant for other arms if the arm
 * names a preset or a scheduler of its own.  A key that needs a preset, or that
 * has a neutral value, is refused there, too, because the engine would not do
 * as the key asks.
 * [any thread] */
#pragma once
#include <stddef.h>
#include "base/problem.h"
#include "engine/keys/rows.h"
#include "engine/keys/source.h"

/* Returns 0, or -1 with *p filled in (EXIT_USAGE): the place of a key that the
 * preset does not obey, and the presets that obey it. */
int engine_refuse_unread(enum engine_preset preset,
			 const struct engine_source *s, struct problem *p);
/* Returns 1 if that scheduler reads the key, under some preset or without
 * one. */
int engine_row_is_of(const struct engine_row *r, enum engine_scheduler s);
/* Writes "Only with scheduler = sglang." or "Only with a preset." to buf, or ""
 * if every engine reads the key.  Returns buf. */
const char *engine_row_scope(char *buf, size_t size,
			     const struct engine_row *r);
