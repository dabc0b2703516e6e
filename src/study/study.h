/* study/study.h -- the same requests through every arm, each arm in a job of
 * its own: what `run` and `compare` do.  An arm that fails leaves the others
 * alone.  [main] */
#ifndef SC_STUDY_STUDY_H
#define SC_STUDY_STUDY_H
#include "arm/configuration.h"
#include "jobs/jobs.h"
#include "study/results.h"

/* The options of `run` and `compare`. */
struct study_options {
	const char *write_requests, *write_steps, *perfetto, *html, *plot;
	const char *watch; /* "": until interrupted; else how many times    */
	int64_t seeds;
	int unpaired;
	const char *ablate, *leave_one_out;
	const char *swap; /* "A,B": implies why                              */
	int strict; /* 0: not; -1: fallback; else from 1, see study_option   */
	int provenance;
	int why;
	int in_process;
	int64_t jobs;            /* 0: as many as cores                      */
	double answer_limit_s;   /* 0: none                                  */
	double memory_limit_gib; /* 0: none                                  */
};
extern const struct study_options study_defaults;

enum study_stream {
	STREAM_SAID,   /* lines for standard error   */
	STREAM_SETUP,  /* JSON object: the arm as resolved  */
	STREAM_ORIGIN, /* JSON object: its provenance */
	STREAM_REQUESTS,
	STREAM_STEPS,
	STREAM_TIMELINE,
	STREAM_LOG_STEPS, /* binary, see steplog.h */
	STREAM_LOG_REQUESTS,
	N_STREAMS
};

/* One arm, as its job is told. */
struct study_task {
	const struct config *config;
	const struct study_options *options;
	size_t arm; /* of the configuration                           */
	uint64_t seed_shift; /* added to the configuration's seed            */
	int keep_logs;     /* for explain.h                                  */
	size_t step_bytes; /* of live memory                                 */
};
struct study {
	size_t n; /* arms */
	struct study_task *task;
	struct job *job;
	struct jobs arms;
	struct arm_result *arm;
	struct results results;
	struct jobs_options how;
};

/* The first n arms of the configuration; logs are kept for
 * explain.h where `why` or `html` asks for them.  progress: may be NULL.  -1
 * with *p: nothing was run, or it was interrupted (arms.interrupted).  How each
 * arm fared is in itself.  study_free() in either case. */
int study_run(struct study *s, const char *command, const struct config *c,
	      size_t n, const struct study_options *o,
	      void (*progress)(void *user, const struct job *job, size_t n),
	      void *progress_user, struct problem *p);
/* What one job does (its user is a struct study_task), and what it leaves. */
int study_job(struct job *j, struct problem *p);
const struct arm_record *study_record(const struct job *j);
/* The highest of the arms' exit codes; an arm under which nothing completed
 * says no. */
int study_code(const struct study *s);
/* The same of any jobs that did study_job(). */
int study_code_of(const struct job *job, size_t n);
/* Some arm succeeded, or one failed through its plugin: there is something to
 * report. */
int study_has_results(const struct study *s);
/* The streams of the arms that succeeded, in order, behind each other. */
void study_join(const struct study *s, enum study_stream which, FILE *to);
void study_free(struct study *s);
#endif
