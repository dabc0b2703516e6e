/* measured.c -- Keeps rows of measured runs. */
#include "validate/measured/measured.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "math/statistics.h"

const char *const latency_name[N_RUN_LATENCIES] = {"ttft", "tpot", "e2el"};
const char *const statistic_name[N_STATISTICS] = {"mean", "p50", "p90", "p95",
						  "p99"};
const struct measured_times measured_no_times = {{NAN, NAN, NAN, NAN, NAN}};

#define FIELD(name, type, field)                                               \
	{                                                                      \
		name, type, offsetof(struct measured_row, field)               \
	}
#define T(field) FIELD(#field, MEASURED_TEXT, field)
#define N(field) FIELD(#field, MEASURED_NUMBER, field)
#define TIME(stat, at, name, metric)                                           \
	FIELD(stat "_" name "_ms", MEASURED_NUMBER, time[metric].of[at])
#define TIMES(name, metric)                                                    \
	TIME("mean", STATISTIC_MEAN, name, metric),                            \
	    TIME("p50", STATISTIC_P50, name, metric),                          \
	    TIME("p90", STATISTIC_P90, name, metric),                          \
	    TIME("p95", STATISTIC_P95, name, metric),                          \
	    TIME("p99", STATISTIC_P99, name, metric)
#define POOL(role, index)                                                      \
	FIELD(role "_workers", MEASURED_NUMBER, pool[index].workers),          \
	    FIELD(role "_tp", MEASURED_NUMBER, pool[index].tp),                \
	    FIELD(role "_attention_dp", MEASURED_TEXT,                         \
		  pool[index].attention_dp),                                   \
	    FIELD(role "_ep", MEASURED_TEXT, pool[index].ep),                  \
	    FIELD(role "_max_batch", MEASURED_NUMBER, pool[index].max_batch),  \
	    FIELD(role "_max_tokens", MEASURED_NUMBER, pool[index].max_tokens)
const struct measured_column measured_column[] = {
    T(id),
    T(run),
    T(protocol),
    T(model),
    T(gpu),
    T(dtype),
    T(gemm_dtype),
    T(moe_dtype),
    T(engine),
    T(engine_version),
    T(mode),
    T(origin),
    T(arrival),
    T(measured),
    T(workload),
    T(trace),
    T(flags),
    N(gpu_count),
    N(tensor_parallel_size),
    N(pipeline_parallel_size),
    N(data_parallel_size),
    N(expert_parallel_size),
    N(attention_dp),
    N(max_model_len),
    N(max_num_seqs),
    N(max_num_batched_tokens),
    N(gpu_memory_utilization),
    N(num_gpu_blocks),
    N(block_size),
    N(stage),
    N(request_rate),
    N(concurrency),
    N(running),
    N(duration_s),
    N(num_requests),
    N(input_tokens),
    N(shared_prefix_tokens),
    N(output_tokens),
    N(output_throughput),
    T(certainty),
    POOL("prefill", MEASURED_PREFILL),
    POOL("decode", MEASURED_DECODE),
    T(kv_cache_dtype),
    T(moe_kernels),
    T(all_to_all),
    N(draft_tokens),
    N(memory_fraction),
    N(redundant_experts),
    TIMES("ttft", RUN_TTFT),
    TIMES("tpot", RUN_TPOT),
    TIMES("e2el", RUN_E2EL),
};
const size_t measured_n_columns =
    sizeof measured_column / sizeof *measured_column;

int measured_number(const char *cell, double *out)
{
	char *end;
	*out = NAN;
	if (!*cell)
		return 0;
	*out = strtod(cell, &end);
	return end == cell || (*end && *end != ' ') || !isfinite(*out) ? -1 : 0;
}

const char *measured_put(struct measured_row *to,
			 const struct measured_column *c, const char *cell)
{
	void *at = (char *)to + c->offset;
	double v;
	char *copy, *before;
	if (c->type == MEASURED_NUMBER) {
		if (measured_number(cell, &v) < 0)
			return "not a number:";
		memcpy(at, &v, sizeof v);
		return NULL;
	}
	copy = *cell ? strdup(cell) : NULL;
	if (*cell && !copy)
		return out_of_memory;
	memcpy(&before, at, sizeof before);
	free(before);
	memcpy(at, &copy, sizeof copy);
	return NULL;
}

int measured_add_file(struct measured *m, const char *path, struct problem *p)
{
	char **all = realloc(m->path, (m->n_paths + 1) * sizeof *all);
	if (!all || (m->path = all, all[m->n_paths] = strdup(path)) == NULL)
		return problem_no_memory(p);
	m->n_paths++;
	return 0;
}

const char *measured_path(const struct measured *m)
{
	return m->path[m->n_paths - 1];
}

struct measured_row *measured_add(struct measured *m, struct problem *p)
{
	struct measured_row *row = realloc(m->row, (m->n + 1) * sizeof *m->row);
	if (!row) {
		problem_no_memory(p);
		return NULL;
	}
	m->row = row;
	row += m->n++;
	*row = (struct measured_row){.file = measured_path(m)};
	for (size_t c = 0; c < measured_n_columns; c++)
		if (measured_column[c].type == MEASURED_NUMBER) {
			double none = (double)NAN;
			memcpy((char *)row + measured_column[c].offset, &none,
			       sizeof none);
		}
	return row;
}

void measured_free(struct measured *m)
{
	for (size_t i = 0; i < m->n; i++) {
		for (size_t c = 0; c < measured_n_columns; c++)
			if (measured_column[c].type == MEASURED_TEXT) {
				char *s;
				memcpy(&s,
				       (char *)&m->row[i] +
					   measured_column[c].offset,
				       sizeof s);
				free(s);
			}
		free(m->row[i].request);
		free(m->row[i].length);
	}
	free(m->row);
	for (size_t i = 0; i < m->n_paths; i++)
		free(m->path[i]);
	free(m->path);
	*m = (struct measured){0};
}

size_t measured_keep_means(struct measured *m)
{
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct measured_row *r = &m->row[i];
		if (!r->is_summary || r->n_lengths)
			continue;
		n++;
		for (int k = 0; k < N_RUN_LATENCIES; k++)
			for (int s = STATISTIC_P50; s < N_STATISTICS; s++)
				r->time[k].of[s] = NAN;
	}
	return n;
}

int measured_is_apart(const struct measured_row *r)
{
	return r->mode && strncmp(r->mode, "agg", 3) != 0;
}

int measured_has_flag(const struct measured_row *r, const char *flag)
{
	size_t n = strlen(flag);
	for (const char *s = r->flags; s && *s; s += strcspn(s, "|")) {
		s += *s == '|';
		if (!strncmp(s, flag, n))
			return 1;
	}
	return 0;
}

int measured_tpot_has_first_token(const struct measured_row *r)
{
	return r->running >= 1 ||
	       measured_has_flag(r, "GUIDELLM_TPOT_INCLUDES_TTFT");
}

struct measured_times measured_summary(double *v, size_t n)
{
	double sum = 0;
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(v[i]))
			sum += v[kept++] = v[i];
	if (!kept)
		return measured_no_times;
	stats_sort(v, kept);
	return (struct measured_times){
	    {sum / (double)kept, stats_percentile(v, kept, .5),
	     stats_percentile(v, kept, .9), stats_percentile(v, kept, .95),
	     stats_percentile(v, kept, .99)}};
}
