/* validate/measured/launch.h -- how publishers launched their servers and
 * loaded them, as data.
 *
 * A launch is a section [launch:NAME] of the aliases: a row of
 * etc/protocols.csv, or of an alias file.  Keys with a dot are what it sets, as
 * in rules (rules.h), which take precedence.  Other keys are conditions
 * (condition.h) on columns of a measured row, except:
 *   protocol      the protocol that its runs follow
 *   ranks         as_row, square, ep_is_tp or tp_is_gpus
 *                 (parallelism.h)
 *   source, note  for readers
 * A launch without a condition on `mode` is of servers in one piece.
 * A row that names a launch in its column `protocol` has that one, else the one
 * with conditions that all hold. */
#pragma once
#include "base/ini.h"
#include "base/problem.h"
#include "validate/measured/measured.h"

/* Adds the rows of etc/protocols.csv to the aliases.  0, or -1 with *p. */
int launches_read(struct ini *aliases, struct problem *p);
/* 0, or -1 with *p (EXIT_USAGE): a condition is on no column, or a launch
 * names no protocol, or ranks without a meaning. */
int launches_check(const struct ini *aliases, struct problem *p);
/* Sets r->launch and r->ranks.  0, or -1 with *p
 * (EXIT_USAGE): the row meets the conditions of two. */
int launch_find(struct measured_row *r, const struct ini *aliases,
		struct problem *p);
/* Whether a section is a launch. */
int launch_is(const char *section);
/* Whether a key of a launch is a condition. */
int launch_asks(const char *key);
