/* validate/replay/protocol.h -- how a kind of measurement was made, and so how
 * it is simulated.  The protocols and their constants are data, [protocol:NAME]
 * of the alias file (etc/measured.ini):
 * - prompts: exponential gaps scaled so that a stage's requests fill it, stage
 *   after stage of a run in one simulation; a pool of prompts in groups with a
 *   shared prefix; means over several seeds
 * - replay: the arrivals of a trace, one stage of it; without a rate a closed
 *   loop of one
 * - single: one request at a time
 * - closed: a closed loop of prompts that share nothing
 * - benchmark: arrivals as a benchmark client makes them: at a rate, at once,
 *   or in a closed loop
 * - published: what a publisher tells of a run: a closed loop, Poisson arrivals
 *   or all requests at once, with even lengths */
#pragma once
#include "base/ini.h"
#include "validate/measured/measured.h"

enum protocol_kind {
	PROTOCOL_PROMPTS,
	PROTOCOL_REPLAY,
	PROTOCOL_SINGLE,
	PROTOCOL_CLOSED,
	PROTOCOL_BENCHMARK,
	PROTOCOL_PUBLISHED
};
enum protocol_arrivals { ARRIVALS_CLOSED, ARRIVALS_POISSON, ARRIVALS_AT_ONCE };
enum protocol_async {
	PROTOCOL_ASYNC_AUTO, /* by the engine's version */
	PROTOCOL_ASYNC_TRUE,
	PROTOCOL_ASYNC_FALSE
};
enum protocol_caching {
	PROTOCOL_CACHING_AS_CONFIGURED,
	PROTOCOL_CACHING_TRUE,
	PROTOCOL_CACHING_FALSE
};

/* The keys of a protocol; protocol.c says what each means. */
struct protocol {
	int64_t kind;                  /* enum protocol_kind    */
	int64_t async_scheduling;      /* enum protocol_async   */
	int64_t enable_prefix_caching; /* enum protocol_caching */
	double input_scale, input_jitter_tokens, max_stage_s, stage_gap_e2e;
	double stage_gap_s;
	double api_overhead_us, api_request_us;
	double response_overhead_us, response_sequence_us;
	double schedule_us;
	double first_step_us, expert_compile_us;
	int64_t prompts, prompt_groups, requests, max_requests, seed, seeds;
	/* Formulas, and their values for the row; 0: as configured. */
	const char *seqs_formula, *tokens_formula;
	double max_num_seqs, max_num_batched_tokens;
	/* of published runs */
	int64_t arrivals; /* enum protocol_arrivals                          */
	int64_t min_requests, step_holds_prompt;
	double shortest, longest, first_wave_share;
	int64_t steady_state, recycled_prompts;
};

/* The protocol of that name, and what rules set of it for the row.  1; 0: there
 * is no such protocol; -1: *p. */
int protocol_read(struct protocol *to, const char *name,
		  const struct measured_row *r, const struct ini *aliases,
		  struct problem *p);
/* Returns how many sequences, and how many tokens, a step of one rank holds at
 * most in a published run. */
double protocol_max_num_seqs(const struct protocol *c,
			     const struct measured_row *r);
double protocol_step_tokens(const struct protocol *c,
			    const struct measured_row *r);
