/* keys/keys.h -- settings as data: tables of sc_knob, filled from the INI.
 * Serves the knobs of plugins and the host's own keys alike. */
#ifndef SC_KEYS_KEYS_H
#define SC_KEYS_KEYS_H
#include "base/ini.h"
#include "base/json_writer.h"
#include "base/problem.h"
#include "stepcost/plugin.h"

/* A type of the host's own keys: the field is a `const char *` into the INI, as
 * written; the default may be "". */
#define KEY_TEXT 100u
#define KEY_TEXT_OF(block, field, def, help)                                   \
	SC_KNOB_OF(KEY_TEXT, block, field, def, 0, 0, "", NULL, help)

/* Fills the block: default, then preset, then the INI's [section] where key
 * prefix + name stands (prefix: "" or e.g. "tables.").  preset and c may be
 * NULL.  A knob without default (NULL) must be in the INI.  0, or -1 with
 * "file:line: what, and what is allowed" in *p. */
int knobs_fill(void *block, const sc_knob *const *knob, uint32_t n,
	       const sc_preset *preset, const struct ini *c,
	       const char *section, const char *prefix, struct problem *p);

/* Lays the keys that [section] has over what is in the block.  The same
 * otherwise. */
int knobs_overlay(void *block, const sc_knob *const *knob, uint32_t n,
		  const struct ini *c, const char *section, const char *prefix,
		  struct problem *p);

/* One of several tables whose keys, with a prefix, a section may have. */
struct key_table {
	const sc_knob *const *knob;
	uint32_t n;
	const char *prefix; /* "", "tables." */
	/* The key that stands for a name which other programs use, or NULL;
	 * itself NULL: no names but the table's are understood. */
	const char *(*key_of)(const char *typed);
};
/* Refuses a key of the section that none of the tables has, with the nearest
 * name and all that are allowed.  0, or -1 with *p (EXIT_USAGE). */
int keys_check(const struct ini *c, const char *section,
	       const struct key_table *table, size_t n, struct problem *p);

/* The value in the block, as it would stand in an INI; returns buf or a text
 * that lives as long as the block's. */
const char *knob_text(char buf[32], const sc_knob *k, const void *block);
/* All of them as members of the open object, numbers as numbers. */
void knobs_write(struct jw *j, const void *block, const sc_knob *const *knob,
		 uint32_t n);
#endif
