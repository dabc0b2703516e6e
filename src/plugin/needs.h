/* plugin/needs.h -- compares the needs that a plugin declares (sc_need) with a
 * setup, before create().
 *
 * Tables: each needed op must be there, in one set with all columns and notes
 * of the need.  Other kinds: each group of layers, each number format of their
 * weights, and the GPU must be one of the values of its kind, optional ones
 * included; a kind without a need, or with optional ones alone, admits all.
 * [any thread] */
#pragma once
#include "base/problem.h"
#include "stepcost/plugin.h"
#include "tables/selection.h"

/* "table", "attention" … by SC_NEED_*. */
extern const char *const need_kind_name[];

/* Returns 0, or -1 with *p filled in (EXIT_USAGE): the model or the GPU is none
 * that the plugin can price. */
int needs_admit(const sc_plugin *plugin, const sc_setup *setup,
		struct problem *p);
/* Returns the first need of a table that none of them meets; NULL: each is
 * met. */
const sc_need *needs_missing(const sc_plugin *plugin, uint32_t n_tables,
			     const sc_table *const *table);
/* Return 1 if the plugin names a table, or one of that op; optional ones
 * included. */
int needs_tables(const sc_plugin *plugin);
int needs_name(const sc_plugin *plugin, const char *op);
/* What there is for a plugin. */
struct needs_of {
	const sc_setup *setup;
	const void *knobs; /* the filled block: sc_need.when asks for values */
	const struct selection *tables;
	const struct hardware *hardware;
	struct library *library; /* with the sets of this GPU */
	uint32_t layers;         /* KERNEL_OF_*: of the model */
};
/* Returns 0, or -1 with *p filled in: EXIT_USAGE for a model or a GPU,
 * EXIT_PLUGIN for a missing table, with the sets of this GPU that have it. */
int needs_check(const sc_plugin *plugin, const struct needs_of *has,
		struct problem *p);
