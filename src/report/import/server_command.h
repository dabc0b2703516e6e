/* report/import/server_command.h -- the command in a shell script that starts a
 * serving engine: its words, and the variables that are set for it.
 *
 * Quotes, comments, continued lines and $NAME of variables that the script sets
 * are understood; nothing is run.  Other expansions stay as they are written.
 */
#pragma once
#include "base/names.h"
#include "base/problem.h"

struct server_command {
	const char *engine; /* a word of engine_scheduler_words */
	struct names word;  /* behind the name of the server */
	struct names set;   /* "NAME=value" of its environment */
};

/* Finds the first command of a known server.  origin: for messages.  Returns 0,
 * or -1 with *p filled in (EXIT_INPUT): there is none, or a quote does not end.
 * The caller calls server_command_free() in either case. */
int server_command_read(struct server_command *c, const char *text,
			const char *origin, struct problem *p);
void server_command_free(struct server_command *c);
