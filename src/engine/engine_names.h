/* engine/engine_names.h -- what serving engines call the keys of [engine]: for
 * the reference, and for who types another engine's name.  [any thread] */
#ifndef SC_ENGINE_ENGINE_NAMES_H
#define SC_ENGINE_ENGINE_NAMES_H
#include "engine/rows.h"

/* NULL: no engine has anything like the key. */
const struct engine_names *engine_names_of(const char *key);
/* What that scheduler calls the key of vLLM; NULL: nothing like it.  Of
 * scheduler = vllm the key itself. */
const char *engine_name_by(const char *scheduler, const char *key);
/* The key that stands for what was typed, "--max-running-requests" or
 * "max_running_requests"; NULL: none. */
const char *engine_name_key(const char *typed);
#endif
