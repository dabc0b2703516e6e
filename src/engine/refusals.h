/* engine/refusals.h -- whose key it is: a key that the chosen engine does not
 * read is refused, and nothing that is given is left out in silence.
 *
 * In [engine], a key of another scheduler is that of other arms where the arm
 * names a preset or a scheduler of its own.  A key that needs a preset, or that
 * has a neutral value, is refused there, too: what it asks for is not done.
 * [any thread] */
#ifndef SC_ENGINE_REFUSALS_H
#define SC_ENGINE_REFUSALS_H
#include <stddef.h>
#include "base/problem.h"
#include "engine/rows.h"
#include "engine/source.h"

/* 0, or -1 with EXIT_USAGE, the place of a key that the preset does not obey,
 * and who obeys it. */
int engine_refuse_unread(enum engine_preset preset,
			 const struct engine_source *s, struct problem *p);
/* Does that scheduler read the key, under some preset or without one? */
int engine_row_is_of(const struct engine_row *r, enum engine_scheduler s);
/* "Only with scheduler = sglang.", "Only with a preset."; "": every engine
 * reads the key.  Returns buf. */
const char *engine_row_scope(char *buf, size_t size,
			     const struct engine_row *r);
#endif
