/* arm/key_tables.h -- which keys each section of an INI may have, as tables. */
#ifndef SC_ARM_KEY_TABLES_H
#define SC_ARM_KEY_TABLES_H
#include "keys/keys.h"

/* [stepcost] */
struct host_keys {
	int64_t schema;
};
extern const sc_knob *const host_key[];
extern const uint32_t host_n_keys;

enum { KEY_TABLES = 5 };
/* The tables of a section, of which there are at most KEY_TABLES; returns how
 * many.  plugin: of an arm's section; NULL: not known, and its knobs are
 * missing.  0: there is no such section. */
size_t key_tables_of(const char *section, const sc_plugin *plugin,
		     struct key_table *t);
/* The row of a key in n tables, and the prefix of its table.  NULL: none has
 * it. */
const sc_knob *key_in_tables(const struct key_table *t, size_t n,
			     const char *key, const char **prefix);
/* The i-th section but for those of arms, in the order of the manual; NULL:
 * there are no more. */
const char *key_tables_section(size_t i);
/* What it is for, in a sentence or two. */
const char *key_tables_about(size_t i);
#endif
