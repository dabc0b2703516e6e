/* keys/arena_keys.h -- the keys of [arena]: what cost models are scored on.
 * Texts live as long as the INI. */
#pragma once
#include "base/ini.h"
#include "base/names.h"
#include "stepcost/plugin.h"

struct arena_keys {
	const char *sets, *runs, *arms, *baseline, *output;
	double margin; /* percent; below 0: not given */
};
extern const sc_knob *const arena_key[];
extern const uint32_t arena_n_keys;

/* Lists the files of a key, "sets" or "runs", which commas part.  A path is
 * relative to the file with the key; one that does not exist and begins with
 * bench_data/ is that file of the data folders.  Returns 0, or -1 if memory is
 * out. */
int arena_files(struct names *to, const struct ini *c, const char *key);
