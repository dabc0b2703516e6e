/* inert.c -- Finds keys of an INI that have no effect beside the others. */
#include <config.h>
#include "arm/inert.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/keys/rows.h"
#include "keys/keys.h"

static int is_off(const sc_knob *k, const char *value)
{
	static const char *const off[] = {"", "0", "false", "none", "off"};
	for (size_t i = 0; i < sizeof off / sizeof *off; i++)
		if (is_same_value(value, off[i]))
			return 1;
	return k->def && is_same_value(value, k->def);
}

const struct ini_item *inert_next(const struct inert_in *in, uint32_t *i)
{
	const struct ini_item *item;
	do
		item = when_inert(&in->of, in->ini, in->section, in->prefix, i);
	while (item && in->rule == INERT_KEYS &&
	       is_off(in->of.knob[*i - 1], item->value));
	return item;
}

void inert_say(char text[INERT_TEXT], const struct inert_in *in, uint32_t i)
{
	char state[WHEN_STATE];
	const sc_knob *k = in->of.knob[i - 1];
	when_state(state, knob_when(k), &in->of);
	snprintf(text, INERT_TEXT, "%s: %s%s has no effect with %s",
		 in->section, in->prefix, k->name, state);
}

/* Returns 1 if the key takes the effect of key k from it by a command line. */
static int is_taken(const struct inert_in *in, const sc_knob *k,
		    const struct ini_item *item, const char *by)
{
	const struct ini_item *other =
	    ini_find_behind(in->ini, in->section, in->prefix, by);
	if (!when_asks(knob_when(k), by))
		return 0;
	return ini_is_made(other) ||
	       (in->rule == INERT_KEYS && ini_by_option(other) &&
		!ini_by_option(item));
}

/* Returns 1 if a command line made the key, or takes its effect. */
static int is_made(const struct inert_in *in, const struct ini_item *item,
		   uint32_t i)
{
	const sc_knob *k = in->of.knob[i - 1];
	int made = ini_is_made(item);
	for (uint32_t j = 0; !made && j < in->of.n; j++)
		made = is_taken(in, k, item, in->of.knob[j]->name);
	return made;
}

/* Returns 1 if the key is of replicas that only prefill: a search that tries
 * them begins without. */
static int is_of_pools(const sc_knob *k)
{
	return when_asks(knob_when(k), "prefill_replicas");
}

static int refuse(const struct inert_in *in, const struct ini_item *item,
		  uint32_t i, struct names *notes, struct problem *p)
{
	char text[INERT_TEXT];
	inert_say(text, in, i);
	if (!is_made(in, item, i) && !is_of_pools(in->of.knob[i - 1]))
		return problem_set(p, EXIT_USAGE, "%s: %s", item->at, text);
	return names_add_new(notes, text) < 0 ? problem_no_memory(p) : 0;
}

int inert_check(const struct inert_in *in, struct names *notes,
		struct problem *p)
{
	const struct ini_item *item;
	uint32_t i = 0;
	int rc = 0;
	while (rc == 0 && (item = inert_next(in, &i)))
		rc = refuse(in, item, i, notes, p);
	return rc;
}

static struct inert_in engine_in(const struct inert_sections *c,
				 const char *section, const char *prefix,
				 const struct engine_keys *keys)
{
	return (struct inert_in){c->ini,
				 section,
				 prefix,
				 {engine_key, engine_n_keys, keys},
				 INERT_KEYS};
}

/* A key of [engine] may be meant for some of the arms. */
static int check_common_engine(const struct inert_sections *c, uint32_t *inert,
			       struct names *notes, struct problem *p)
{
	int rc = 0;
	for (size_t a = 0; a < c->n; a++) {
		const struct inert_in in =
		    engine_in(c, "engine", "", &c->engine[a]);
		uint32_t i = 0;
		while (inert_next(&in, &i))
			inert[i - 1]++;
	}
	const struct inert_in in = engine_in(c, "engine", "", c->engine);
	for (uint32_t k = 0; rc == 0 && k < engine_n_keys; k++)
		if (inert[k] && inert[k] == c->n)
			rc = refuse(
			    &in,
			    ini_find(c->ini, "engine", engine_key[k]->name),
			    k + 1, notes, p);
	return rc;
}

static int check_engines(const struct inert_sections *c, struct names *notes,
			 struct problem *p)
{
	if (c->is_apart)
		return 0;
	uint32_t *inert = calloc(engine_n_keys, sizeof *inert);
	if (!inert)
		return problem_no_memory(p);
	int rc = check_common_engine(c, inert, notes, p);
	free(inert);
	for (size_t a = 0; rc == 0 && a < c->n; a++) {
		const struct inert_in in =
		    engine_in(c, c->arm[a].section, "engine.", &c->engine[a]);
		rc = inert_check(&in, notes, p);
	}
	return rc;
}

int inert_check_sections(const struct inert_sections *c, struct names *notes,
			 struct problem *p)
{
	const struct inert_in section[] = {
	    {c->ini,
	     "workload",
	     "",
	     {workload_keys, n_workload_keys, c->workload},
	     INERT_KEYS},
	    {c->ini,
	     "autoscaler",
	     "",
	     {autoscaler_key, autoscaler_n_keys, &c->common->autoscaler},
	     INERT_KEYS},
	    {c->ini,
	     "failures",
	     "",
	     {failures_key, failures_n_keys, &c->common->failures},
	     INERT_KEYS},
	};
	for (size_t i = 0; i < sizeof section / sizeof *section; i++)
		if (inert_check(&section[i], notes, p) < 0)
			return -1;
	return check_engines(c, notes, p);
}
