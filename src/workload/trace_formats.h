/* workload/trace_formats.h -- the readers, a file each: format/NAME.c.  To add
 * one, write it, name it here and in trace_formats.c, and add its name to the
 * choices in keys.c. */
#ifndef SC_WORKLOAD_TRACE_FORMATS_H
#define SC_WORKLOAD_TRACE_FORMATS_H
#include "workload/trace_reader.h"

extern const struct trace_format trace_azure;
extern const struct trace_format trace_burstgpt;
extern const struct trace_format trace_inference_perf_prefixes;
extern const struct trace_format trace_inference_perf_report;
extern const struct trace_format trace_llmservingsim;
extern const struct trace_format trace_mooncake;
extern const struct trace_format trace_qwen;
extern const struct trace_format trace_ragpulse;
extern const struct trace_format trace_servegen;
extern const struct trace_format trace_sharegpt;
extern const struct trace_format trace_stepcost;
extern const struct trace_format trace_vidur;
extern const struct trace_format trace_vllm_prompts;
extern const struct trace_format trace_vllm_result;

/* All formats, ends with NULL.  Several may share a name, if their shapes or
 * keys tell them apart. */
extern const struct trace_format *const trace_format[];
/* The format of a file by its first n bytes, among all (name "auto") or those
 * of that name; NULL: *why says why it is in doubt. */
const struct trace_format *trace_detect(const char *name, const char *head,
					size_t n, const char **why);
#endif
