/* cmd/cmd.h -- the commands.  Only they print: results on standard output or
 * --output, everything else on standard error. */
#ifndef SC_CMD_CMD_H
#define SC_CMD_CMD_H

#include "arm/configuration.h"
#include "base/cmdline.h"
#include "base/outfile.h"
#include "base/problem.h"
#include "stepcost/plugin.h"

/* One a file of its name; commands.c has the list. */
extern const struct command command_calibrate;
extern const struct command command_compare;
extern const struct command command_capacity;
extern const struct command command_eval;
extern const struct command command_kernel;
extern const struct command command_plugins_check;
extern const struct command command_experiment;
extern const struct command command_experiment_list;
extern const struct command command_plugins_new;
extern const struct command command_model_show;
extern const struct command command_plugins_describe;
extern const struct command command_plugins_list;
extern const struct command command_run;
extern const struct command command_sweep;
extern const struct command command_sweep_merge;
extern const struct command command_sweep_pareto;
extern const struct command command_sweep_plot;
extern const struct command command_sweep_show;
extern const struct command command_tables_check;
extern const struct command command_tables_fit;
extern const struct command command_tables_list;
extern const struct command command_trace_info;
extern const struct command command_validate;

/* "stepcost: text" on stderr, fit for a terminal. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same, unless --quiet. */
void note(const struct cmdline *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Of a problem; returns its code. */
int complain(const struct problem *p);
/* The same beside what went wrong before; returns the higher code. */
int complain_too(int code, const struct problem *p);
/* What each job said on its standard error, and of each that failed, why;
 * returns the highest code. */
struct jobs;
int complain_of_jobs(const struct jobs *a);
struct job;
void pass_on_overheard(const struct job *j);
/* Notes that jobs wrote to a stream, line by line; none of a job that had the
 * same ones as the job before it. */
void pass_on_notes(const struct cmdline *c, const struct jobs *a,
		   unsigned stream);
/* Where the result goes.  0, or -1 with *p; outfile_discard() in either case.
 */
int open_output(struct outfile *o, const struct cmdline *c, struct problem *p);
/* The configuration c->arg[0] with --set and --arms; what the user is to know
 * of it is said.  0, or -1 with *p; config_free() in either case. */
int open_config(struct config *config, const struct cmdline *c,
		struct problem *p);
/* The same for a command that prices and serves nothing: a split that no engine
 * has is a warning. */
int open_priced_config(struct config *config, const struct cmdline *c,
		       struct problem *p);
/* For plugins: information and warnings go to stderr, unless --quiet. */
sc_host command_host(const struct cmdline *c);
#endif
