/* report/recommend/launch.h -- a recommended configuration as the commands of
 * its serving engine, and as an INI.
 *
 * Each key that CONFIG or the configuration sets becomes a flag; one that the
 * engine has no flag for is named in a comment.  Nothing else is set. */
#ifndef SC_REPORT_RECOMMEND_LAUNCH_H
#define SC_REPORT_RECOMMEND_LAUNCH_H
#include <stdio.h>
#include "base/ini.h"
#include "recommend/recommend.h"

/* The configuration of a point with all its keys, as an INI.  Returns 0, or -1
 * with *p; ini_free() in either case. */
int launch_ini(struct ini *c, const struct recommend *r, size_t point,
	       struct problem *p);
/* Writes it, a section after the other. */
/* The engine that serves it, a word of engine_scheduler_words. */
const char *launch_engine(const struct ini *c);
/* pool: 0 prefill, 1 decode, -1 replicas that do both.  Returns 0, or -1 with
 * *p. */
int launch_server(const struct recommend *r, const struct ini *c, int pool,
		  FILE *f, struct problem *p);
/* The client: `vllm bench serve` with the same lengths, rate and seed. */
void launch_client(const struct ini *c, double rate, FILE *f);
#endif
