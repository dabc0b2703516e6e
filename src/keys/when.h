/* keys/when.h -- when a key has an effect, by the values of other keys of its
 * table: the text in sc_knob.when, for knobs of plugins and for the host's own
 * keys.
 *
 *   when  = group ; group ...     one that holds suffices
 *   group = term & term ...       all must hold
 *   term  = KEY=VALUE|VALUE ... , KEY>NUMBER, KEY<NUMBER
 *
 *   "memory=hybrid & kv_bw_gain>0"   "memory=single ; gemm_memory_floor=true"
 *
 * A value is compared as a number where both sides are numbers, else as text.
 * One with `*` is a pattern of fnmatch(), which no empty text matches. */
#pragma once
#include "base/ini.h"
#include "base/problem.h"
#include "stepcost/plugin.h"

/* A table of keys and a block that it filled. */
struct when_of {
	const sc_knob *const *knob;
	uint32_t n;
	const void *block;
};

/* Returns 1 if the condition holds, else 0.  NULL always holds; a key that the
 * table does not have never does. */
int when_holds(const char *when, const struct when_of *of);
/* Checks grammar, keys and words, without values.  Returns 0, or -1 with the
 * fault in *p. */
int when_check(const char *when, const sc_knob *const *knob, uint32_t n,
	       struct problem *p);

/* Returns 1 if the condition has a term of that key. */
int when_asks(const char *when, const char *key);

enum { WHEN_STATE = 300 };
/* Writes the values of the keys that the condition asks for, "memory = hybrid
 * and gemm_memory_floor = false". */
void when_state(char text[WHEN_STATE], const char *when,
		const struct when_of *of);

/* Finds keys "PREFIXname" of [section] that are set and have no effect in the
 * block's state.  *i: the index to begin at, 0 at first; it is moved behind the
 * knob that is returned.  NULL: no more. */
const struct ini_item *when_inert(const struct when_of *of, const struct ini *c,
				  const char *section, const char *prefix,
				  uint32_t *i);
