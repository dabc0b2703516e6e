/* reference_tables.c -- The words of results, and the questions of newcomers.
 */
#include "report/help/reference.h"

#define N(array) (sizeof(array) / sizeof *(array))

/* clang-format off */
const struct reference_word reference_words[] = {
    {"arm", "One cost model with its settings: a section [cost_model:NAME]. All arms run on the same requests, and the others are compared with the first."},
    {"step", "One pass of the engine through the model: it computes chunks of prompts (prefill), and one token or more for every request that generates (decode)."},
    {"TTFT, TPOT, ITL, E2EL", "Time to the first token; time per output token after the first; time between two tokens; time from arrival to the last token."},
    {"exact", "A lookup that hit a measured point of a kernel table."},
    {"interpolated", "A lookup between measured points of the same kernel."},
    {"clamped", "A lookup outside the measured points, answered by the nearest of them."},
    {"substituted", "A lookup answered by measurements of something similar: another shape, number format, GPU or engine version."},
    {"fallback", "A lookup that no measurement can answer; a formula answered it."},
    {"none", "Time that the cost model always takes from a formula, not from a table."},
    {"frozen schedule", "The steps of one arm, priced by another arm: the same work in the same batches, so that only the cost model differs."},
    {"feedback", "The effect of an arm's faster or slower clock on batches, queues and the cache, in addition to the price of its steps."},
    {"support", "How close the measured runs are that this cost model was scored on (bench_data/accuracy). A run is close if it has the same GPU, class of model, number format, split and engine, and a similar share of cached prompts, context and load. measured: five or more runs are close. extrapolated: fewer are close; the result names what differs. known wrong: three or more are close, and the mean error is more than 15 %. not scored: there are no runs of this cost model with these settings."},
    {"context, load, split", "Of a scored run. context: tokens of prompt and output together. load: requests that ran at once, on average. split: GPUs of a replica (tp, ep, pp)."},
    {"interval", "A 90 % prediction interval: for nine of ten runs like this one, the measured figure lies in it. It comes from the errors of the scored runs. The prediction itself can lie outside if the cost model is usually too slow or too fast. A wider group: too few runs are like this one, so runs of more GPUs, formats or classes count. Models left out: no run of this model was scored, so the errors are from models that the coefficients were not fitted to."},
    {"stable, backlogged, overloaded", "Saturation of a simulated run, from the four quarters of its requests. stable: in no quarter, requests queued for longer than they were served. backlogged: in one they did, and the engine caught up. overloaded: the queue still grew at the end, or requests were left; latencies (marked !) then depend on the length of the run. stable so far (too_short in JSON): arrivals lasted less than 30 mean E2E latencies, so no queue had the time to grow."},
    {"saturated", "Of a measured run, as its file says: requests came in faster than they were served. Its errors are listed separately."},
    {"preemption", "A running request gives up its KV blocks for an older request, and computes them again later."},
};
const size_t reference_n_words = N(reference_words);

const struct reference_question reference_questions[] = {
    {"Which cost model should I use?", "For vLLM in bf16 on an H100: smooth_roofline. For experts, MLA, FP8, FP4, other engines and GPUs: operators, with [tables] set = auto. For a first estimate without measurements: roofline_v1. doc/which-cost-model.md has the errors of each on measured runs; every result names its support.", "doc/which-cost-model.md"},
    {"How do I add a GPU?", "Write an INI with a section [hardware] that has bf16_tflops, memory_bandwidth_tbs, memory_gib and link_bandwidth_gbs, and name it with [hardware] config = ./mine.ini. With architecture = Hopper (Ampere, Ada, Blackwell), tables of another GPU of this architecture are used. stepcost help hardware lists the keys.", "doc/hardware.md"},
    {"How do I add a model?", "Set [model] config = ./PATH/config.json, as published, or an INI with the keys of stepcost help model. stepcost model show PATH prints the model as stepcost reads it.", "doc/models.md"},
    {"How do I add a set of measured kernels?", "Make a folder of CSV files and a MANIFEST, and name it with [tables] path and set. stepcost tables check PATH lists suspicious rows.", "doc/tables.md"},
    {"What does this warning mean?", "Each warning names a key, a table or a row. stepcost help glossary explains its words.", "doc/results.md"},
    {"How far can I trust a figure?", "Its support says whether runs like it were measured, and its interval how large the errors were. stepcost help glossary explains both.", "doc/validate.md"},
    {"Why is the exit code not 0?", "1: the run worked, and its answer is no: nothing was served, an error is above --fail-above, or a check failed. 2: a fault in the command line or the INI, a missing file or plugin, or a model that is not supported. 3: a fault in the content of a trace, table or config.json, or a lookup or a time that --strict does not allow. 4: a plugin failed; the other arms are reported. The last lines say why.", "doc/results.md"},
    {"How do I compare with my own vLLM run?", "Run stepcost validate CONFIG --measured RESULT.json, with the file that `vllm bench serve --save-result --save-detailed` writes. The model is the file's model_id; GPU, split and engine come from CONFIG.", "doc/validate.md"},
    {"How do I price FP8, FP4 or mixtures of experts?", "Use plugin = operators and [tables] set = auto. A published config.json gives the format of each layer; without one, set [model] quantization = fp8 and [engine] kv_cache_dtype = fp8.", "doc/operators.md"},
    {"How do I try many configurations?", "Run stepcost sweep CONFIG --axis KEY=VALUES --store FILE.db; show, pareto and plot read the store.", "doc/sweep.md"},
    {"How do I write a cost model?", "stepcost plugins new NAME --like OLD makes a folder that builds, and stepcost plugins check FILE.so checks the plugin. Add a section [cost_model:new] with plugin = FILE.so; stepcost compare CONFIG then runs both on the same requests.", "doc/plugins.md"},
};
const size_t reference_n_questions = N(reference_questions);
/* clang-format on */
