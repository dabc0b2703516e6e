/* serve_keys.c -- Lists the keys of [serve]. */
#include "api/serve_keys.h"
#include "keys/keys.h"
#include "stepcost/knob.h"

static const char *const answers[] = {"words", "echo", NULL};
static const char *const ends[] = {"unlimited", "drawn", NULL};
static const char *const ports[] = {"one", "each", NULL};
static const char *const forms[] = {"map", "array", NULL};
static const char *const hashes[] = {"int", "bytes", NULL};

#define KEYS struct serve_keys
const sc_knob *const serve_key[] = {
    KEY_TEXT_OF(KEYS, listen, "127.0.0.1:8000",
		"HOST:PORT, [::1]:PORT or unix:PATH; port 0: any free one"),
    SC_CHOICE(KEYS, ports, "one", ports,
	      "all replicas behind one port, or replica i behind port + i"),
    SC_DOUBLE(KEYS, speed, "1", 1e-3, 1e6, "1",
	      "simulated seconds a second; clients see latencies divided by "
	      "it"),
    KEY_TEXT_OF(KEYS, tokens, "pieces",
		"how text becomes tokens: pieces of words, or chars:N, one for "
		"each N characters"),
    SC_INT(KEYS, image_tokens, "0", 0, 1000000, "tokens",
	   "of a picture or sound in a chat; 0: such requests are refused"),
    KEY_TEXT_OF(KEYS, output_tokens, "lognormal:p50=180,p95=800",
		"length of an answer without a limit in its request: a "
		"distribution as in [workload]"),
    SC_CHOICE(KEYS, answer, "words", answers,
	      "what answers say: English words, or the prompt's last text "
	      "again"),
    SC_CHOICE(KEYS, eos, "unlimited", ends,
	      "requests that end by themselves: those without a limit, or also "
	      "those with a higher one"),
    SC_INT(KEYS, seed, "0", 0, 9e15, "1", "of texts, drawn lengths and faults"),
    KEY_TEXT_OF(KEYS, served_model_name, "",
		"names of the model, comma between; empty: the configuration's "
		"name"),
    KEY_TEXT_OF(KEYS, lora_modules, "",
		"names of adapters, comma between; needs "
		"engine.enable_lora = true"),
    SC_BOOL(KEYS, runtime_lora, "false",
	    "allows /v1/load_lora_adapter and /v1/unload_lora_adapter; needs "
	    "engine.enable_lora = true"),
    KEY_TEXT_OF(KEYS, api_key_file, "",
		"file with keys, one a line; empty: requests need none"),
    KEY_TEXT_OF(
	KEYS, faults, "",
	"shares of requests that fail: 429=0.01,cut:3=0.005,stall:2=0.01"
	",reset=…"),
    KEY_TEXT_OF(KEYS, pod, "", "name of the pod, in x-inference-pod"),
    KEY_TEXT_OF(KEYS, startup_s, "0",
		"simulated seconds from the start until requests are served; "
		"auto: as [autoscaler] gives a new replica"),
    KEY_TEXT_OF(KEYS, kv_events, "",
		"where events of the KV cache are sent, as vLLM does: "
		"tcp://HOST:PORT; replica i has PORT + i; empty: nowhere"),
    SC_BOOL(KEYS, kv_events_bind, "false",
	    "binds kv_events in any case, not only with * or :: in it"),
    KEY_TEXT_OF(KEYS, kv_replay, "",
		"where events that were missed are asked for: tcp://HOST:PORT"),
    KEY_TEXT_OF(KEYS, kv_topic, "",
		"topic of the events; {port} and {rank} stand for those of the "
		"replica"),
    SC_CHOICE(KEYS, kv_events_form, "map", forms,
	      "events as vLLM writes them, or as arrays like older versions"),
    SC_CHOICE(KEYS, kv_hashes, "int", hashes,
	      "hashes of blocks: their last 8 bytes as a number, or all 32"),
    KEY_TEXT_OF(KEYS, hash_seed, "0",
		"the seed of the hashes (vLLM: PYTHONHASHSEED)"),
    SC_DOUBLE(KEYS, drain_s, "25", 0, 1e6, "s",
	      "time for running requests after SIGTERM"),
    SC_DOUBLE(KEYS, request_seconds, "30", 1e-3, 1e6, "s",
	      "time for a client to send a request"),
    SC_DOUBLE(KEYS, idle_seconds, "75", 1e-3, 1e6, "s",
	      "time that a connection may wait for its next request"),
    SC_INT(KEYS, max_connections, "4096", 1, 1e6, "connections",
	   "more are closed at once"),
    SC_INT(KEYS, max_waiting, "0", 0, 1e9, "requests",
	   "with that many in the queue, requests are answered 429; 0: no "
	   "limit"),
    SC_INT(KEYS, max_header, "32768", 1024, 1e7, "bytes",
	   "of the headers of a request"),
    SC_INT(KEYS, max_body, "33554432", 1, 1e9, "bytes", "of a body"),
    SC_INT(KEYS, max_bodies, "268435456", 1, 1e11, "bytes",
	   "of all bodies on their way"),
    SC_INT(KEYS, send_buffer, "1048576", 1024, 1e9, "bytes",
	   "unsent bytes of a stream; then it is closed and cancelled"),
    SC_INT(KEYS, max_prompts, "1024", 1, 1e6, "prompts", "of a request"),
    SC_INT(KEYS, max_n, "128", 1, 16384, "choices", "of a request"),
    SC_INT(KEYS, json_depth, "64", 1, 1000, "1",
	   "nesting of a body; deeper: 400"),
    SC_INT(KEYS, max_requests, "65536", 1, 1e7, "choices",
	   "in the engine at once; beyond: 503"),
    SC_INT(KEYS, max_open_tokens, "134217728", 1, 1e12, "tokens",
	   "of prompts and answers in the engine; beyond: 503"),
    SC_BOOL(KEYS, prompt_tokens_details, "true", "usage has cached_tokens"),
    SC_BOOL(KEYS, dev, "false",
	    "allows /reset_prefix_cache, /sleep, /wake_up, and changes of "
	    "faults"),
};
const uint32_t serve_n_keys = sizeof serve_key / sizeof *serve_key;
