/* record/steplog.h -- a run as its steps and ended requests, in binary: a job
 * writes it to a stream, and it is read through a mapping.  Only the program
 * that wrote a log reads it. */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include "base/problem.h"
#include "sim/observer.h"

/* n_parts: number of doubles in result->part_us.  Returns how many bytes were
 * written. */
size_t steplog_write_step(FILE *f, const struct step_event *e,
			  uint32_t n_parts);
/* Only for requests that ended. */
void steplog_write_request(FILE *f, const struct request_event *e);

/* Returns the KV tokens of a step's sequences, cached and new. */
double step_kv_tokens(const sc_step *s);

struct logged_step {
	int64_t start_ns, end_ns;
	int64_t copy_wait_ns, adapter_wait_ns, encoder_ns; /* observer.h */
	sc_step step;     /* its columns are in the log, ids included */
	sc_result result; /* its part_us is in the log */
};
struct logged_request {
	struct request request; /* without its name and segments */
	int64_t seen_ns, transfer_from_ns, transfer_to_ns; /* -1: none */
	int64_t load_from_ns, load_to_ns;                  /* -1: none */
	int64_t first_token_ns, last_token_ns;
	int64_t ttft_ns, tpot_ns, e2el_ns; /* -1: none */
	uint32_t n_visits;
	struct visit visit[REQUEST_VISITS];
};

/* A mapping of the content of a stream. */
struct steplog {
	void *map; /* NULL: empty */
	size_t bytes;
};
/* Returns 0, or -1 with *p filled in. */
int steplog_map(struct steplog *l, FILE *stream, struct problem *p);
void steplog_unmap(struct steplog *l);
/* *at is 0 at first.  The first two return 1, or 0 at the end. */
int steplog_next_step(const struct steplog *l, size_t *at,
		      struct logged_step *out);
int steplog_next_request(const struct steplog *l, size_t *at,
			 struct logged_request *out);
/* The same request in the log itself; NULL at the end. */
const struct logged_request *steplog_see_request(const struct steplog *l,
						 size_t *at);
