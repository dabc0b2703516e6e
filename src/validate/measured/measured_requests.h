/* validate/measured/measured_requests.h -- requests that were measured, as CSV
 * with a row each: arrival_s, input_tokens, output_tokens and, where they were
 * timed, ttft_ms and e2el_ms; stage tells those of a run's stages apart. */
#pragma once
#include "base/ini.h"
#include "validate/measured/measured.h"

enum request_column {
	REQUEST_ARRIVAL,
	REQUEST_INPUT,
	REQUEST_OUTPUT,
	REQUEST_TTFT,
	REQUEST_E2EL,
	REQUEST_STAGE,
	N_REQUEST_COLUMNS
};

/* Requests as they are read.  Zeros, and only_stage, at first. */
struct measured_requests {
	double only_stage;         /* rows of others are left out; NaN: none */
	int at[N_REQUEST_COLUMNS]; /* the cell of each column, -1: absent    */
	struct planned_request *request; /* [n] in order of arrival          */
	double *time[N_RUN_LATENCIES];   /* [n] ms, NaN: not timed           */
	uint64_t n, cap;
	int64_t first_ns; /* the first arrival; 0 if read from CSV */
	char message[120];
};

/* The header, then each row, as csv_row_fn: NULL or what is wrong. */
const char *measured_requests_header(struct measured_requests *r,
				     const struct ini *aliases, uint32_t n,
				     char *const *cell);
const char *measured_requests_row(struct measured_requests *r,
				  char *const *cell);
/* One more request; `v` by enum request_column, its arrival apart: a time that
 * counts from any point.  They are in any order.  NULL, or what is wrong. */
const char *measured_requests_add(struct measured_requests *r,
				  int64_t arrival_ns,
				  const double v[N_REQUEST_COLUMNS]);
/* Gives them to a row, in order of arrival, which counts from first_ns; and of
 * their times, mean and percentiles that the row lacks. */
void measured_requests_give(struct measured_requests *r,
			    struct measured_row *to);
void measured_requests_free(struct measured_requests *r);

/* A trace of a measured run: the requests of one stage, or of all (stage NaN).
 * The caller frees *out.  Returns 0, or -1 with *p. */
int measured_trace(const char *path, const struct ini *aliases, double stage,
		   struct planned_request **out, uint64_t *n,
		   struct problem *p);
