/* record/recorder.h -- watches a simulation and writes what the user asked for:
 * a line per request, a line per step, events for a timeline, sums by part.  It
 * runs in a job.  The streams belong to the job and have no headers, so that
 * those of several arms can be joined in any order.  Never seeks; keeps only
 * lines of steps that wait for results. */
#pragma once
#include <stdio.h>
#include "base/problem.h"
#include "cost/breakdown.h"
#include "cost/floor.h"
#include "cost/strict.h"
#include "jobs/status.h"
#include "record/held_steps.h"
#include "record/sessions.h"
#include "record/timeline.h"
#include "record/uncertainty.h"
#include "sim/observer.h"

struct recorder {
	const char *arm;
	struct job_status *status; /* for the progress line */
	struct breakdown *breakdown;
	/* NULL: not wanted. */
	FILE *requests, *steps, *transfers, *scaling, *lifetimes;
	struct sessions *sessions; /* NULL: not wanted */
	struct held_steps held;
	struct timeline *timeline;
	FILE *log_steps, *log_requests; /* binary, see steplog.h */
	uint32_t n_parts[2]; /* doubles in sc_result.part_us, by pool */
	uint32_t n_sigma[2]; /* and in sc_result.sigma_us */
	/* Beyond this many bytes the log of steps ends, and *log_cut is set. */
	uint64_t log_limit, logged;
	uint32_t *log_cut;
	FILE *said; /* remarks, one line each */
	/* 1: schedule_us is added to each step, so a host_us in it counts
	 * twice; this is remarked once. */
	int schedule_is_extra;
	struct uncertainty_watch uncertainty;
	struct strict strict;         /* what ends the run */
	const struct floor *floor[2]; /* by pool; needed if that asks for it */
};

/* r must outlive the observer. */
struct observer recorder_observe(struct recorder *r);
/* The simulation is over, or broke off. */
void recorder_end(struct recorder *r);
/* The word of a request's status, by enum ending. */
extern const char *const recorder_ending[];
/* Write the header lines of the CSV streams. */
void recorder_requests_head(FILE *f);
void recorder_steps_head(FILE *f);
void recorder_transfers_head(FILE *f);
void recorder_scaling_head(FILE *f);
void recorder_lifetimes_head(FILE *f);
