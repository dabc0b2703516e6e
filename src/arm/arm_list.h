/* arm/arm_list.h -- the arms of an INI: its [cost_model] sections, what each is
 * called, and the file its plugin is.
 *
 * That file is looked for here and nowhere else; everybody opens plugin_path.
 * No plugin is loaded.  Names point into the INI, which must outlive them. */
#ifndef SC_ARM_ARM_LIST_H
#define SC_ARM_ARM_LIST_H
#include <stddef.h>
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"
#include "tables/choice.h"
#include "stepcost/plugin.h"

struct arm_config {
	const char *name;    /* unique: [cost_model:NAME], or the plugin's   */
	const char *section; /* of the INI */
	const char *preset;  /* NULL: none */
	char *plugin;        /* its name, also of `plugin = ./NAME.so`       */
	char *plugin_path;   /* the file, relative to the working directory;
				NULL: not found, and `missing` says where      */
	char *missing;
	char *shadowed; /* the file of that name that comes later, or
			   NULL; the user is to be told             */
	/* filled in for arms that are to run */
	struct set_choice tables;        /* paths are relative to the working
					    directory */
	struct set_choice decode_tables; /* of [engine:decode], if there is
				     such a pool */
	char *hardware; /* the name of its GPU's file, "[hardware]" without
			   one; of config_load(), not of config_renew()      */
	char *decode_hardware; /* the same of [engine:decode]; NULL: none    */
};
/* n of them take part; behind those, up to n_all, are the others of the file,
 * which those may name. */
struct arm_list {
	struct arm_config *item;
	size_t n, n_all;
};

/* [cost_model] or [cost_model:NAME]. */
int arm_is_section(const char *section);
/* The keys of a section that are neither its plugin's nor the hardware's. */
extern const sc_knob *const arm_key[];
extern const uint32_t arm_n_keys;
/* The keys of [tables], and with "tables." before them of an arm. */
extern const sc_knob *const arm_tables_key[];
extern const uint32_t arm_tables_n_keys;

/* All arms in the order of the file.  0, or -1 with *p (EXIT_USAGE): a section
 * without a plugin, two arms of one name, `plugin = ./NAME.so` that is not
 * there.  arm_list_free() in either case. */
int arm_list_read(struct arm_list *l, const struct ini *c, struct problem *p);
/* Puts [cost_model] first. */
void arm_list_lead(struct arm_list *l);
/* Whether another arm, or [engine], names it as its drafter. */
int arm_list_drafts(const struct arm_config *a, const struct ini *c);
/* Such arms take no part, unless no other is there. */
void arm_list_leave_drafters(struct arm_list *l, const struct ini *c);
/* Those of --arms "a,b" take part, in that order.  0, or -1 with *p. */
int arm_list_select(struct arm_list *l, const char *arms, const char *ini_path,
		    struct problem *p);
void arm_list_free(struct arm_list *l);
#endif
