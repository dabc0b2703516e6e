/* validate/measured/measured.h -- measured serving runs: the model, the GPU,
 * the load and the latencies.  The configuration gives the values that a file
 * lacks.  measured_read.h fills a struct measured, one file after another. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"
#include "workload/planned.h"

enum run_latency { RUN_TTFT, RUN_TPOT, RUN_E2EL, N_RUN_LATENCIES };
extern const char *const latency_name[N_RUN_LATENCIES]; /* "ttft" … */

enum statistic {
	STATISTIC_MEAN,
	STATISTIC_P50,
	STATISTIC_P90,
	STATISTIC_P95,
	STATISTIC_P99,
	N_STATISTICS
};
extern const char *const statistic_name[N_STATISTICS]; /* mean, p50 …       */

/* The times of one metric in ms, by enum statistic; NaN: not measured. */
struct measured_times {
	double of[N_STATISTICS];
};
extern const struct measured_times measured_no_times; /* all NaN            */

struct measured_length {
	uint32_t input_tokens, output_tokens;
};

/* What the parallel sizes of a row mean (parallelism.h). */
enum measured_ranks {
	RANKS_AS_ROW,
	RANKS_SQUARE,
	RANKS_EP_IS_TP,
	RANKS_TP_IS_GPUS
};

/* Prefill and decode on engines of their own: how the workers of one role were
 * launched, as a file of facts tells it (facts.h). */
enum measured_side { MEASURED_PREFILL, MEASURED_DECODE, N_MEASURED_SIDES };
struct measured_pool {
	double workers, tp; /* tp: the ranks of a worker                     */
	char *attention_dp; /* "yes": each rank has requests of its own      */
	char *ep; /* ways of expert parallelism, or True: over all ranks     */
	double max_batch, max_tokens; /* of a step                           */
};

/* NaN, or NULL: the file does not say. */
struct measured_row {
	const char *file; /* that has the row                               */
	uint64_t line;
	char *id, *run, *protocol, *model, *gpu, *dtype, *gemm_dtype;
	char *moe_dtype, *engine, *engine_version, *mode, *origin, *arrival;
	char *workload, *trace, *flags;
	char *measured; /* the day, as 2026-03-27 */
	/* How it was launched (launch.h): a section of the aliases, or NULL;
	 * and what its ranks mean. */
	const char *launch;
	/* Without a launch: the empty column that one asks for, or NULL. */
	const char *launch_lacks;
	enum measured_ranks ranks;
	double gpu_count, tensor_parallel_size, pipeline_parallel_size;
	double data_parallel_size, expert_parallel_size;
	double attention_dp; /* ranks with requests of their own             */
	double max_model_len, max_num_seqs;
	double max_num_batched_tokens, gpu_memory_utilization;
	double num_gpu_blocks, block_size;
	double stage, request_rate, concurrency, duration_s, num_requests;
	double running; /* requests in a step, mean                         */
	/* For rows of separate prefill and decode pools: how certain it is
	 * which launch they had, the pools, and what both pools have in
	 * common.  redundant_experts: copies of experts that balance the load.
	 */
	char *certainty, *kv_cache_dtype, *moe_kernels, *all_to_all;
	struct measured_pool pool[N_MEASURED_SIDES];
	double draft_tokens, memory_fraction, redundant_experts;
	double input_tokens, shared_prefix_tokens, output_tokens;
	struct measured_times time[N_RUN_LATENCIES];
	double output_throughput; /* tok/s, of all GPUs                      */
	/* The requests one by one, where the file has them. */
	struct planned_request *request;
	uint64_t n_requests, n_failed; /* n_failed: left out */
	/* 1: the file has means and percentiles of requests, but neither their
	 * lengths nor their arrivals. */
	int is_summary;
	int load_is_unknown; /* neither a rate nor clients: all at once      */
	/* Samples of its workload (lengths.h). */
	struct measured_length *length;
	uint64_t n_lengths;
};

struct measured {
	char **path; /* [n_paths] the files                                 */
	size_t n_paths;
	struct measured_row *row;
	size_t n;
};

void measured_free(struct measured *m);

/* Forgets percentiles of rows that are summaries without samples of lengths:
 * those of requests of mean length would be compared with them.  Returns the
 * number of these rows. */
size_t measured_keep_means(struct measured *m);

/* Whether prefill and decode ran on engines of their own. */
int measured_is_apart(const struct measured_row *r);
/* Whether flags ("A|B") has a flag that begins so. */
int measured_has_flag(const struct measured_row *r, const char *flag);
/* Whether tpot counts the first token as well: by the row's flags, or where it
 * is `running` / output_throughput. */
int measured_tpot_has_first_token(const struct measured_row *r);
/* Mean and percentiles of v[n], which is sorted in place; NaN for n = 0. */
struct measured_times measured_summary(double *v, size_t n);

/* ---- for the readers ---- */

/* The columns of a file with a row per run, each a field of the row: text
 * (char *, NULL: none) or a number (double, NaN: none). */
enum measured_type { MEASURED_TEXT, MEASURED_NUMBER };
extern const struct measured_column {
	const char *name;
	enum measured_type type;
	size_t offset; /* in struct measured_row */
} measured_column[];
extern const size_t measured_n_columns;

/* A cell as a number, which may have a unit or a remark behind a space: "0.9
 * (default)"; NaN for an empty one.  0, or -1: no number. */
int measured_number(const char *cell, double *out);
/* Puts a cell into its field, and frees the one before.  NULL, or the fault,
 * as static text. */
const char *measured_put(struct measured_row *to,
			 const struct measured_column *c, const char *cell);
/* One more file, which rows added from now on are of.  0, or -1 with *p. */
int measured_add_file(struct measured *m, const char *path, struct problem *p);
/* The file that is being read. */
const char *measured_path(const struct measured *m);
/* One more row with nothing known; NULL: *p. */
struct measured_row *measured_add(struct measured *m, struct problem *p);
