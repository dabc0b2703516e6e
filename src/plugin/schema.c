/* schema.c -- Checks the knobs, presets and parts of a plugin; fills its knob
 * block. */
#include "plugin/schema.h"
#include <stdlib.h>
#include <string.h>
#include "keys/keys.h"
#include "keys/when.h"

int schema_is_name(const char *s)
{
	return s && *s &&
	       !s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

/* ---- knobs ---- */

/* Every knob is eight bytes, whatever its type. */
enum { KNOB_BYTES = 8 };

static const char *knob_fault(const sc_plugin *plugin, const sc_knob *k)
{
	if (!k || !SC_HAS(k, choices))
		return "descriptor too short";
	if (!schema_is_name(k->name))
		return "name missing or malformed";
	if (!strcmp(k->name, "plugin") || !strcmp(k->name, "preset"))
		return "the name is reserved for the host";
	if (!k->def || !k->unit || !k->help)
		return "default, unit and help are required";
	if (k->type < SC_KNOB_DOUBLE || k->type > SC_KNOB_NUMBERS ||
	    (k->type == SC_KNOB_CHOICE && (!k->choices || !k->choices[0])))
		return "unknown type, or no choices";
	if ((k->type == SC_KNOB_DOUBLE || k->type == SC_KNOB_INT) &&
	    !(k->min <= k->max))
		return "its range is empty: min is not at most max";
	if (k->offset % KNOB_BYTES ||
	    (uint64_t)k->offset + KNOB_BYTES > plugin->knob_block)
		return "offset misaligned or outside knob_block";
	return NULL;
}

static int check_choices(const sc_knob *k, struct problem *p)
{
	for (uint32_t i = 0; k->choices[i]; i++)
		for (uint32_t j = 0; j < i; j++)
			if (!strcmp(k->choices[i], k->choices[j]))
				return problem_set(p, EXIT_PLUGIN,
						   "knob %s: choices %u and %u "
						   "are both '%s'",
						   k->name, j, i,
						   k->choices[i]);
	return 0;
}

/* Knobs before the i-th are sound. */
static int check_knob(const sc_plugin *plugin, uint32_t i, struct problem *p)
{
	const sc_knob *k = plugin->knob[i];
	const char *why = knob_fault(plugin, k);
	int is_named = k && SC_HAS(k, choices) && schema_is_name(k->name);
	if (why)
		return problem_set(p, EXIT_PLUGIN, "knob %u%s%s: %s", i,
				   is_named ? ", " : "",
				   is_named ? k->name : "", why);
	for (uint32_t j = 0; j < i; j++) {
		const sc_knob *other = plugin->knob[j];
		if (!strcmp(other->name, k->name))
			return problem_set(p, EXIT_PLUGIN,
					   "knobs %u and %u are both named %s",
					   j, i, k->name);
		if (other->offset == k->offset)
			return problem_set(p, EXIT_PLUGIN,
					   "knobs %s and %s are both at offset "
					   "%u of the knob block",
					   other->name, k->name, k->offset);
	}
	return k->type == SC_KNOB_CHOICE ? check_choices(k, p) : 0;
}

/* ---- presets ---- */

static int check_values(const sc_plugin *plugin, const sc_preset *s,
			struct problem *p)
{
	for (const char *const *v = s->values; v[0]; v += 2) {
		if (!knob_named(plugin->knob, plugin->n_knobs, v[0]))
			return problem_set(p, EXIT_PLUGIN,
					   "preset %s: sets an unknown knob %s",
					   s->name, v[0]);
		if (!v[1])
			return problem_set(p, EXIT_PLUGIN,
					   "preset %s: %s has no value",
					   s->name, v[0]);
		for (const char *const *w = s->values; w < v; w += 2)
			if (!strcmp(w[0], v[0]))
				return problem_set(p, EXIT_PLUGIN,
						   "preset %s: sets %s twice, "
						   "to %s and to %s",
						   s->name, v[0], w[1], v[1]);
	}
	return 0;
}

static int check_preset(const sc_plugin *plugin, uint32_t i, struct problem *p)
{
	const sc_preset *s = plugin->preset[i];
	if (!s || !SC_HAS(s, values) || !s->name || !*s->name || !s->help ||
	    !s->values)
		return problem_set(p, EXIT_PLUGIN,
				   "preset %u: descriptor too short, or a part "
				   "missing",
				   i);
	for (uint32_t j = 0; j < i; j++)
		if (!strcmp(plugin->preset[j]->name, s->name))
			return problem_set(
			    p, EXIT_PLUGIN,
			    "presets %u and %u are both named %s", j, i,
			    s->name);
	return check_values(plugin, s, p);
}

/* ---- parts ---- */

static int check_part(const sc_plugin *plugin, uint32_t i, struct problem *p)
{
	const sc_part *t = plugin->part[i];
	if (!t || !SC_HAS(t, help) || !schema_is_name(t->name) || !t->help)
		return problem_set(p, EXIT_PLUGIN,
				   "part %u: descriptor too short, or name or "
				   "help missing or malformed",
				   i);
	if (t->kind > SC_PART_OVERHEAD)
		return problem_set(p, EXIT_PLUGIN,
				   "part %s: unknown kind %u; the last is %u",
				   t->name, t->kind, SC_PART_OVERHEAD);
	for (uint32_t j = 0; j < i; j++)
		if (!strcmp(plugin->part[j]->name, t->name))
			return problem_set(p, EXIT_PLUGIN,
					   "parts %u and %u are both named %s",
					   j, i, t->name);
	return 0;
}

/* ---- needs, sources of error, the plugin's id ---- */

static int check_need(const sc_plugin *plugin, uint32_t i, struct problem *p)
{
	const sc_need *n = plugin->need[i];
	if (!n || !SC_HAS(n, help) || !n->value || !*n->value)
		return problem_set(p, EXIT_PLUGIN,
				   "need %u: descriptor too short, or no value",
				   i);
	if (n->kind < SC_NEED_TABLE || n->kind > SC_NEED_GPU)
		return problem_set(p, EXIT_PLUGIN,
				   "need %u, %s: unknown kind %u; the last is "
				   "%u",
				   i, n->value, n->kind, SC_NEED_GPU);
	if ((n->columns || n->notes) && n->kind != SC_NEED_TABLE)
		return problem_set(p, EXIT_PLUGIN,
				   "need %u, %s: columns and notes are of "
				   "tables",
				   i, n->value);
	struct problem why;
	if (n->when &&
	    when_check(n->when, plugin->knob, plugin->n_knobs, &why) < 0)
		return problem_set(p, EXIT_PLUGIN, "need %u, %s: when = %s: %s",
				   i, n->value, n->when, why.text);
	return 0;
}

static int check_sigma(const sc_plugin *plugin, uint32_t i, struct problem *p)
{
	const sc_sigma *s = plugin->sigma[i];
	if (!s || !SC_HAS(s, help) || !schema_is_name(s->name) || !s->help)
		return problem_set(p, EXIT_PLUGIN,
				   "sigma %u: descriptor too short, or name or "
				   "help missing or malformed",
				   i);
	for (uint32_t j = 0; j < i; j++)
		if (!strcmp(plugin->sigma[j]->name, s->name))
			return problem_set(p, EXIT_PLUGIN,
					   "sigmas %u and %u are both named %s",
					   j, i, s->name);
	return 0;
}

static int check_id(const char *id, struct problem *p)
{
	if (!id || (strchr(id, '.') &&
		    !id[strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789.-")]))
		return 0;
	return problem_set(p, EXIT_PLUGIN,
			   "id '%s': an id is letters a-z, digits, . and -, "
			   "with at least one dot",
			   id);
}

/* ---- all of them ---- */

/* More are a descriptor that was not filled in. */
enum { MOST = 10000, LARGEST_BLOCK = 8 * MOST };

/* A descriptor of ABI 1.0 has none. */
static uint32_t n_parts(const sc_plugin *d)
{
	return d->abi_minor >= 1 ? d->n_parts : 0;
}

static int check_counts(const sc_plugin *d, struct problem *p)
{
	if ((d->n_knobs && !d->knob) || (d->n_presets && !d->preset))
		return problem_set(p, EXIT_PLUGIN, "knobs or presets missing");
	if (n_parts(d) && !d->part)
		return problem_set(p, EXIT_PLUGIN, "parts missing");
	if ((d->n_needs && !d->need) || (d->n_sigma && !d->sigma))
		return problem_set(p, EXIT_PLUGIN, "needs or sigmas missing");
	if (d->n_needs > MOST || d->n_sigma > MOST)
		return problem_set(p, EXIT_PLUGIN,
				   "%u needs, %u sigmas: more than %d",
				   d->n_needs, d->n_sigma, MOST);
	if (d->n_knobs > MOST || d->n_presets > MOST || n_parts(d) > MOST ||
	    d->knob_block > LARGEST_BLOCK)
		return problem_set(p, EXIT_PLUGIN,
				   "%u knobs, %u presets, %u parts, a knob "
				   "block of %u bytes: more than %d, or %d "
				   "bytes",
				   d->n_knobs, d->n_presets, n_parts(d),
				   d->knob_block, MOST, LARGEST_BLOCK);
	return 0;
}

static int check_each(const sc_plugin *plugin, struct problem *p)
{
	int rc = check_counts(plugin, p);
	for (uint32_t i = 0; rc == 0 && i < plugin->n_knobs; i++)
		rc = check_knob(plugin, i, p);
	for (uint32_t i = 0; rc == 0 && i < plugin->n_presets; i++)
		rc = check_preset(plugin, i, p);
	for (uint32_t i = 0; rc == 0 && i < n_parts(plugin); i++)
		rc = check_part(plugin, i, p);
	for (uint32_t i = 0; rc == 0 && i < plugin->n_needs; i++)
		rc = check_need(plugin, i, p);
	for (uint32_t i = 0; rc == 0 && i < plugin->n_sigma; i++)
		rc = check_sigma(plugin, i, p);
	if (rc == 0)
		rc = check_id(plugin->id, p);
	return rc;
}

/* After all knobs are sound, because conditions name other knobs. */
static int check_conditions(const sc_plugin *plugin, struct problem *p)
{
	struct problem why;
	for (uint32_t i = 0; i < plugin->n_knobs; i++) {
		const char *when = knob_when(plugin->knob[i]);
		if (when &&
		    when_check(when, plugin->knob, plugin->n_knobs, &why) < 0)
			return problem_set(p, EXIT_PLUGIN, "knob %u, %s: %s", i,
					   plugin->knob[i]->name, why.text);
	}
	return 0;
}

int knobs_check(const sc_plugin *plugin, struct problem *p)
{
	if (check_each(plugin, p) < 0 || check_conditions(plugin, p) < 0)
		return -1;
	void *block = calloc(1, plugin->knob_block + 1);
	int rc = block ? 0 : problem_no_memory(p);
	/* The last round, with NULL, checks the defaults alone. */
	for (uint32_t i = 0; rc == 0 && i <= plugin->n_presets; i++)
		rc =
		    knobs_fill(block, plugin->knob, plugin->n_knobs,
			       i < plugin->n_presets ? plugin->preset[i] : NULL,
			       NULL, "", "", p);
	free(block);
	if (rc < 0 && p && !problem_machine_failed())
		p->code = EXIT_PLUGIN;
	return rc;
}

const sc_preset *preset_named(const sc_plugin *plugin, const char *name)
{
	for (uint32_t i = 0; i < plugin->n_presets; i++)
		if (!strcmp(plugin->preset[i]->name, name))
			return plugin->preset[i];
	return NULL;
}

/* Returns the text that the filled block has in place of numbers. */
static const char *numbers_text(const sc_knob *k, const void *block)
{
	const char *text;
	memcpy(&text, (const char *)block + k->offset, sizeof text);
	return text;
}

/* Behind the knobs, in the same piece of memory, stand the numbers. */
static size_t numbers_bytes(const sc_plugin *plugin, const void *block)
{
	size_t bytes = 0;
	for (uint32_t i = 0; i < plugin->n_knobs; i++)
		if (plugin->knob[i]->type == SC_KNOB_NUMBERS)
			bytes +=
			    sizeof(struct knob_numbers) +
			    sizeof(double) *
				(size_t)numbers_read(
				    NULL, numbers_text(plugin->knob[i], block));
	return bytes;
}

/* Makes numbers of the texts at `to`, and points the knobs to them. */
static void make_numbers(const sc_plugin *plugin, void *block, char *to)
{
	for (uint32_t i = 0; i < plugin->n_knobs; i++) {
		const sc_knob *k = plugin->knob[i];
		if (k->type != SC_KNOB_NUMBERS)
			continue;
		struct knob_numbers *made = (void *)to;
		double *value = (void *)(made + 1);
		made->text = numbers_text(k, block);
		made->is.size = sizeof made->is;
		made->is.n = (uint32_t)numbers_read(value, made->text);
		made->is.value = value;
		memcpy((char *)block + k->offset, &made, sizeof made);
		to = (void *)(value + made->is.n);
	}
}

/* Returns the block with its numbers, or NULL with *p filled in; the block is
 * then freed. */
static void *with_numbers(const sc_plugin *plugin, void *block,
			  struct problem *p)
{
	size_t knobs = (plugin->knob_block / 8u + (size_t)1) * 8;
	void *whole = realloc(block, knobs + numbers_bytes(plugin, block));
	if (whole) {
		make_numbers(plugin, whole, (char *)whole + knobs);
		return whole;
	}
	free(block);
	problem_no_memory(p);
	return NULL;
}

void *knobs_new(const sc_plugin *plugin, const struct ini *c,
		const char *section, struct problem *p)
{
	const struct ini_item *want = ini_find(c, section, "preset");
	const sc_preset *preset =
	    want ? preset_named(plugin, want->value) : NULL;
	if (want && !preset) {
		problem_set(p, EXIT_USAGE, "%s: %s has no preset '%s'",
			    want->at, plugin->name, want->value);
		return NULL;
	}
	void *block = calloc(1, plugin->knob_block + 1);
	if (!block) {
		problem_no_memory(p);
	} else if (knobs_fill(block, plugin->knob, plugin->n_knobs, preset, c,
			      section, "", p) < 0) {
		free(block);
		block = NULL;
	}
	return block ? with_numbers(plugin, block, p) : NULL;
}
