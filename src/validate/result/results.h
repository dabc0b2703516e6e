/* validate/result/results.h -- results of benchmark programs, as they save them
 * in JSON or YAML, become measured rows.  One file a program.
 *
 * A reader takes what a result says, in its own words and units, and nothing
 * else: a figure that is not there stays NaN.  Members that mean something
 * close, but other, are left alone; each file says which. */
#pragma once
#include <jansson.h>
#include "validate/measured/measured.h"
#include "validate/measured/measured_requests.h"

/* The file that is read, as measured_path(m). */
struct result {
	struct measured *m;
	struct problem *p;
	uint64_t line; /* of the value */
	/* Collects records of single requests; all of a file are one run. */
	struct measured_requests requests;
	uint64_t n_failed;
};
struct result_format {
	const char *name;           /* for messages */
	int (*is)(const json_t *o); /* by its members alone */
	/* Returns 0, or -1 with *r->p filled in. */
	int (*add)(struct result *r, const json_t *o);
};
extern const struct result_format result_vllm, result_inference_perf,
    result_report, result_guidellm, result_aiperf, result_aiperf_record,
    result_inferencex;

/* Adds a value, or each of an array.  Returns 0, or -1 with *r->p filled in:
 * no program is known to write it. */
int results_add(struct result *r, const json_t *value);
/* Ends the file: the records of requests become a row.  Returns 0, or -1 with
 * *r->p filled in. */
int results_end(struct result *r);
/* Reads profile_export_aiperf.csv as the JSON beside it, and benchmarks.csv of
 * GuideLLM.  Returns 0, or -1 with *r->p filled in. */
int result_aiperf_csv(struct result *r, const char *text, size_t n);
int result_guidellm_csv(struct result *r, const char *text, size_t n);

/* ---- for the files here ---- */

/* Says "file:line: WHAT".  Returns -1. */
int result_fault(const struct result *r, const char *what)
    __attribute__((nonnull));
/* Returns the member at a path, "a.b.0.c"; of several paths between '|' the
 * first that exists.  An item of an array is called by its index, or by its
 * member `name`.  NULL: none, or null. */
const json_t *result_member(const json_t *o, const char *path);
/* NaN: not there, or no number ("inf"); a text of a number is one. */
double result_number(const json_t *o, const char *path);
/* The same for what must be a number from 0 to 1e18, "inf", "nan" or "auto", if
 * it is there.  Returns 0, or -1 with *r->p filled in. */
int result_figure(const struct result *r, const json_t *o, const char *path,
		  double *to);
/* A copy; NULL: not there, or no text. */
char *result_text(const json_t *o, const char *path);
/* One more row, which is called file:line, or file:line:NUMBER (number 0:
 * none).  NULL: *r->p. */
struct measured_row *result_row(const struct result *r, size_t number);
/* Members that are fields of a row; a field without its member stays as it is.
 * Returns 0, or -1 with *r->p filled in: a member is of another type. */
struct result_field {
	enum measured_type type;
	size_t offset;
	const char *path;
};
#define RESULT_NUMBER(field, path)                                             \
	{                                                                      \
		MEASURED_NUMBER, offsetof(struct measured_row, field), path    \
	}
#define RESULT_TEXT(field, path)                                               \
	{                                                                      \
		MEASURED_TEXT, offsetof(struct measured_row, field), path      \
	}
int result_take(const struct result *r, struct measured_row *row,
		const json_t *o, const struct result_field *field, size_t n);
#define RESULT_TAKE(r, row, o, field)                                          \
	result_take(r, row, o, field, sizeof(field) / sizeof *(field))
/* Puts the sum of two counts of requests, where they are there, into
 * n_failed.  Returns 0, or -1 with *r->p filled in. */
int result_failed(const struct result *r, struct measured_row *row,
		  const json_t *o, const char *path, const char *more);
/* The engine that a tool's name has in it, if it is known; and its version,
 * where the text is one, or an image with one as its tag. */
void result_engine(struct measured_row *row, const char *tool,
		   const char *version);
/* Mean and percentiles of the objects at the paths.  to_ms: the units of each;
 * NULL: the object's member `unit` names them: ns, us, ms, s, and each with
 * "/token" behind it.  No object there: they stay NaN.  Returns 0, or -1 with
 * *r->p filled in: a figure is no time. */
int result_times(const struct result *r, struct measured_row *row,
		 const json_t *o, const char *const path[N_RUN_LATENCIES],
		 const double *to_ms, const char *unit);
/* The same of members as mean_ttft_ms: a statistic, one of two names of the
 * latency, and "_ms", or nothing for s.  null, "inf" and "nan": NaN. */
int result_flat_times(const struct result *r, struct measured_row *row,
		      const json_t *o,
		      const char *const name[N_RUN_LATENCIES][2], int is_ms);
/* Reads the requests of an object with lists of all of them, as vLLM's results
 * have with --save-detailed: input_lens, output_lens; start_times (without them
 * they are samples of lengths), ttfts, latencies or itls, errors.  Returns 0,
 * or -1 with *r->p filled in: a list has another length, or no numbers. */
int result_requests(const struct result *r, struct measured_row *row,
		    const json_t *o);
/* Refuse a row without any latency, and one without completed requests. */
int result_check_times(const struct result *r, const struct measured_row *row);
int result_check(const struct result *r, const struct measured_row *row);
