/* validate/measured.h -- measured serving runs: what was served, on what, and
 * how long it took.
 *
 * Files: CSV with one row per run and stage; CSV with one row per request;
 * JSON of `vllm bench serve` (--save-result, --save-detailed, several appended)
 * and of inference-perf (a stage's lifecycle metrics).  Columns are found by
 * name; other names of columns, models and GPUs are told by an alias file
 * (etc/measured.ini).  What a file does not tell, the configuration does. */
#ifndef SC_VALIDATE_MEASURED_H
#define SC_VALIDATE_MEASURED_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/ini.h"
#include "base/problem.h"
#include "workload/planned.h"

enum latency { LATENCY_TTFT, LATENCY_TPOT, LATENCY_E2EL, N_LATENCIES };
extern const char *const latency_name[N_LATENCIES]; /* "ttft" … */

/* Of one metric, ms; NaN: not measured. */
struct measured_times {
	double mean, p90, p99;
};

/* NaN, or NULL: the file does not say. */
struct measured_row {
	const char *file; /* of the row's measured                          */
	uint64_t line;
	char *id, *run, *protocol, *model, *gpu, *dtype, *engine_version;
	char *workload, *trace, *flags;
	double tensor_parallel_size, max_model_len, max_num_seqs;
	double max_num_batched_tokens, gpu_memory_utilization;
	double num_gpu_blocks, block_size;
	double stage, request_rate, concurrency, duration_s, num_requests;
	double input_tokens, shared_prefix_tokens, output_tokens;
	struct measured_times time[N_LATENCIES];
	/* The requests one by one, where the file has them. */
	struct planned_request *request;
	uint64_t n_requests;
};

struct measured {
	char **path; /* [n_paths] the files                                 */
	size_t n_paths;
	struct measured_row *row;
	size_t n;
};

/* Appends a file to what is there (at first zeros).  aliases: an alias file, or
 * NULL.  0, or -1 with *p (EXIT_USAGE: no such
 * file; EXIT_INPUT with its line: the content).  measured_free() in either
 * case. */
int measured_read(struct measured *m, const char *path,
		  const struct ini *aliases, struct problem *p);
void measured_free(struct measured *m);

/* Whether flags ("A|B") has a flag that begins so. */
int measured_has_flag(const struct measured_row *r, const char *flag);
/* The name by which the project knows a model or GPU: [section] of the alias
 * file, by the whole name or by its part before a space or '('; else the name
 * itself. */
const char *measured_alias(const struct ini *aliases, const char *section,
			   const char *name);

/* A trace of a measured run, a CSV with arrival_s, input_tokens, output_tokens
 * (and ttft_ms, e2el_ms): the requests of one stage, or of all (stage NaN).
 * *out is to be freed.  0, or -1 with *p. */
int measured_trace(const char *path, const struct ini *aliases, double stage,
		   struct planned_request **out, uint64_t *n,
		   struct problem *p);

/* ---- for the readers */
/* The file that is being read. */
const char *measured_path(const struct measured *m);
/* One more row with nothing known; NULL: *p. */
struct measured_row *measured_add(struct measured *m, struct problem *p);
int measured_read_csv(struct measured *m, FILE *f, const struct ini *aliases,
		      struct problem *p);
int measured_read_json(struct measured *m, FILE *f, struct problem *p);
/* Mean and percentiles of v[n], which is sorted in place; NaN for n = 0. */
struct measured_times measured_summary(double *v, size_t n);
#endif
