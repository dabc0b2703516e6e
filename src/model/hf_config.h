/* model/hf_config.h -- reads a Hugging Face config.json into the keys of
 * [model].
 *
 * There, a field has many names and is at the top or in text_config; a field
 * that is absent has the default of its architecture.  Nothing is guessed: an
 * architecture that is not in the table is refused, and so is a field that
 * changes the layers and has no key here. */
#pragma once
#include "base/ini.h"
#include "base/problem.h"

/* Appends keys to [model] of *c, each with the file as its place.  Returns 0,
 * or -1 with *p filled in: EXIT_INPUT for the content, EXIT_USAGE for an
 * architecture that cannot be expressed or a file that does not exist. */
int hf_config_read(struct ini *c, const char *path, struct problem *p);
/* The same from memory, without the files that may lie beside the config. */
int hf_config_parse(struct ini *c, const char *text, size_t len,
		    const char *origin, struct problem *p);
