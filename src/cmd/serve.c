/* serve.c -- The command `serve`: an OpenAI-compatible server with the times of
 * the simulated engine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/outfile.h"
#include "cmd/cmd.h"
#include "cmd/study.h"
#include "record/recorder.h"
#include "serve/run.h"
#include "study/study.h"

struct options {
	struct serve_options serve;
	const char *listen, *speed;
};
static const struct options defaults = {
    .serve = {.answer_limit_s = JOB_ANSWER_LIMIT_S,
	      .memory_limit_gib = JOB_MEMORY_LIMIT_GIB}};

static const struct option_def option[] = {
    OPTION(TEXT, "listen", "HOST:PORT", listen,
	   "as serve.listen; port 0: any free one"),
    OPTION(TEXT, "speed", "FACTOR", speed,
	   "as serve.speed: simulated seconds a second"),
    OPTION(NUMBER, "duration", "SECONDS", serve.duration_s,
	   "end after this simulated time; 0: at a signal", .max = 1e9),
    OPTION(OUTPUT, "record", "FILE", serve.record,
	   "write a trace of the requests, which every command replays"),
    OPTION(OUTPUT, "write-requests", "FILE", serve.write_requests,
	   "one CSV line per request and arm, at the end"),
    OPTION(OUTPUT, "write-steps", "FILE", serve.write_steps,
	   "one CSV line per step and arm, at the end"),
    OPTION(NUMBER, "max-lag", "SECONDS", serve.max_lag_s,
	   "exit with 3 if the simulation is that far behind its clock; 0: no "
	   "limit",
	   .max = 1e6),
    JOB_LIMITS(struct options, serve., "an arm fails", "an arm"),
};

/* Says at which addresses the server can be reached. */
static void listens(void *user, const struct server *s)
{
	const char *listen = s->keys.listen;
	(void)user;
	if (!strncmp(listen, "unix:", 5))
		printf("serving %s at %s (speed %g)\n", s->models.item[0],
		       listen, s->speed);
	else
		for (uint32_t i = 0; i < s->n_ports; i++)
			printf("serving %s at http://%.*s:%d (speed %g)\n",
			       s->models.item[0],
			       (int)(strrchr(listen, ':') - listen), listen,
			       s->port[i].number, s->speed);
	fflush(stdout);
	if (s->is_open_to_others)
		say("warning: %s is not this machine alone: others can reach "
		    "the server",
		    listen);
}

static void ready(void *user)
{
	(void)user;
	puts("ready");
	fflush(stdout);
}

static void warns(void *user, const char *text)
{
	(void)user;
	say("%s", text);
}

/* Options that are keys go before those of --set. */
static int open_with_keys(struct config *config, const struct cmdline *c,
			  struct problem *p)
{
	const struct options *o = c->own;
	struct cmdline with = *c;
	char listen[600], speed[80];
	with.set.item = calloc(c->set.n + 2, sizeof *with.set.item);
	if (!with.set.item)
		return problem_no_memory(p);
	for (size_t i = 0; i < c->set.n; i++)
		with.set.item[i] = c->set.item[i];
	if (o->listen) {
		snprintf(listen, sizeof listen, "serve.listen=%s", o->listen);
		with.set.item[with.set.n++] = listen;
	}
	if (o->speed) {
		snprintf(speed, sizeof speed, "serve.speed=%s", o->speed);
		with.set.item[with.set.n++] = speed;
	}
	int rc = open_config(config, &with, p);
	free(with.set.item);
	return rc;
}

/* Opens the files of rows, and serves until the user ends it. */
static int serve(const struct cmdline *c, struct server *s,
		 struct config *config, struct outfile rows[2],
		 struct problem *p)
{
	const struct options *o = c->own;
	const struct serve_says says = {listens, ready, warns, NULL};
	if (open_with_keys(config, c, p) < 0)
		return -1;
	const char *path[2] = {o->serve.write_requests, o->serve.write_steps};
	for (int i = 0; i < 2; i++)
		if (outfile_open_if(&rows[i], path[i], p) < 0)
			return -1;
	if (rows[0].f)
		recorder_requests_head(rows[0].f);
	if (rows[1].f)
		recorder_steps_head(rows[1].f);
	if (server_run(s, config, &o->serve, &says, rows[0].f, rows[1].f, p) <
	    0)
		return -1;
	for (int i = 0; i < 2; i++)
		if (outfile_commit(&rows[i], p) < 0)
			return -1;
	return 0;
}

extern const struct command command_run, command_compare;

/* The document of `run` (of `compare` with several arms) on the record: the
 * replay has the times of the live run.  Returns the exit code. */
static int report(const struct cmdline *c, size_t n_arms)
{
	const struct options *o = c->own;
	struct study_options own = study_defaults;
	struct cmdline with = *c;
	char trace[4200];
	struct problem p;
	with.command = n_arms > 1 ? &command_compare : &command_run;
	with.own = &own;
	with.quiet = 1;
	with.set.item = calloc(c->set.n + 1, sizeof *with.set.item);
	if (!with.set.item)
		return print_error((problem_no_memory(&p), &p));
	for (size_t i = 0; i < c->set.n; i++)
		with.set.item[i] = c->set.item[i];
	snprintf(trace, sizeof trace, "workload.trace=%s", o->serve.record);
	with.set.item[with.set.n++] = trace;
	int code = cmd_study(&with, n_arms > 1 ? 0 : 1);
	free(with.set.item);
	/* A server that completed no request has done its work, too. */
	return code == EXIT_SAYS_NO ? EXIT_DONE : code;
}

static int run(const struct cmdline *c)
{
	struct server *s = calloc(1, sizeof *s);
	struct config config = {0};
	struct outfile rows[2] = {0};
	struct problem p;
	if (!s)
		return print_error((problem_no_memory(&p), &p));
	s->epoll_fd = s->timer_fd = s->record.fd = -1;
	int code =
	    serve(c, s, &config, rows, &p) < 0 ? print_error(&p) : EXIT_DONE;
	const struct options *o = c->own;
	int has_record = o->serve.record && s->n_requests > 0;
	size_t n_arms = config.n_arms;
	server_close(s);
	outfile_discard(&rows[0]), outfile_discard(&rows[1]);
	config_free(&config);
	free(s);
	return code == EXIT_DONE && has_record ? report(c, n_arms) : code;
}

const struct command command_serve = {
    .name = "serve",
    .args = "CONFIG",
    .summary =
	"an OpenAI-compatible server: its answers are words, its times those "
	"of the simulated engine",
    .min_args = 1,
    .max_args = 1,
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    OWN_OPTIONS(option, struct options),
    .defaults = &defaults,
    .run = run,
};
