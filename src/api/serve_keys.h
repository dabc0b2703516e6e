/* api/serve_keys.h -- the keys of [serve]: how a live server listens, answers
 * and protects itself.  Texts live as long as the INI. */
#pragma once
#include "stepcost/plugin.h"

struct serve_keys {
	const char *listen, *output_tokens, *served_model_name, *lora_modules;
	const char *api_key_file, *faults, *pod, *startup_s, *tokens;
	const char *kv_events, *kv_replay, *kv_topic, *hash_seed;
	double speed, request_seconds, idle_seconds, drain_s;
	int64_t seed, max_connections, max_waiting, max_header, max_body;
	int64_t max_bodies, send_buffer, max_prompts, max_n, json_depth;
	int64_t max_requests, max_open_tokens;
	int64_t prompt_tokens_details, dev, runtime_lora, kv_events_bind;
	int64_t image_tokens;
	int64_t answer, eos, ports, kv_events_form, kv_hashes;
};
enum { PORTS_ONE, PORTS_EACH };
enum { ANSWER_WORDS, ANSWER_ECHO };
enum { EOS_UNLIMITED, EOS_DRAWN };
extern const sc_knob *const serve_key[];
extern const uint32_t serve_n_keys;
