/* Every key is read by the chosen engine or refused, with those who read it. */
#include "engine/refusals.h"
#include "base/number.h"
#include "engine/presets.h"
#include "engine_of.h"
#include "tap.h"

/* ---- every row under every preset ---- */

/* A value that is allowed and not neutral. */
static const char *value_of(const sc_knob *k, const char *neutral)
{
	static char text[NUMBER_SIZE];
	if (k->type == SC_KNOB_BOOL)
		return neutral && !strcmp(neutral, "true") ? "false" : "true";
	if (k->type == SC_KNOB_CHOICE)
		return neutral && !strcmp(neutral, k->choices[0])
			   ? k->choices[1]
			   : k->choices[0];
	if (k->type == SC_KNOB_TEXT)
		return "1";
	number_format(text, k->max);
	return text;
}

/* 1: it is accepted, or refused as it should be. */
static int is_as_said(const struct engine_row *r, enum engine_preset preset)
{
	char text[300], scheduler[40];
	const char *mine =
	    engine_scheduler_words[engine_preset_scheduler(preset)];
	snprintf(text, sizeof text, "[engine]\npreset = %s\n%s = %s\n",
		 engine_preset_words[preset], r->knob.name,
		 value_of(&r->knob, r->neutral));
	int rc = keys_of(text);
	if (engine_row_is_obeyed(r, preset))
		return rc == 0;
	if (rc == 0 || problem.code != EXIT_USAGE ||
	    !strstr(problem.text, ":3: ") ||
	    !strstr(problem.text, r->knob.name))
		return 0;
	if (engine_row_is_of(r, engine_preset_scheduler(preset)))
		return preset == PRESET_NONE
			   ? strstr(problem.text, "needs a preset") ||
				 strstr(problem.text, "needs preset = ")
			   : strstr(problem.text, "preset = ") != NULL;
	snprintf(scheduler, sizeof scheduler, ", not of %s", mine);
	return strstr(problem.text, "is a key of scheduler = ") &&
	       strstr(problem.text, scheduler);
}

static void all_rows(void)
{
	uint32_t bad = 0;
	for (uint32_t i = 2; i < engine_n_keys; i++)
		for (uint32_t k = 0; k < ENGINE_N_PRESETS; k++)
			if (!is_as_said(engine_row(i), (enum engine_preset)k)) {
				bad++;
				printf("# %s under %s: %s\n",
				       engine_key[i]->name,
				       engine_preset_words[k], problem.text);
			}
	ok(bad == 0, "every key is read or refused, under every preset");
}

/* ---- words ---- */

static const char *scope(uint32_t by)
{
	static char text[300];
	const struct engine_row r = {.obeyed_by = by};
	return engine_row_scope(text, sizeof text, &r);
}

static void scopes(void)
{
	is(scope(ENGINE_ANY), "", "everyone's");
	is(scope(ENGINE_SGLANG), "Only with scheduler = sglang.", "SGLang's");
	is(scope(ENGINE_PLAIN | ENGINE_VLLM), "Only with scheduler = vllm.",
	   "vLLM's");
	is(scope(ENGINE_VLLM), "Only with a preset of scheduler = vllm.",
	   "its presets'");
	is(scope(ENGINE_ANY_PRESET), "Only with a preset.", "all presets'");
	is(scope(ENGINE_BY(PRESET_VLLM_024) | ENGINE_BY(PRESET_VLLM_2026_07) |
		 ENGINE_TRTLLM),
	   "Only with preset = vllm-0.24 or vllm-2026-07 or scheduler = "
	   "tensorrt_llm.",
	   "those of some versions");
}

#define SAYS(ini_, why_)                                                       \
	ok(keys_of(ini_) < 0 && strstr(problem.text, why_), "%s", problem.text)
static void words(void)
{
	SAYS("[engine]\nscheduler = sglang\nmax_num_seqs = 5\n",
	     ":3: max_num_seqs is a key of scheduler = vllm, not of sglang "
	     "(did you mean 'max_running_requests'?)");
	SAYS("[engine]\nwindow_gate = none\n",
	     ":2: window_gate needs a preset: without one windows keep every "
	     "token");
	SAYS("[engine]\nscheduler = sglang\nmodel_runner = v2\n",
	     ":3: model_runner is a key of scheduler = vllm, not of sglang");
	ok(keys_of("[engine]\nscheduler = sglang\nkv_connector = push\n"
		   "num_speculative_tokens = 0\n") == 0,
	   "a value that says what it does anyway is accepted");
}

/* ---- beside arms ---- */

static int of_arm(const char *engine, const char *arm)
{
	char text[500];
	const struct engine_source from = {.arm = "cost_model:x"};
	snprintf(text, sizeof text, "[engine]\n%s\n[cost_model:x]\n%s\n",
		 engine, arm);
	return keys_from(text, from);
}

static void arms(void)
{
	ok(of_arm("max_num_seqs = 5", "engine.scheduler = sglang") == 0,
	   "a key of [engine] may be for other arms");
	ok(of_arm("max_num_seqs = 5", "") == 0, "or for this one");
	ok(of_arm("", "engine.scheduler = sglang\nengine.max_num_seqs = 5") <
		   0 &&
	       strstr(problem.text, ":5: max_num_seqs is a key of"),
	   "%s", problem.text);
	ok(of_arm("preset = vllm-0.24\nscheduler_reserve_full_isl = true",
		  "engine.scheduler = sglang") < 0,
	   "what it asks for and the arm does not do: %s", problem.text);
	ok(of_arm("preset = vllm-0.24\nscheduler_reserve_full_isl = true",
		  "engine.scheduler = sglang\n"
		  "engine.scheduler_reserve_full_isl = false") == 0,
	   "unless the arm says that it does not");
	ok(of_arm("preset = vllm-0.24\nwindow_gate = none",
		  "engine.preset = none") < 0,
	   "a key that needs a preset: %s", problem.text);
	const struct engine_source part = {.is_part = 1};
	ok(keys_from("[engine]\nwindow_gate = none\n", part) == 0,
	   "which pools may have");
	ok(keys_from("[engine]\npage_size = 4\n", part) < 0, "%s",
	   problem.text);
}

int main(void)
{
	all_rows();
	scopes();
	words();
	arms();
	ini_free(&ini);
	return done();
}
