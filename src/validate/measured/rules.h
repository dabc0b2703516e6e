/* validate/measured/rules.h -- what follows from how a row was served: model
 * files, formats, knobs, batch forming, as data.
 *
 * The rules are the sections [when:NAME] of the alias file, in the order of the
 * file.  A key without a dot is a condition (condition.h) on a column of the
 * measured rows: "fp8*,nvfp4"; "-" matches an empty cell.  protocol is the
 * row's however it is known (protocol_name.h), not its cell alone.  A rule
 * holds if all its conditions do.  Keys with a dot are what it sets, as --set
 * does; where two rules set the same, the later one.  Values may have formulas
 * of the row's cells in braces (cells.h); one that has no value is not set.
 * Before all of them comes what the row's launch sets (launch.h).  Two sections
 * are special: protocol.KEY   of the row's protocol (protocol.h) arm.KNOB of
 * every arm with a plugin that has such a knob, unless the configuration sets
 * it itself */
#pragma once
#include "base/ini.h"
#include "base/problem.h"
#include "validate/measured/measured.h"

/* Is called for each assignment, in order: the rest of its key (below), and its
 * place in the aliases.  0, or not 0: stop. */
typedef int (*rules_fn)(void *ctx, const char *key, const struct ini_item *t);
/* Calls fn for each key that rules set for the row and that begins with
 * `prefix` ("model."); `key` is the rest of the name.  Returns 0, or the first
 * other value that fn returns. */
int rules_each(const struct ini *aliases, const struct measured_row *r,
	       const char *prefix, rules_fn fn, void *ctx);
/* The last of them for that key; NULL: none. */
const char *rules_get(const struct ini *aliases, const struct measured_row *r,
		      const char *key);
/* 0, or -1 with *p (EXIT_USAGE): a condition or a formula names no column. */
int rules_check(const struct ini *aliases, struct problem *p);
