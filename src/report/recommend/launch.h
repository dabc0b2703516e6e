/* report/recommend/launch.h -- a recommended configuration as the commands of
 * its serving engine, and as an INI.
 *
 * Each key that CONFIG or the configuration sets becomes a flag; one that the
 * engine has no flag for is named in a comment.  Nothing else is set. */
#pragma once
#include <stdio.h>
#include "base/ini.h"
#include "recommend/recommend.h"

/* The configuration of a point with all its keys, as an INI.  Returns 0, or -1
 * with *p; ini_free() in either case. */
int launch_ini(struct ini *c, const struct recommend *r, size_t point,
	       struct problem *p);
/* The engine that serves it, a word of engine_scheduler_words. */
const char *launch_engine(const struct ini *c);
/* The command of a server, and what it takes.  Owned texts. */
struct launch_command {
	const char *engine; /* a word of engine_scheduler_words */
	const char *role;   /* "prefill", "decode", or "serve" for both */
	char *command;      /* words with spaces between */
	char *version;      /* of the flags */
	char *image;        /* of a container; NULL: not known */
	/* The command before prefill and decode apart, and its image; NULL: not
	 * known. */
	char *router, *router_image;
	/* The flag of the port where a decode server finds a prefill server;
	 * NULL: it is told with each request. */
	char *bootstrap;
	char *llm_d_image; /* NULL: llm-d does not serve with it */
	char *model;       /* public name; NULL: not of these weights */
	struct launch_argument {
		char *flag, *value; /* value: NULL: none */
	} * argument;
	size_t n;
	struct names no_flag;   /* "key = value", without a flag */
	int64_t replicas, gpus; /* servers, and GPUs of each */
};
/* pool: 0 prefill, 1 decode, -1 replicas that do both.  Returns 0, or -1 with
 * *p; launch_command_free() in either case. */
int launch_command(struct launch_command *l, const struct recommend *r,
		   const struct ini *c, int pool, struct problem *p);
void launch_command_free(struct launch_command *l);
/* Writes the keys without a flag as comments. */
void launch_keys_without_flag(const struct launch_command *l, FILE *f);
/* The script that starts a server. */
void launch_server(const struct launch_command *l, FILE *f);
/* The client: `vllm bench serve` with the same lengths, rate and seed. */
void launch_client(const struct ini *c, double rate, FILE *f);
