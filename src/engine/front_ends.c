/* front_ends.c -- The times of each preset outside of steps. */
#include "engine/front_ends.h"
#include <stddef.h>
#include "engine/presets.h"

struct outside {
	const char *source;
	const char *const *times;
};
#define FRONT_END(source_, ...)                                                \
	{                                                                      \
		.source = source_, .times = (const char *const[])              \
		{                                                              \
			__VA_ARGS__, NULL                                      \
		}                                                              \
	}
#define INFERENCEX "InferenceX's client over HTTP"

/* All in one piece, then prefill and decode apart.  No run tells how long
 * SGLang's front end takes in one piece: vLLM's stands for it. */
static const struct outside front_end_of[][2] = {
    [SCHEDULER_VLLM] =
	{FRONT_END(INFERENCEX ", vLLM 0.12 to 0.22 on H100, H200 and B200",
		   "api_overhead_us", "15000", "api_request_us", "2500",
		   "api_token_us", "0.5"),
	 FRONT_END(INFERENCEX ", vLLM with prefill and decode apart on GB200",
		   "proxy_us", "65000", "kv_transfer_latency_us", "65000",
		   "kv_transfer_bandwidth_gbs", "30")},
    [SCHEDULER_SGLANG] =
	{FRONT_END(INFERENCEX ", vLLM: none of SGLang's runs tells",
		   "api_overhead_us", "15000", "api_request_us", "2500",
		   "api_token_us", "0.5"),
	 FRONT_END(INFERENCEX ", SGLang with prefill and decode apart on "
			      "Hopper and Blackwell",
		   "pd_fixed_us", "350000", "kv_transfer_bandwidth_gbs", "30",
		   "kv_transfer_links", "gpu")},
    [SCHEDULER_TENSORRT_LLM] =
	{FRONT_END(INFERENCEX ", TensorRT-LLM 1.2 on H200 and B200",
		   "api_overhead_us", "18000", "api_request_us", "3000",
		   "api_token_us", "0.5"),
	 FRONT_END(INFERENCEX ", TensorRT-LLM with prefill and decode apart on "
			      "Hopper and Blackwell",
		   "pd_fixed_us", "70000", "kv_transfer_bandwidth_gbs", "30",
		   "kv_transfer_links", "gpu")},
};

static const struct outside *find(enum engine_preset preset, int is_apart)
{
	return preset == PRESET_NONE
		   ? NULL
		   : &front_end_of[engine_preset_scheduler(preset)][!!is_apart];
}

static size_t add(struct engine_defaults *to, size_t n,
		  const char *const *value)
{
	while (*value && n + 1 < ENGINE_DEFAULTS)
		to->value[n++] = *value++;
	to->value[n] = NULL;
	return n;
}

const sc_preset *engine_defaults(struct engine_defaults *to,
				 enum engine_preset preset, enum front_end is,
				 int is_apart)
{
	const sc_preset *own = engine_preset(preset);
	if (!own)
		return NULL;
	size_t n = add(to, 0, own->values);
	if (is == FRONT_END_MEASURED)
		add(to, n, find(preset, is_apart)->times);
	to->preset = (sc_preset){.size = sizeof to->preset,
				 .name = own->name,
				 .help = own->help,
				 .values = to->value};
	return &to->preset;
}

const char *engine_front_end_source(enum engine_preset preset, int is_apart)
{
	const struct outside *o = find(preset, is_apart);
	return o ? o->source : NULL;
}
