/* The settings of presets, and the engine of each preset. */
#include "engine/keys/rows.h"
#include "engine/presets.h"
#include "engine_of.h"
#include "tap.h"

/* A name that is no key, a key that the engine does not read. */
static uint32_t bad_values(enum engine_preset preset, const sc_preset *is)
{
	uint32_t bad = 0;
	for (const char *const *v = is->values; v[0]; v += 2) {
		const struct engine_row *r = engine_row_named(v[0]);
		if (r && engine_row_is_obeyed(r, preset))
			continue;
		bad++;
		printf("# %s sets %s\n", is->name, v[0]);
	}
	return bad;
}

static uint32_t preset_is_bad(enum engine_preset preset)
{
	char text[100];
	const char *word = engine_preset_words[preset];
	const sc_preset *is = engine_preset(preset);
	enum engine_scheduler s = engine_preset_scheduler(preset);
	uint32_t of = s == SCHEDULER_SGLANG         ? ENGINE_SGLANG
		      : s == SCHEDULER_TENSORRT_LLM ? ENGINE_TRTLLM
						    : ENGINE_VLLM;
	snprintf(text, sizeof text, "[engine]\npreset = %s\n", word);
	return bad_values(preset, is) + (strcmp(is->name, word) != 0) +
	       (keys_of(text) != 0 || keys.scheduler != (int64_t)s) +
	       !(of & ENGINE_BY(preset)) +
	       ((s == SCHEDULER_VLLM) != (of == ENGINE_VLLM)) +
	       (!strcmp(word, engine_scheduler_words[s]) &&
		engine_scheduler_preset(s) != preset);
}

int main(void)
{
	uint32_t bad = 0;
	for (uint32_t i = 1; engine_preset_words[i]; i++)
		bad += preset_is_bad((enum engine_preset)i);
	ok(bad == 0, "each preset sets keys that its engine reads, and is one "
		     "of its scheduler's");
	ok(!engine_preset_words[ENGINE_N_PRESETS] &&
	       engine_preset_words[ENGINE_N_PRESETS - 1],
	   "there are so many");
	ok(!engine_preset(PRESET_NONE) &&
	       engine_preset_scheduler(PRESET_NONE) == SCHEDULER_VLLM &&
	       engine_scheduler_preset(SCHEDULER_VLLM) == PRESET_NONE,
	   "none sets nothing, by vLLM's rules");
	is(engine_scheduler_of("sglang-0.5.6"), "sglang", "by name");
	is(engine_scheduler_of("vllm-0.24"), "vllm", "of vLLM");
	is(engine_scheduler_of("tensorrt_llm"), "tensorrt_llm", "a scheduler");
	is(engine_scheduler_of("none"), "vllm", "and without a preset");
	ok(!engine_scheduler_doubt(SCHEDULER_VLLM) &&
	       !engine_scheduler_doubt(SCHEDULER_SGLANG) &&
	       engine_scheduler_doubt(SCHEDULER_TENSORRT_LLM),
	   "vLLM's and SGLang's rules were run, TensorRT-LLM's were read");
	ini_free(&ini);
	return done();
}
