/* validate/result/results.h -- results of benchmark programs, as they save them
 * in JSON or YAML, become measured rows.  One file a program.
 *
 * A reader takes what a result says, in its own words and units, and nothing
 * else: a figure that is not there stays NaN.  Members that mean something
 * close, but other, are left alone; each file says which. */
#ifndef SC_VALIDATE_RESULT_RESULTS_H
#define SC_VALIDATE_RESULT_RESULTS_H
#include <jansson.h>
#include "validate/measured/measured.h"
#include "validate/measured/measured_requests.h"

/* The file that is read, as measured_path(m). */
struct result {
	struct measured *m;
	struct problem *p;
	uint64_t line; /* of the value */
	/* Of records of one request each: all of a file are one run. */
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
/* Reads profile_export_aiperf.csv as the JSON beside it.  Returns 0, or -1 with
 * *r->p filled in. */
int result_aiperf_csv(struct result *r, const char *text, size_t n);

/* ---- for the files here ---- */

/* Says "file:line: WHAT".  Returns -1. */
int result_fault(const struct result *r, const char *what)
    __attribute__((nonnull));
/* Returns the member at a path, "a.b.0.c"; of several paths between '|' the
 * first that exists.  NULL: none, or null. */
const json_t *result_member(const json_t *o, const char *path);
/* NaN: not there, or no number ("inf"); a text of a number is one. */
double result_number(const json_t *o, const char *path);
/* A copy; NULL: not there, or no text. */
char *result_text(const json_t *o, const char *path);
/* One more row, which is called file:line, or file:line:NUMBER (number 0:
 * none).  NULL: *r->p. */
struct measured_row *result_row(const struct result *r, size_t number);
/* Mean and percentiles of the object at the path, in ms: its figures are in
 * units of to_ms.  No object there: all stay NaN.  Returns 0, or -1 with *r->p
 * filled in: a figure is no time. */
int result_times(const struct result *r, const json_t *o, const char *path,
		 double to_ms, struct measured_times *to);
/* The same for an object that names its unit in that member: ns, us, ms, s,
 * and each with "/token" behind it. */
int result_times_in(const struct result *r, const json_t *o, const char *path,
		    const char *unit, struct measured_times *to);
/* Reads the requests of an object with lists of all of them, as vLLM's results
 * have with --save-detailed: input_lens, output_lens; start_times (without them
 * they are samples of lengths), ttfts, latencies or itls, errors.  Nothing, if
 * a list has another length.  Returns 0, or -1 with *r->p filled in. */
int result_requests(const struct result *r, struct measured_row *row,
		    const json_t *o);
/* Refuse a row without any latency, and one without completed requests. */
int result_check_times(const struct result *r, const struct measured_row *row);
int result_check(const struct result *r, const struct measured_row *row);
#endif
