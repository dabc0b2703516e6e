/* model/hf_config.h -- a Hugging Face config.json as the keys of [model].
 *
 * A field goes by many names there and stands at the top or in text_config;
 * one that is absent has its architecture's default.  Nothing is guessed: an
 * architecture that is not in the table is refused, and so is a field that
 * changes the layers and has no key. */
#ifndef SC_MODEL_HF_CONFIG_H
#define SC_MODEL_HF_CONFIG_H
#include "base/ini.h"
#include "base/problem.h"

/* Appends the keys to [model] of *c, each with the file as its place.
 * 0, or -1 with *p: EXIT_INPUT for the content, EXIT_USAGE for an
 * architecture that cannot be expressed (or a file that is not there). */
int hf_config_read(struct ini *c, const char *path, struct problem *p);
/* The same from memory, without what may lie beside the file. */
int hf_config_parse(struct ini *c, const char *text, size_t len,
		    const char *origin, struct problem *p);
#endif
