/* named_trace.c -- Opens the trace that [workload] names. */
#include "workload/trace/named_trace.h"
#include <stdlib.h>
#include <string.h>
#include "workload/trace/trace_formats.h"

/* Returns 1 if parsed, 0 if not given, or -1 with *p filled in. */
static int lengths(struct distribution *d, const char *text, const char *key,
		   const struct ini *c, struct problem *p)
{
	if (!*text)
		return 0;
	return distribution_parse(d, text, OF_TOKENS, workload_at(c, key), key,
				  c, p) < 0
		   ? -1
		   : 1;
}

struct trace *named_trace_open(const struct workload_keys *k, const char *path,
			       const struct ini *c, struct distribution *input,
			       struct distribution *output, struct problem *p)
{
	int in = lengths(input, k->input_tokens, "input_tokens", c, p);
	int out =
	    in < 0 ? -1
		   : lengths(output, k->output_tokens, "output_tokens", c, p);
	struct trace_options option = {
	    .format = *k->columns ? trace_columns.name : workload_format(k),
	    .block_tokens = (uint32_t)k->hash_block_tokens,
	    .failed_is_error = k->failed != 0,
	    .chars_per_token = k->chars_per_token,
	    .timing = (enum trace_timing)k->timing_strategy,
	    .api_time_scale = k->api_time_scale,
	    .seed = (uint64_t)k->seed,
	    .input = in > 0 ? input : NULL,
	    .output = out > 0 ? output : NULL};
	const char *format =
	    workload_given(c, "format") ? workload_format(k) : "auto";
	if (out < 0 ||
	    (*k->columns &&
	     trace_columns_beside(&option.columns, k->columns,
				  workload_at(c, "columns"), format, p) < 0))
		return NULL;
	struct trace *t = trace_open(path, &option, p);
	/* A file that does not exist is an error of the key that names it. */
	if (!t && p->code == EXIT_USAGE && workload_given(c, "trace"))
		problem_set(p, EXIT_USAGE, "%s: trace: %s",
			    workload_at(c, "trace"), p->text);
	return t;
}

char *named_trace_path(const struct workload_keys *k, const struct ini *c,
		       struct problem *p)
{
	char *path = c ? ini_resolve_key(c, "workload", "trace", k->trace)
		       : strdup(k->trace);
	if (!path)
		problem_no_memory(p);
	return path;
}

enum workload_unused named_trace_ignores(const struct workload_keys *k,
					 const struct ini *c, const char *key)
{
	struct distribution input = {0}, output = {0};
	struct problem none;
	char *path = *k->trace ? named_trace_path(k, c, &none) : NULL;
	struct trace *t =
	    path ? named_trace_open(k, path, c, &input, &output, &none) : NULL;
	enum workload_unused why =
	    t ? workload_key_unused(
		    key, trace_has_times(t) && !k->retime && !k->concurrency,
		    trace_takes_lengths(t))
	      : WORKLOAD_USED;
	trace_free(t);
	distribution_free(&input), distribution_free(&output);
	free(path);
	return why;
}
