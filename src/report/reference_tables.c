/* reference_tables.c -- The words of results, and the questions of newcomers.
 */
#include <config.h>
#include "report/reference.h"

#define N(array) (sizeof(array) / sizeof *(array))

/* clang-format off */
const struct reference_word reference_words[] = {
    {"arm", "One cost model with its settings, a section [cost_model:NAME]. Arms run on the same requests; the first is what the others are compared with."},
    {"step", "One pass of the engine through the model: chunks of prompts (prefill), and a token or more of every request that generates (decode)."},
    {"TTFT, TPOT, ITL, E2EL", "Time to the first token; time per output token after the first; time between two tokens; time from arrival to the last token."},
    {"exact", "A lookup that hit a measured point of a kernel table."},
    {"interpolated", "A lookup between measured points of the same kernel."},
    {"clamped", "A lookup beyond the last measured point, answered by the point at the edge."},
    {"substituted", "A lookup answered by measurements of something near: another shape, number format, GPU or engine version."},
    {"fallback", "A lookup that no measurement answers: a formula did."},
    {"none", "Time that no table priced: the cost model is a formula there by design."},
    {"frozen schedule", "The steps of one arm, priced by another: the same work in the same batches. What differs is the cost model alone."},
    {"feedback", "What the faster or slower clock of an arm does to batches, queues and the cache, beyond the price of its steps."},
    {"support", "How a result's configuration compares with measured runs: measured, extrapolated (and in what), known wrong, not scored."},
    {"stable, backlogged, overloaded", "Saturation of a simulated run: no quarter of its requests queued for longer than they were served; one did, and the engine caught up; the queue still grew at the end, or requests were left. Latencies of an overloaded run (marked !) tell how long the run was."},
    {"saturated", "Of a measured run, as its file has it: requests came in faster than they were served. Its errors are told apart from those of other runs."},
    {"preemption", "A running request gives its KV blocks up for an older one, and computes them again later."},
};
const size_t reference_n_words = N(reference_words);

const struct reference_question reference_questions[] = {
    {"Which cost model should I use?", "stepcost plugins list; the errors of each on measured runs say where it can be trusted, and every result names its support.", "README.md"},
    {"How do I add a GPU?", "Copy etc/hardware/h100-sxm.ini, change its figures, and name it: [hardware] config = ./mine.ini. stepcost help hardware lists the keys.", "doc/hardware.md"},
    {"How do I add a model?", "[model] config = PATH of its config.json, as published; stepcost model show PATH tells what was understood.", "doc/models.md"},
    {"How do I add a set of measured kernels?", "A folder of CSV files and a MANIFEST; [tables] path and set name it; stepcost tables check PATH says what is suspicious in it.", "doc/tables.md"},
    {"What does this warning mean?", "Each names the key, the table or the row that it is about; stepcost help glossary explains its words.", "doc/results.md"},
    {"Why is the exit code 1?", "The run worked, and says no: nothing was served, an error is above --fail-above, no rate meets the bounds, a check failed. The last lines say which.", "doc/results.md"},
    {"How do I compare with my own vLLM run?", "stepcost validate CONFIG --measured RESULT.json, as `vllm bench serve --save-result` writes it.", "doc/validate.md"},
    {"How do I price FP8, FP4 or mixtures of experts?", "plugin = operators, and [tables] set = auto; the model's config.json says which layers have which format.", "doc/operators.md"},
    {"How do I try many configurations?", "stepcost sweep CONFIG --axis KEY=VALUES --store FILE.db; show, pareto and plot read the store.", "doc/sweep.md"},
    {"How do I write a cost model?", "stepcost plugins new NAME makes a folder that builds; stepcost plugins check FILE.so checks it.", "doc/plugins.md"},
};
const size_t reference_n_questions = N(reference_questions);
/* clang-format on */
