/* inert.c -- Finds keys of an INI that have no effect beside the others. */
#include "arm/inert.h"
#include <stdio.h>
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

static int refuse(const struct inert_in *in, const struct ini_item *item,
		  uint32_t i, struct names *notes, struct problem *p)
{
	char text[INERT_TEXT];
	inert_say(text, in, i);
	if (!in->is_searched && !is_made(in, item, i))
		return problem_set(p, EXIT_USAGE, "%s: %s", item->at, text);
	return names_add_new(notes, text) < 0 ? problem_no_memory(p) : 0;
}

/* Blocks of one table: first, first + stride, ... */
struct blocks {
	const void *first;
	size_t stride, n;
};

/* Returns 1 if none of the blocks gives the key an effect. */
static int is_inert(const struct inert_in *in, const sc_knob *k,
		    const struct blocks *b)
{
	struct when_of of = in->of;
	for (size_t i = 0; i < b->n; i++) {
		of.block = (const char *)b->first + i * b->stride;
		if (when_holds(knob_when(k), &of))
			return 0;
	}
	return b->n > 0;
}

static int check_blocks(struct inert_in in, const struct blocks *b,
			int is_apart, struct names *notes, struct problem *p)
{
	in.of.block = b->first;
	for (uint32_t i = 0; i < in.of.n; i++) {
		const sc_knob *k = in.of.knob[i];
		const struct ini_item *item =
		    ini_find_behind(in.ini, in.section, in.prefix, k->name);
		if (!item ||
		    (is_apart && when_asks(knob_when(k), "prefill_replicas")) ||
		    (in.rule == INERT_KEYS && is_off(k, item->value)))
			continue;
		if (is_inert(&in, k, b) &&
		    refuse(&in, item, i + 1, notes, p) < 0)
			return -1;
	}
	return 0;
}

int inert_check(const struct inert_in *in, struct names *notes,
		struct problem *p)
{
	return check_blocks(*in, &(const struct blocks){in->of.block, 0, 1}, 0,
			    notes, p);
}

/* ---- sections that arms and pools read ---- */

enum part { PART_ENGINE, PART_ROUTER, PART_HARDWARE, N_PARTS };
/* What the parts' keys begin with in another section than their own. */
static const char *const prefix_of[] = {"engine.", "router.", "hardware."};

/* Checks the part's keys in a section that these values were read from. */
static int check_part(const struct inert_sections *c, enum part part,
		      const char *section, const char *prefix,
		      const struct blocks *values, struct names *notes,
		      struct problem *p)
{
	const struct inert_values *v = values->first;
	const struct when_of of[] = {
	    {engine_key, engine_n_keys, &v->engine},
	    {router_key, router_n_keys, &v->engine.router},
	    {hardware_key, hardware_n_keys, &v->hardware.keys}};
	const struct blocks b = {of[part].block, values->stride, values->n};
	return check_blocks((struct inert_in){c->ini, section, prefix, of[part],
					      INERT_KEYS, c->is_searched},
			    &b, c->is_apart, notes, p);
}

static int check_common(const struct inert_sections *c, struct names *notes,
			struct problem *p)
{
	static const char *const section[] = {"engine", "router", "hardware"};
	const struct blocks all = {c->value, sizeof *c->value,
				   c->is_apart ? 2 * c->n : c->n};
	int rc = 0;
	for (int part = 0; rc == 0 && part < N_PARTS; part++)
		rc = check_part(c, (enum part)part, section[part], "", &all,
				notes, p);
	return rc;
}

static int check_pool(const struct inert_sections *c, int pool,
		      struct names *notes, struct problem *p)
{
	const char *engine = engine_pool_section[pool];
	const struct blocks own = {c->value + (size_t)pool * c->n,
				   sizeof *c->value, c->n};
	return check_part(c, PART_ENGINE, engine, "", &own, notes, p) < 0 ||
		       check_part(c, PART_ROUTER, router_pool_section[pool], "",
				  &own, notes, p) < 0
		   ? -1
		   : check_part(c, PART_HARDWARE, engine, "hardware.", &own,
				notes, p);
}

static int check_arm(const struct inert_sections *c, size_t a,
		     struct names *notes, struct problem *p)
{
	const struct blocks own = {c->value + a, c->n * sizeof *c->value,
				   c->is_apart ? 2 : 1};
	int rc = 0;
	for (int part = 0; rc == 0 && part < N_PARTS; part++)
		rc = check_part(c, (enum part)part, c->arm[a].section,
				prefix_of[part], &own, notes, p);
	return rc;
}

static int check_model(const struct inert_sections *c, struct names *notes,
		       struct problem *p)
{
	const struct blocks kinds = {c->kinds->kind, sizeof *c->kinds->kind,
				     c->kinds->n};
	return check_blocks((struct inert_in){c->ini,
					      "model",
					      "",
					      {model_key, model_n_keys, NULL},
					      INERT_KEYS,
					      c->is_searched},
			    &kinds, 0, notes, p);
}

int inert_check_sections(const struct inert_sections *c, struct names *notes,
			 struct problem *p)
{
	const struct {
		const char *section;
		struct when_of of;
	} own[] = {
	    {"workload", {workload_keys, n_workload_keys, c->workload}},
	    {"autoscaler",
	     {autoscaler_key, autoscaler_n_keys, &c->common->autoscaler}},
	    {"failures",
	     {failures_key, failures_n_keys, &c->common->failures}}};
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < sizeof own / sizeof *own; i++)
		rc = inert_check(&(const struct inert_in){c->ini,
							  own[i].section, "",
							  own[i].of, INERT_KEYS,
							  c->is_searched},
				 notes, p);
	if (rc == 0)
		rc = check_model(c, notes, p);
	if (rc == 0)
		rc = check_common(c, notes, p);
	for (int pool = 0; rc == 0 && c->is_apart && pool < 2; pool++)
		rc = check_pool(c, pool, notes, p);
	for (size_t a = 0; rc == 0 && a < c->n; a++)
		rc = check_arm(c, a, notes, p);
	return rc;
}
