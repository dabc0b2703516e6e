/* validate/measured/aliases.h -- the names by which files of measurements call
 * columns, models and GPUs, told by an alias file (etc/measured.ini). */
#pragma once
#include "base/ini.h"

/* The shipped aliases (etc/measured.ini, and etc/measured-apart.ini for prefill
 * and decode apart), launches (etc/protocols.csv) and, over them, those of the
 * file `own`, which may be NULL.  A model or GPU of `own` may be a path,
 * relative to it.  0, or -1 with *p; ini_free() in either case. */
int aliases_read(struct ini *aliases, const char *own, struct problem *p);
/* Whether an id or an alias is a path, and no name of a file under etc/. */
int alias_is_path(const char *id);
/* The name by which the project knows a model or GPU: [section] of the alias
 * file, by the whole name or by its part before a space or '('; else the name
 * itself. */
const char *alias_of(const struct ini *aliases, const char *section,
		     const char *name);
/* The same of a column: [column], by the whole name alone. */
const char *alias_of_column(const struct ini *aliases, const char *name);
