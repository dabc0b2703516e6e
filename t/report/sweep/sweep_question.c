/* The question of a sweep: its axes, model and bounds. */
#include "report/sweep/sweep_question.h"
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "tap.h"

static const char model[] = "[model]\nconfig = llama-3.1-8b\n";

/* Asks for a sweep over n axes with two values each, of the last with one. */
static void asks(size_t n, const char *const *axis, const char *options,
		 const char *expected)
{
	struct sweep_axis axes[4] = {0};
	struct sweep_data d = {.axis = axes, .n_axes = n};
	struct store_study study = {.configuration = model, .options = options};
	struct document to = {0};
	struct problem p;
	for (size_t i = 0; i < n; i++) {
		axes[i].name = axis[i];
		names_add(&axes[i].value, "1");
		if (i + 1 < n)
			names_add(&axes[i].value, "2");
	}
	if (sweep_question_ask(&to, &study, &d, "USD/Mtok", &p) < 0)
		bail_out(p.text);
	is(to.question, expected, "%s", expected);
	document_free(&to);
	for (size_t i = 0; i < n; i++)
		names_free(&axes[i].value);
}

static void has_options(const char *options, const char *expected)
{
	struct store_study study = {.options = options};
	char *text = sweep_options_text(&study);
	is(text, expected, "%s", expected);
	free(text);
}

int main(void)
{
	const char *const axis[] = {"engine.tensor_parallel_size",
				    "hardware.config", "engine.max_num_seqs",
				    "workload.seed"};
	const char *const models[] = {"model.config", "workload.seed"};
	asks(1, axis + 3, "{}",
	     "Which point serves llama-3.1-8b at the least USD/Mtok?");
	asks(2, axis + 2, "{\"capacity\": {\"ttft_p99_ms\": 500}}",
	     "Which max_num_seqs serves llama-3.1-8b at the least USD/Mtok "
	     "with TTFT p99 <= 500 ms?");
	asks(4, axis,
	     "{\"capacity\": {\"ttft_p99_ms\": 500, \"tpot_mean_ms\": 40}}",
	     "Which tensor_parallel_size, config and max_num_seqs serve "
	     "llama-3.1-8b at the least USD/Mtok with TTFT p99 <= 500 ms and "
	     "TPOT mean <= 40 ms?");
	asks(2, models, "{}",
	     "Which config serves the load at the least USD/Mtok?");
	has_options("{}", "");
	has_options(
	    "{\"seeds\": 2, \"capacity\": {\"ttft_p99_ms\": 500.5, "
	    "\"tpot_mean_ms\": 40}, \"rate\": null, \"warm_up\": \"10%\"}",
	    "seeds 2, capacity (ttft_p99_ms 500.5, tpot_mean_ms 40), "
	    "warm_up 10%");
	return done();
}
