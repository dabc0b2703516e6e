/* study/results.h -- the results of a study, arm by arm;
 * report/results/results.h writes them. */
#pragma once
#include <stdint.h>
#include "arm/configuration.h"
#include "cost/breakdown.h"
#include "record/uncertainty.h"
#include "sim/simulation.h"
#include "trust/trusted.h"

/* The result of a job in shared memory.  Plain data without pointers. */
struct arm_record {
	char plugin[64], version[64];
	/* the number that it resolved to, and the reason */
	char num_gpu_blocks[840];
	uint32_t capabilities; /* SC_CAP_* of the plugin */
	/* 1: the step log was abandoned because it became too long */
	uint32_t log_cut;
	uint64_t request_hash; /* of its requests */
	/* If it was only to find its warm-up (study_task.finds_warm_up). */
	uint64_t warm_up_requests;
	uint32_t is_steady;
	struct outcome outcome;
	struct breakdown breakdown;
	struct uncertainty_run uncertainty; /* the model's own */
};

struct arm_result {
	const char *name;
	const char *error; /* the error, one line; NULL: the rest is valid */
	const struct arm_record *record;
	struct trusted trusted;
	/* JSON objects, from arm_write() and provenance_arm(); NULL: none. */
	const char *setup, *provenance;
};
struct results {
	const char *command; /* "run" or "compare" */
	uint64_t seed;
	const struct config *config; /* may be NULL */
	const char *provenance; /* a JSON object; NULL: without --provenance */
	const char *warm_up;    /* its rule; NULL: none */
	int is_unsteady;        /* 1: by rule, and the run is too short */
	struct arm_result *arm; /* [n] the others are compared with the first */
	size_t n;
};
