/* recommend/question.h -- what a worker is asked of a configuration, and what
 * it answers.  Plain data, except the task that all questions share. */
#pragma once
#include "recommend/race.h"
#include "store/rows.h"
#include "capacity/answer.h"
#include "trust/trusted.h"
#include "sweep/plan.h"

/* The same for all questions.  config and traces become the worker's own. */
struct work_task {
	const struct plan *plan;
	struct config *config;
	struct traces *traces;
	const struct bounds *bounds;
	double precision;
	double rate;        /* to be carried by a full search; 0: the highest	*/
	uint32_t gpus;      /* at most                                      */
	int one_draw;       /* full searches are of one draw                */
	int runs_are_fixed; /* the number of requests stands                */
	/* of a trace that comes at its own times, once through; 0: none */
	uint64_t timed_requests;
	int is_energy;     /* RACE_MEASURE: the least energy of a token    */
	size_t step_bytes; /* of the worker's shared memory                */
};

/* What a configuration takes. */
struct work_survey {
	uint32_t gpus;
	double kv_tokens;    /* room of all replicas; INFINITY: no limit      */
	double usd_per_hour; /* of all GPUs; NaN: unknown                     */
	double usd_per_joule; /* 0: unknown                                   */
};
/* A run that met the bounds. */
struct work_served {
	/* NaN: none */
	double request_rate, output_throughput, mean_tpot_ms, joules_per_token;
};
/* Plain data. */
struct work_answer {
	struct work_survey survey;
	struct race_answer race;
	struct work_served served;
	struct capacity found; /* of WORK_SEARCH and WORK_MISS */
	/* For WORK_SEARCH: the GPUs of the least fleet of that shape, and the
	 * answer if the arm errs here by as much as elsewhere. */
	double needs_gpus;
	struct answer_outside outside;
	struct capacity pessimistic;
	int has_pessimistic;
	double miss; /* of WORK_MISS: the largest figure over its bound; 0:
			none is broken                                 */
	struct trusted trusted;
	char warning[STORE_WARNING];
};

enum work_ask { WORK_SURVEY, WORK_RACE, WORK_SEARCH, WORK_MISS };
struct work_question {
	enum work_ask ask;
	uint64_t point;
	struct race_question race;
};
