/* arm/arm_list.h -- the arms of an INI: its [cost_model] sections, their names,
 * and the files of their plugins.
 *
 * The files are searched here and nowhere else; all other code opens
 * plugin_path.  No plugin is loaded.  Names point into the INI, which must
 * outlive them. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"
#include "tables/choice.h"
#include "stepcost/plugin.h"

struct arm_config {
	/* unique: NAME in [cost_model:NAME], or the plugin's name */
	const char *name;
	const char *section; /* of the INI */
	const char *preset;  /* NULL: none */
	char *plugin;        /* its name, also for `plugin = ./NAME.so` */
	/* The file, relative to the working directory; NULL: not found, and
	 * `missing` says where it was searched. */
	char *plugin_path;
	char *missing;
	/* The next file with that name on the path, or NULL; the user is told
	 * about it. */
	char *shadowed;
	/* Filled in for arms that run: */
	/* What chose its sets: `tables.set`, "auto" if nothing does, or "" if
	 * it has none.  The text is the configuration's. */
	const char *set;
	/* their paths are relative to the working directory */
	struct set_choice tables;
	/* for [engine:decode], if there is such a pool */
	struct set_choice decode_tables;
	/* Name of its GPU's file, "[hardware]" without one; set by
	 * config_load(), not by config_renew(). */
	char *hardware;
	char *decode_hardware; /* the same for [engine:decode]; NULL: none */
};
/* The first n take part; the others of the file follow up to n_all, because
 * those may name them. */
struct arm_list {
	struct arm_config *item;
	size_t n, n_all;
};

/* Returns 1 for [cost_model] or [cost_model:NAME]. */
int arm_is_section(const char *section);
/* Keys of an arm's section that belong neither to the plugin nor to the
 * hardware. */
extern const sc_knob *const arm_key[];
extern const uint32_t arm_n_keys;
/* Keys of [tables]; in an arm with the prefix "tables.". */
extern const sc_knob *const arm_tables_key[];
extern const uint32_t arm_tables_n_keys;

/* Lists all arms in the order of the file.  Returns 0, or -1 with *p filled in
 * (EXIT_USAGE): a section without a plugin, two arms with one name, or a
 * missing file in `plugin = ./NAME.so`.  The caller calls arm_list_free() in
 * either case. */
int arm_list_read(struct arm_list *l, const struct ini *c, struct problem *p);
/* Moves [cost_model] to the front. */
void arm_list_lead(struct arm_list *l);
/* Returns 1 if another arm, or [engine], names it as its drafter. */
int arm_list_drafts(const struct arm_config *a, const struct ini *c);
/* Takes drafters out of the arms that take part, unless all of them are
 * drafters. */
void arm_list_leave_drafters(struct arm_list *l, const struct ini *c);
/* Selects the arms of --arms "a,b_*,!b_c": in the order of the items, those of
 * a pattern in the order of the file and once; '!' takes arms out, from all
 * arms if the list begins with it.  A plain name given twice is an error, and
 * so is an item without an arm.  Returns 0, or -1 with *p filled in. */
int arm_list_select(struct arm_list *l, const char *arms, const char *ini_path,
		    struct problem *p);
void arm_list_free(struct arm_list *l);
