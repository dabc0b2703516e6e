/* study/results.h -- what a study found, arm by arm; report/results/results.h
 * writes it. */
#ifndef SC_STUDY_RESULTS_H
#define SC_STUDY_RESULTS_H
#include <stdint.h>
#include "arm/configuration.h"
#include "cost/breakdown.h"
#include "sim/simulation.h"
#include "study/trusted.h"

/* What a job leaves in shared memory.  Plain data, no pointers. */
struct arm_record {
	char plugin[64], version[64];
	char num_gpu_blocks[440]; /* what it resolved to, and why            */
	uint32_t capabilities;    /* SC_CAP_* of the plugin                  */
	uint32_t log_cut;         /* 1: the step log was given up: too long   */
	uint64_t request_hash; /* of the requests it was given               */
	struct outcome outcome;
	struct breakdown breakdown;
};

struct arm_result {
	const char *name;
	const char *error; /* the one line; NULL: the rest holds             */
	const struct arm_record *record;
	struct trusted trusted;
	/* JSON objects, written by arm_write() and its like; NULL: none */
	const char *setup, *provenance;
};
struct results {
	const char *command; /* "run" or "compare"                           */
	uint64_t seed;
	const struct config *config; /* may be NULL                          */
	const char *provenance; /* a JSON object; NULL: without --provenance */
	struct arm_result *arm; /* [n], the first is compared to             */
	size_t n;
};

#endif
