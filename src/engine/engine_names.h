/* engine/engine_names.h -- what serving engines call the keys of [engine]: for
 * the reference, and for who types another engine's name.  [any thread] */
#ifndef SC_ENGINE_ENGINE_NAMES_H
#define SC_ENGINE_ENGINE_NAMES_H

/* As on their command lines, or in their configuration, without dashes; NULL:
 * the engine has nothing like it. */
struct engine_name {
	const char *key, *vllm, *sglang, *tensorrt_llm;
};
/* NULL: no engine has anything like it. */
const struct engine_name *engine_name_of(const char *key);
/* What that scheduler calls the key of vLLM; NULL: nothing like it. */
const char *engine_name_by(const char *scheduler, const char *key);
/* The key that stands for what was typed, "--max-running-requests" or
 * "max_running_requests"; NULL: none. */
const char *engine_name_key(const char *typed);
#endif
