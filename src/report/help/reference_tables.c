/* reference_tables.c -- The words of results, and the questions of newcomers.
 */
#include <config.h>
#include "report/help/reference.h"

#define N(array) (sizeof(array) / sizeof *(array))

/* clang-format off */
const struct reference_word reference_words[] = {
    {"arm", "One cost model with its settings, a section [cost_model:NAME]. Arms run on the same requests; the first is what the others are compared with."},
    {"step", "One pass of the engine through the model: chunks of prompts (prefill), and a token or more of every request that generates (decode)."},
    {"TTFT, TPOT, ITL, E2EL", "Time to the first token; time per output token after the first; time between two tokens; time from arrival to the last token."},
    {"exact", "A lookup that hit a measured point of a kernel table."},
    {"interpolated", "A lookup between measured points of the same kernel."},
    {"clamped", "A lookup before the first or beyond the last measured point, answered by the point at the edge."},
    {"substituted", "A lookup answered by measurements of something near: another shape, number format, GPU or engine version."},
    {"fallback", "A lookup that no measurement answers: a formula did."},
    {"none", "Time that no table priced: the cost model is a formula there by design."},
    {"frozen schedule", "The steps of one arm, priced by another: the same work in the same batches. What differs is the cost model alone."},
    {"feedback", "What the faster or slower clock of an arm does to batches, queues and the cache, beyond the price of its steps."},
    {"support", "How a result's configuration compares with the runs that its cost model was scored on (bench_data/accuracy). measured: five or more are like it in GPU, class of model, number format, split, engine, share of cached prompts, context and load; extrapolated: in what there are none, or fewer; known wrong: three or more are, and more than 15 % off on average; not scored: there are none of this cost model with these settings."},
    {"context, load, split", "Of a run that was scored: tokens of prompt and output together; requests that ran at once, on average; GPUs of a replica (tp, ep, pp)."},
    {"interval", "90 %: where the measured figure lies for nine of ten runs like this one, by the errors of the runs that were scored. The prediction itself may lie outside, where the cost model is too slow or too fast as a rule. A wider group: too few runs are like this one, so that those of more GPUs, formats or classes count. Models left out: no run of this model was scored, so the errors are those of models that the coefficients were not fitted to."},
    {"stable, backlogged, overloaded", "Saturation of a simulated run: no quarter of its requests queued for longer than they were served; one did, and the engine caught up; the queue still grew at the end, or requests were left. Latencies of an overloaded run (marked !) tell how long the run was."},
    {"saturated", "Of a measured run, as its file has it: requests came in faster than they were served. Its errors are told apart from those of other runs."},
    {"preemption", "A running request gives its KV blocks up for an older one, and computes them again later."},
};
const size_t reference_n_words = N(reference_words);

const struct reference_question reference_questions[] = {
    {"Which cost model should I use?", "vLLM in bf16 on an H100: smooth_roofline. Experts, MLA, FP8, FP4, other engines and GPUs: operators, with [tables] set = auto. A first guess without measurements: roofline_v1. Errors of each on measured runs are in README.md; every result names its support.", "README.md"},
    {"How do I add a GPU?", "An INI with a section [hardware] of bf16_tflops, memory_bandwidth_tbs, memory_gib and link_bandwidth_gbs, named by [hardware] config = ./mine.ini; architecture = Hopper (Ampere, Ada, Blackwell) says whose tables stand in for its own. stepcost help hardware lists the keys.", "doc/hardware.md"},
    {"How do I add a model?", "[model] config = ./PATH/config.json, as published, or an INI with the keys of stepcost help model; stepcost model show PATH tells what was understood.", "doc/models.md"},
    {"How do I add a set of measured kernels?", "A folder of CSV files and a MANIFEST; [tables] path and set name it; stepcost tables check PATH says what is suspicious in it.", "doc/tables.md"},
    {"What does this warning mean?", "Each names the key, the table or the row that it is about; stepcost help glossary explains its words.", "doc/results.md"},
    {"How far can I trust a figure?", "Its support says whether runs like it were measured, its interval how far they were off; stepcost help glossary has both.", "doc/validate.md"},
    {"Why is the exit code not 0?", "1: the run worked, and says no: nothing was served, an error is above --fail-above, a check failed. 2: command line, INI, a file or plugin not found, a model that cannot be expressed. 3: the content of a trace, table or config.json, or a lookup that --strict does not allow. 4: a plugin failed; the other arms are reported. The last lines say why.", "doc/results.md"},
    {"How do I compare with my own vLLM run?", "stepcost validate CONFIG --measured RESULT.json, as `vllm bench serve --save-result --save-detailed` writes it. The model is the file's model_id; GPU, split and engine are those of CONFIG.", "doc/validate.md"},
    {"How do I price FP8, FP4 or mixtures of experts?", "plugin = operators, and [tables] set = auto. A published config.json says which layers have which format; else [model] quantization = fp8, and [engine] kv_cache_dtype = fp8.", "doc/operators.md"},
    {"How do I try many configurations?", "stepcost sweep CONFIG --axis KEY=VALUES --store FILE.db; show, pareto and plot read the store.", "doc/sweep.md"},
    {"How do I write a cost model?", "stepcost plugins new NAME --like OLD makes a folder that builds; stepcost plugins check FILE.so checks it; a section [cost_model:new] with plugin = FILE.so, and stepcost compare CONFIG runs both on the same requests.", "doc/plugins.md"},
};
const size_t reference_n_questions = N(reference_questions);
/* clang-format on */
