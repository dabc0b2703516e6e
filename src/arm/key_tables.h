/* arm/key_tables.h -- the keys that each section of an INI may have, as
 * tables. */
#pragma once
#include "keys/keys.h"

/* Keys of [stepcost]. */
struct host_keys {
	int64_t schema;
};
extern const sc_knob *const host_key[];
extern const uint32_t host_n_keys;

enum { KEY_TABLES = 6 };
/* Fills in the tables of a section, at most KEY_TABLES, and returns how many
 * there are; 0: there is no such section.  plugin: for an arm's section; NULL:
 * not known, and its knobs are left out. */
size_t key_tables_of(const char *section, const sc_plugin *plugin,
		     struct key_table *t);
/* Returns the row of a key in n tables, and the prefix of its table; NULL: it
 * is in none of them. */
const sc_knob *key_in_tables(const struct key_table *t, size_t n,
			     const char *key, const char **prefix);
/* Returns the i-th section, without those of arms, in the order of the manual;
 * NULL: there are no more. */
const char *key_tables_section(size_t i);
/* Returns the purpose of the section in a sentence or two. */
const char *key_tables_about(size_t i);
