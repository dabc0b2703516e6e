/* keys/keys.h -- settings as data: tables of sc_knob, filled from the INI.
 * Used for the knobs of plugins and for the host's own keys. */
#pragma once
#include "base/ini.h"
#include "base/json/json_writer.h"
#include "base/problem.h"
#include "stepcost/plugin.h"

/* A field of type SC_KNOB_TEXT is a `const char *` to the text in the INI; the
 * default may be "". */
#define KEY_TEXT_OF(block, field, def, ...)                                    \
	SC_KNOB_OF(SC_KNOB_TEXT, block, field, def, 0, 0, "", NULL, __VA_ARGS__)

/* The value of a knob of type SC_KNOB_NUMBERS, with the text that it was made
 * of. */
struct knob_numbers {
	sc_numbers is;
	const char *text;
};
/* Reads the numbers of "1024, 2048", which commas or blanks part, into to[]
 * (NULL: only counts them).  Returns how many, or -1 if the text is no list of
 * finite numbers. */
int64_t numbers_read(double *to, const char *text);

/* Fills the block: first the defaults, then the preset, then the keys
 * "PREFIXname" of the INI's [section] (prefix: "" or e.g. "tables.").  preset
 * and c may be NULL.  In place of numbers the block gets their text, which is
 * checked; plugin/schema.h makes the numbers.  A knob without a default (NULL)
 * must be in the INI. Returns 0, or -1 with "file:line: the fault, and the
 * values that are allowed" in *p. */
int knobs_fill(void *block, const sc_knob *const *knob, uint32_t n,
	       const sc_preset *preset, const struct ini *c,
	       const char *section, const char *prefix, struct problem *p);

/* Overrides values of the block with the keys of [section]; otherwise the
 * same. */
int knobs_overlay(void *block, const sc_knob *const *knob, uint32_t n,
		  const struct ini *c, const char *section, const char *prefix,
		  struct problem *p);

/* Returns the knob of that name, or NULL. */
const sc_knob *knob_named(const sc_knob *const *knob, uint32_t n,
			  const char *name);

/* Returns 0 if the text is a value of the knob, or -1 with "KEY = VALUE: the
 * fault, and the values that are allowed" in *p (EXIT_USAGE). */
int knob_check_value(const sc_knob *k, const char *text, struct problem *p);

/* What a knob says since ABI 1.3, also for one of an older plugin: when it has
 * an effect (NULL: always), how its steps are scaled (SC_SCALE_*), and the
 * bounds of fits and sweeps. */
const char *knob_when(const sc_knob *k);
uint32_t knob_scale(const sc_knob *k);
void knob_fit_bounds(const sc_knob *k, double *low, double *high);

/* One of the tables of keys that a section may have, with a prefix. */
struct key_table {
	const sc_knob *const *knob;
	uint32_t n;
	const char *prefix; /* "", "tables." */
	/* Returns the key for a name that other programs use, or NULL.  The
	 * pointer is NULL if only the names of the table are understood. */
	const char *(*key_of)(const char *typed);
};
/* Refuses a key of the section that is in none of the tables; the message has
 * the nearest name and all that are allowed.  Returns 0, or -1 with *p filled
 * in (EXIT_USAGE). */
int keys_check(const struct ini *c, const char *section,
	       const struct key_table *table, size_t n, struct problem *p);

/* Returns 1 if two values are the same text, or the same number. */
int is_same_value(const char *a, const char *b);
/* Returns the value in the block as INI text, in buf or in a text that lives as
 * long as the block's own texts. */
const char *knob_text(char buf[32], const sc_knob *k, const void *block);
/* Returns 1 if two blocks of these knobs have a value that differs as text. */
int knobs_differ(const sc_knob *const *knob, uint32_t n, const void *a,
		 const void *b);
/* Writes all values as members of the open JSON object, numbers as numbers. */
void knobs_write(struct jw *j, const void *block, const sc_knob *const *knob,
		 uint32_t n);
