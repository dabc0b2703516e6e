/* arm/table_choice.h -- which sets of kernel tables an arm gets: those that
 * tables.set names, or for `auto` those of its GPU. */
#pragma once
#include "arm/arm_list.h"
#include "arm/known_plugins.h"
#include "base/ini.h"
#include "base/problem.h"
#include "model/model.h"
#include "tables/library.h"

/* What the choice is made from; owns none of it. */
struct table_source {
	const struct ini *ini;
	const struct model *model;
	const struct known_plugins *known;
	struct library *library; /* gets the sets */
	int any_kernel;          /* 1: all tables of a set, of any layers */
};

/* Fills in a->set, and *tables for the arm's GPU in the pool (its section, or
 * NULL), and reads the sets.  The arm reports sets that cannot be read when it
 * is opened.  Returns 0, or -1 with *p filled in. */
int table_choice_make(const struct table_source *c, struct arm_config *a,
		      const char *pool, struct set_choice *tables,
		      struct problem *p);
