/* report/recommend/flags.h -- the command lines of serving engines as facts:
 * which flag sets a key of [engine], from etc/launch.csv. */
#pragma once
#include <stddef.h>
#include "base/problem.h"

/* How a flag takes its value: with a word behind it; alone, if the key is true;
 * as --flag or --no-flag; or not at all, because it is a key of a file.  The
 * command, and the image of a container that has it, are no flags. */
enum flag_kind {
	FLAG_VALUE,
	FLAG_TRUE,
	FLAG_SWITCH,
	FLAG_FILE,
	FLAG_COMMAND,
	FLAG_IMAGE
};
/* What the server takes for a value. */
enum flag_type { FLAG_TEXT, FLAG_INT, FLAG_FLOAT, FLAG_JSON };
struct flag {
	char *key, *flag, *version;
	enum flag_kind kind;
	enum flag_type type;
};
/* The flags of one engine's command line.  Zeroed at first. */
struct flags {
	struct flag *item; /* [n] */
	size_t n;
};
/* engine: a word of engine_scheduler_words.  Returns 0, or -1 with *p.  The
 * caller calls flags_free() in either case. */
int flags_read(struct flags *f, const char *engine, struct problem *p);
void flags_free(struct flags *f);
/* Returns NULL if the engine has none. */
const struct flag *flag_of(const struct flags *f, const char *key);
