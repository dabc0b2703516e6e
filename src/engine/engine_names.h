/* engine/engine_names.h -- what serving engines call the keys of [engine]: for
 * the reference, and for who types another engine's name.  [any thread] */
#pragma once
#include "engine/keys/rows.h"

/* What that scheduler calls the key of vLLM; NULL: nothing like it.  Of
 * scheduler = vllm the key itself. */
const char *engine_name_by(const char *scheduler, const char *key);
/* Returns the key for a typed name, "--max-running-requests" or
 * "max_running_requests", or NULL if there is none. */
const char *engine_name_key(const char *typed);
