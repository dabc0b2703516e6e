/* cmd/cmd.h -- the commands.  Only they print: results go to standard output or
 * --output, everything else goes to standard error. */
#pragma once

#include "arm/configuration.h"
#include "base/cmdline.h"
#include "base/file/outfile.h"
#include "base/problem.h"
#include "stepcost/plugin.h"

/* The options that bound a child process.  `at`: the member that has
 * answer_limit_s, with its point, or nothing.  fails: "an arm fails". */
#define JOB_LIMITS(block_, at_, fails_, of_)                                   \
	OPTION_OF(block_, NUMBER, "answer-limit", "SECONDS",                   \
		  at_ answer_limit_s,                                          \
		  fails_ " when its plugin takes longer for one call; 0: no "  \
			 "limit",                                              \
		  .max = 1e6),                                                 \
	    OPTION_OF(block_, NUMBER, "memory-limit", "GIB",                   \
		      at_ memory_limit_gib,                                    \
		      "address space of " of_ "; 0: no limit", .max = 1e6)

/* Writes "stepcost: text" to standard error, printable on a terminal. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same, unless --quiet. */
void print_note(const struct cmdline *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Writes the text of a problem.  Returns its code. */
int print_error(const struct problem *p);
/* The same after an earlier error with this code.  Returns the higher code. */
int print_error_too(int code, const struct problem *p);
/* Writes the standard error of each job, and for each failed job the reason.
 * Returns the highest code. */
struct jobs;
int print_job_errors(const struct jobs *a);
struct job;
void pass_on_captured_stderr(const struct job *j);
/* Writes the notes that jobs wrote to a stream, line by line.  A job with the
 * same notes as the job before it is left out. */
void pass_on_notes(const struct cmdline *c, const struct jobs *a,
		   unsigned stream);
/* Opens the output for the result.  Returns 0, or -1 with *p filled in and
 * nothing to discard. */
int open_output(struct outfile *o, const struct cmdline *c, struct problem *p);
/* Reads the configuration c->arg[0] with --set and --arms, and prints its notes
 * and warnings.  Returns 0, or -1 with *p filled in.  The caller calls
 * config_free() in either case. */
int open_config(struct config *config, const struct cmdline *c,
		struct problem *p);
/* The same for a command that prices kernels of any layers, and serves no
 * requests: a split that no engine has is only a warning. */
int open_kernels_config(struct config *config, const struct cmdline *c,
			struct problem *p);
/* Prints the notes of a configuration that is in order. */
void print_config_note(const struct config *config, const struct cmdline *c);
/* The same with the warnings of one that is loaded to price. */
void print_priced_config_note(const struct config *config,
			      const struct cmdline *c);
/* Returns a host for plugins: information and warnings go to standard error,
 * unless --quiet. */
sc_host command_host(const struct cmdline *c);
