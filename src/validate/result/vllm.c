/* vllm.c -- Reads what `vllm bench serve` saves (--save-result, and with
 * --save-detailed request by request), and SGLang's bench_serving, which grew
 * from the same program (a line a run; --output-details tells lengths and times
 * of each request, but not when it was sent).
 *
 * Members as of vllm-project/vllm @ 99d7eb5d vllm/benchmarks/serve.py, and of
 * sgl-project/sglang @ 6e48df33 python/sglang/benchmark/serving.py. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "validate/result/results.h"

/* ---- request by request ---- */

enum { IN, OUT, START, TTFT, LATENCY, ITL, ERROR, N_LISTS };
static const char *const list_name[N_LISTS] = {
    "input_lens", "output_lens", "start_times", "ttfts",
    "latencies",  "itls",        "errors"};

/* Lists of all requests.  NULL: not there, or empty. */
struct detail {
	const json_t *of[N_LISTS];
	size_t n;
};

static double item(const json_t *array, size_t i)
{
	const json_t *v = json_array_get(array, i);
	return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

/* End to end, ms: as measured, or the first token and all gaps after it. */
static double latency_ms(const struct detail *d, size_t i)
{
	double s = item(d->of[LATENCY], i);
	if (!isnan(s))
		return 1e3 * s;
	const json_t *gaps = json_array_get(d->of[ITL], i);
	s = item(d->of[TTFT], i);
	for (size_t k = 0; k < json_array_size(gaps); k++)
		s += item(gaps, k);
	return json_is_array(gaps) ? 1e3 * s : (double)NAN;
}

static int is_length(double v)
{
	return v >= 1 && v <= 1e8;
}

static double start_s(const struct detail *d, size_t i)
{
	return d->of[START] ? item(d->of[START], i) : 0;
}

static int succeeded(const struct detail *d, size_t i)
{
	const char *error = json_string_value(json_array_get(d->of[ERROR], i));
	return !(error && *error) && is_length(item(d->of[OUT], i)) &&
	       is_length(item(d->of[IN], i)) && fabs(start_s(d, i)) <= 1e9;
}

/* Refuses a negative time, and a value that is neither number nor null. */
static int check_value(const struct result *r, int list, size_t request,
		       const json_t *v)
{
	char what[200];
	if (json_is_null(v) ||
	    (json_is_number(v) && (json_number_value(v) >= 0 || list <= START)))
		return 0;
	if (json_is_number(v))
		snprintf(what, sizeof what,
			 "%s has the negative time %g, of request %zu",
			 list_name[list], json_number_value(v), request);
	else
		snprintf(what, sizeof what,
			 "%s has no number for request %zu; write one, or null",
			 list_name[list], request);
	return result_fault(r, what);
}

/* Refuses a member that is no list, and a list of another length than the
 * first, because then requests were cut from some lists alone. */
static int check_list(const struct result *r, const json_t *o, int list,
		      size_t n)
{
	const json_t *all = result_member(o, list_name[list]);
	size_t has = json_array_size(all);
	char what[200];
	if (all && !json_is_array(all)) {
		snprintf(what, sizeof what, "%s must be a list",
			 list_name[list]);
		return result_fault(r, what);
	}
	if (n && has && has != n) {
		snprintf(what, sizeof what,
			 "%s has %zu values, but input_lens %zu",
			 list_name[list], has, n);
		return result_fault(r, what);
	}
	for (size_t i = 0; list != ERROR && i < has; i++) {
		const json_t *one = json_array_get(all, i);
		int is_list = list == ITL && json_is_array(one);
		size_t m = is_list ? json_array_size(one) : 1;
		for (size_t k = 0; k < m; k++)
			if (check_value(r, list, i,
					is_list ? json_array_get(one, k)
						: one) < 0)
				return -1;
	}
	return 0;
}

/* Without times of arrival the requests are samples of lengths. */
static int give_lengths(struct measured_row *row)
{
	row->length = calloc(row->n_requests, sizeof *row->length);
	if (!row->length)
		return -1;
	for (uint64_t i = 0; i < row->n_requests; i++)
		row->length[i] =
		    (struct measured_length){row->request[i].input_tokens,
					     row->request[i].output_tokens};
	row->n_lengths = row->n_requests;
	row->n_requests = 0;
	free(row->request);
	row->request = NULL;
	return 0;
}

static int take_detail(const struct result *r, struct measured_row *row,
		       const struct detail *d)
{
	struct measured_requests all = {0};
	const char *why = NULL;
	for (size_t i = 0; !why && i < d->n; i++) {
		if (!succeeded(d, i)) {
			row->n_failed++;
			continue;
		}
		const double v[N_REQUEST_COLUMNS] = {
		    [REQUEST_INPUT] = floor(item(d->of[IN], i)),
		    [REQUEST_OUTPUT] = floor(item(d->of[OUT], i)),
		    [REQUEST_TTFT] = 1e3 * item(d->of[TTFT], i),
		    [REQUEST_E2EL] = latency_ms(d, i)};
		why = measured_requests_add(&all, llround(1e9 * start_s(d, i)),
					    v);
	}
	if (why)
		result_fault(r, why);
	else
		measured_requests_give(&all, row);
	measured_requests_free(&all);
	if (!why && !d->of[START] && row->n_requests && give_lengths(row) < 0)
		return problem_no_memory(r->p);
	return why ? -1 : 0;
}

int result_requests(const struct result *r, struct measured_row *row,
		    const json_t *o)
{
	const json_t *first = json_object_get(o, list_name[IN]);
	struct detail d = {.n = json_array_size(first)};
	for (int i = 0; i < N_LISTS; i++) {
		const json_t *all = json_object_get(o, list_name[i]);
		if (check_list(r, o, i, d.n) < 0)
			return -1;
		d.of[i] = json_array_size(all) ? all : NULL;
	}
	return d.of[IN] && d.of[OUT] ? take_detail(r, row, &d) : 0;
}

/* ---- a result ---- */

/* Adds the row of a run, with its requests if the file has them. */
static int add(struct result *r, const json_t *o)
{
	/* The names of a metric; SGLang's differs for the last. */
	static const char *const name[N_RUN_LATENCIES][2] = {
	    {"ttft", "ttft"}, {"tpot", "tpot"}, {"e2el", "e2e_latency"}};
	static const struct result_field field[] = {
	    RESULT_TEXT(model, "model_id|server_info.model_path"),
	    RESULT_NUMBER(request_rate, "request_rate"),
	    RESULT_NUMBER(concurrency, "max_concurrency"),
	    RESULT_NUMBER(duration_s, "duration"),
	    RESULT_NUMBER(num_requests, "completed"),
	    RESULT_NUMBER(output_throughput, "output_throughput"),
	    /* SGLang's client asks the server what it is. */
	    RESULT_TEXT(engine_version, "server_info.version"),
	    RESULT_NUMBER(tensor_parallel_size, "server_info.tp_size"),
	    RESULT_NUMBER(pipeline_parallel_size, "server_info.pp_size"),
	    RESULT_NUMBER(data_parallel_size, "server_info.dp_size"),
	    RESULT_NUMBER(expert_parallel_size, "server_info.ep_size"),
	};
	struct measured_row *row = result_row(r, 0);
	if (!row)
		return -1;
	double in, out;
	if (RESULT_TAKE(r, row, o, field) < 0 ||
	    result_figure(r, o, "total_input_tokens", &in) < 0 ||
	    result_figure(r, o, "total_output_tokens", &out) < 0)
		return -1;
	double n = row->num_requests;
	row->input_tokens = in / n;
	row->output_tokens = out / n;
	if (result_member(o, "server_info"))
		row->engine = strdup("sglang");
	if (!(n >= 1))
		return result_fault(r, "it names no completed requests");
	if (result_flat_times(r, row, o, name, 1) < 0 ||
	    result_requests(r, row, o) < 0)
		return -1;
	row->is_summary = !row->n_requests && !row->n_lengths;
	return 0;
}

static int is(const json_t *o)
{
	return result_member(o, "mean_ttft_ms|mean_e2el_ms|"
				"mean_e2e_latency_ms|median_ttft_ms") != NULL;
}

const struct result_format result_vllm = {
    "vllm bench serve or SGLang's bench_serving (mean_ttft_ms …)", is, add};
