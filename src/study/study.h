/* study/study.h -- runs the same requests through every arm, each arm in a job
 * of its own: the work of `run` and `compare`.  An arm that fails does not
 * affect the others.  [main] */
#pragma once
#include "arm/configuration.h"
#include "base/names.h"
#include "jobs/jobs.h"
#include "record/warm_up.h"
#include "study/results.h"

/* The options of `run` and `compare`. */
struct study_options {
	const char *write_requests, *write_steps, *write_transfers,
	    *write_scaling, *write_replicas, *write_sessions, *perfetto, *html,
	    *plot;
	const char *watch; /* "": until interrupted; else a number of times */
	const char *make;  /* with watch: the command that builds the plugins */
	const char *warm_up;       /* as record/warm_up.h reads it */
	const char *seeds, *until; /* as study/seeds.h reads them */
	int unpaired, all_pairs;
	const char *ablate, *leave_one_out;
	struct names factorial;
	int64_t order;    /* of interactions */
	const char *swap; /* "A,B"; implies why */
	struct names fail_if;
	/* 0: off; -1: fallback; else index from 1, see study_option */
	int strict;
	int provenance;
	int keep_requests; /* 1: their stream is wanted, to no file */
	int why;
	int in_process;
	int64_t jobs;            /* 0: one per core */
	double answer_limit_s;   /* 0: none */
	double memory_limit_gib; /* 0: none */
};
extern const struct study_options study_defaults;

enum study_stream {
	STREAM_SAID,   /* lines for standard error */
	STREAM_SETUP,  /* JSON object: the resolved arm */
	STREAM_ORIGIN, /* JSON object: its provenance */
	STREAM_REQUESTS,
	STREAM_STEPS,
	STREAM_TRANSFERS,
	STREAM_SCALING,   /* decisions on the number of replicas */
	STREAM_LIFETIMES, /* replicas that came and went */
	STREAM_SESSIONS,
	STREAM_TIMELINE,
	STREAM_LOG_STEPS, /* binary, see steplog.h */
	STREAM_LOG_REQUESTS,
	N_STREAMS
};

/* The arguments of one arm's job. */
struct study_task {
	const struct config *config;
	const struct study_options *options;
	size_t arm;          /* index in the configuration */
	uint64_t seed_shift; /* added to the configuration's seed */
	int keep_logs;       /* for explain.h */
	size_t step_bytes;   /* size of live memory */
	struct warm_up warm_up;
	int finds_warm_up; /* 1: only to find the end of its warm-up */
};
struct study {
	size_t n; /* arms */
	struct study_task *task;
	struct job *job;
	struct jobs arms;
	struct arm_result *arm;
	struct results results;
	struct jobs_options how;
	struct warm_up_rule warm_up;
};

/* Runs the first n arms of the configuration; keeps logs for explain.h if `why`
 * or `html` needs them.  progress: may be NULL.  Returns -1 with *p filled in
 * if nothing was run, or if the user interrupted (arms.interrupted).  Each arm
 * has its own result.  The caller calls study_free() in either case. */
int study_run(struct study *s, const char *command, const struct config *c,
	      size_t n, const struct study_options *o,
	      void (*progress)(void *user, const struct job *job, size_t n),
	      void *progress_user, struct problem *p);
/* The work of one job (its user is a struct study_task), and its result. */
int study_job(struct job *j, struct problem *p);
const struct arm_record *study_record(const struct job *j);
/* Returns the highest of the arms' exit codes; an arm that completed no request
 * counts as EXIT_SAYS_NO. */
int study_code(const struct study *s);
/* The same for any jobs that ran study_job(). */
int study_code_of(const struct job *job, size_t n);
/* Returns 1 if the arm ran, and a request completed. */
int arm_has_latencies(const struct arm_result *a);
/* Returns 1 if there is something to report: an arm succeeded, or failed
 * because of its plugin. */
int study_has_results(const struct study *s);
/* Writes the streams of the arms that succeeded, in order. */
void study_join(const struct study *s, enum study_stream which, FILE *to);
void study_free(struct study *s);
