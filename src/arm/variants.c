/* variants.c -- Makes arms that differ from an arm in a knob or a few. */
#include "arm/variants.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/arm_list.h"
#include "arm/knob_check.h"
#include "base/nearest.h"
#include "base/text.h"
#include "plugin/ask.h"
#include "plugin/schema.h"

struct maker {
	struct variants *v;
	const struct ini *c;
	const char *option; /* the option that asked for them, for messages */
	const char *typed;  /* its value */
	struct arm_list arms;
	const struct arm_config *from; /* the original arm */
	struct problem *p;
};

/* ---- the original arm ---- */

/* Finds the arm with that name, or with that plugin. */
static int find_arm(struct maker *m, const char *name)
{
	if (arm_list_read(&m->arms, m->c, m->p) < 0)
		return -1;
	for (size_t i = 0; i < m->arms.n && !m->from; i++)
		if (!strcmp(m->arms.item[i].name, name) ||
		    !strcmp(m->arms.item[i].plugin, name))
			m->from = &m->arms.item[i];
	if (m->from)
		return 0;
	struct names all = {0};
	char list[300];
	for (size_t i = 0; i < m->arms.n; i++)
		names_add(&all, m->arms.item[i].name);
	problem_set(m->p, EXIT_USAGE,
		    "%s %s: %s has no arm or plugin '%s'; there are: %s",
		    m->option, name, m->c->path, name,
		    names_join(&all, list, sizeof list));
	names_free(&all);
	return -1;
}

/* Sets a key of that arm, as --set would. */
static int assign(struct maker *m, const char *arm, const char *key,
		  const char *value)
{
	char *text;
	int n = asprintf(&text, "%s cost_model:%s.%s=%s", m->option, arm, key,
			 value);
	char **set = realloc(m->v->set, (m->v->n_set + 1) * sizeof *m->v->set);
	if (set)
		m->v->set = set;
	if (n < 0 || !set) {
		if (n >= 0)
			free(text);
		return problem_no_memory(m->p);
	}
	m->v->set[m->v->n_set++] = text;
	return 0;
}

/* Names of arms have only the characters [a-z0-9_-]. */
static char *arm_name(const char *a, const char *b)
{
	char *name;
	if (asprintf(&name, "%s-%s", a, b) < 0)
		return NULL;
	for (char *s = name; *s; s++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_-", *s))
			*s = '_';
	return name;
}

/* Copies the arm's section under another name; takes ownership of the name. */
static int copy_arm(struct maker *m, char *name, const char *preset,
		    const char *knob, const char *value)
{
	struct variant *item =
	    realloc(m->v->item, (m->v->n + 1) * sizeof *m->v->item);
	if (item)
		m->v->item = item;
	if (!item || !name) {
		free(name);
		return problem_no_memory(m->p);
	}
	item[m->v->n++] =
	    (struct variant){.arm = name,
			     .knob = knob ? strdup(knob) : NULL,
			     .value = value ? strdup(value) : NULL};
	for (size_t i = 0; i < m->c->n; i++) {
		const struct ini_item *t = &m->c->item[i];
		if (strcmp(t->section, m->from->section) ||
		    (preset && !strcmp(t->key, "preset")))
			continue;
		if (assign(m, name, t->key, t->value) < 0)
			return -1;
	}
	if (preset && assign(m, name, "preset", preset) < 0)
		return -1;
	return knob ? assign(m, name, knob, value) : 0;
}

static int list_arms(struct maker *m)
{
	size_t size;
	FILE *f = text_open(&m->v->arms, &size);
	if (!f)
		return problem_no_memory(m->p);
	for (size_t i = 0; i < m->v->n; i++)
		fprintf(f, "%s%s", i ? "," : "", m->v->item[i].arm);
	fclose(f);
	return 0;
}

/* ---- one knob, several values ---- */

/* Refuses a knob that the arm's plugin does not have, before copies of the arm
 * with names of their own are refused.  A plugin that says nothing has all. */
static int check_knob(struct maker *m, const char *knob)
{
	struct plugin_description about = {0};
	struct problem unused;
	struct names all = {0};
	char list[600], hint[100];
	int has = strchr(knob, '.') || !strcmp(knob, "preset") ||
		  !strcmp(knob, "plugin") || !m->from->plugin_path ||
		  plugin_ask(&about, m->from->plugin_path, JOB_ANSWER_LIMIT_S,
			     &unused) < 0;
	for (uint32_t i = 0; !has && i < about.is.n_knobs; i++)
		names_add(&all, about.is.knob[i]->name);
	has |= names_have(&all, knob);
	if (!has)
		problem_set(m->p, EXIT_USAGE,
			    "--ablate %s: %s has no knob '%s'%s; there are: %s",
			    m->typed, m->from->plugin, knob,
			    nearest_of(knob, &all, hint),
			    names_join(&all, list, sizeof list));
	names_free(&all);
	plugin_description_free(&about);
	return has ? 0 : -1;
}

/* Parses "ARM.KNOB=a,b,c", and modifies text.  KNOB may be another key of an
 * arm that contains a dot: engine.max_num_seqs. */
static int ablate(struct maker *m, char *text)
{
	char *values = text, *arm_knob = strsep(&values, "=");
	char *knob = strchr(arm_knob, '.');
	if (!values || !*values || !knob || knob == arm_knob || !knob[1])
		return problem_set(m->p, EXIT_USAGE,
				   "--ablate %s: not ARM.KNOB=VALUE,VALUE, as "
				   "in operators.launch_us=2,4",
				   m->typed);
	*knob++ = '\0';
	const char *dot = strrchr(knob, '.'), *name = dot ? dot + 1 : knob;
	if (find_arm(m, arm_knob) < 0 || check_knob(m, knob) < 0)
		return -1;
	if (copy_arm(m, arm_name(m->from->name, "base"), NULL, NULL, NULL) < 0)
		return -1;
	for (char *v; (v = strsep(&values, ",")) != NULL;)
		if (copy_arm(m, arm_name(name, v), NULL, knob, v) < 0)
			return -1;
	return list_arms(m);
}

int variants_ablate(struct variants *v, const struct ini *c, const char *text,
		    struct problem *p)
{
	struct maker m = {
	    .v = v, .c = c, .option = "--ablate", .typed = text, .p = p};
	char *copy = strdup(text);
	*v = (struct variants){0};
	int rc = copy ? ablate(&m, copy) : problem_no_memory(m.p);
	arm_list_free(&m.arms);
	free(copy);
	return rc;
}

/* ---- two presets, knob by knob ---- */

static const char *value_under(const sc_preset *preset, const sc_knob *k)
{
	const char *const *v = preset->values;
	for (size_t i = 0; v[i]; i += 2)
		if (!strcmp(v[i], k->name))
			return v[i + 1];
	return k->def;
}

static int with_presets(struct maker *m, const sc_plugin *plugin,
			const char *from_name, const char *to_name)
{
	const sc_preset *from = preset_named(plugin, from_name);
	const sc_preset *to = preset_named(plugin, to_name);
	if (!from || !to)
		return problem_set(m->p, EXIT_USAGE, "%s has no preset '%s'",
				   plugin->name, from ? to_name : from_name);
	if (copy_arm(m, strdup(to_name), to_name, NULL, NULL) < 0 ||
	    copy_arm(m, strdup(from_name), from_name, NULL, NULL) < 0)
		return -1;
	for (uint32_t i = 0; i < plugin->n_knobs; i++) {
		const sc_knob *k = plugin->knob[i];
		const char *was = value_under(from, k);
		/* A value that the INI itself sets is not changed by a
		 * preset. */
		if (!was || !strcmp(was, value_under(to, k)) ||
		    ini_find(m->c, m->from->section, k->name))
			continue;
		if (copy_arm(m, arm_name("no", k->name), to_name, k->name,
			     was) < 0)
			return -1;
	}
	return list_arms(m);
}

/* Parses "ARM=FROM,TO", and modifies text. */
static int leave_one_out(struct maker *m, char *text)
{
	char *presets = text, *arm = strsep(&presets, "=");
	char *to = presets, *from = presets ? strsep(&to, ",") : NULL;
	struct plugin_description about = {0};
	if (!to || !*to || !*from || !*arm)
		return problem_set(m->p, EXIT_USAGE,
				   "--leave-one-out wants ARM=FROM,TO");
	if (find_arm(m, arm) < 0)
		return -1;
	if (!m->from->plugin_path)
		return problem_set(m->p, EXIT_USAGE, "%s", m->from->missing);
	int rc =
	    plugin_ask(&about, m->from->plugin_path, JOB_ANSWER_LIMIT_S, m->p);
	if (rc == 0)
		rc = with_presets(m, &about.is, from, to);
	plugin_description_free(&about);
	return rc;
}

int variants_leave_one_out(struct variants *v, const struct ini *c,
			   const char *text, struct problem *p)
{
	struct maker m = {.v = v, .c = c, .option = "--leave-one-out", .p = p};
	char *copy = strdup(text);
	*v = (struct variants){0};
	int rc = copy ? leave_one_out(&m, copy) : problem_no_memory(m.p);
	arm_list_free(&m.arms);
	free(copy);
	return rc;
}

/* ---- switches, all combined ---- */

/* Parses "ARM.KNOB=a,b", and modifies text.  *arm: in the text. */
static int read_factor(struct factor *f, char *text, const char **arm)
{
	char *values = text, *arm_knob = strsep(&values, "=");
	char *knob = strchr(arm_knob, '.'), *first = strsep(&values, ",");
	if (!knob || knob == arm_knob || !knob[1] || !first || !*first ||
	    !values || !*values || strchr(values, ',') ||
	    !strcmp(first, values))
		return -1;
	*knob++ = '\0';
	*arm = arm_knob;
	f->knob = strdup(knob);
	f->value[0] = strdup(first);
	f->value[1] = strdup(values);
	return f->knob && f->value[0] && f->value[1] ? 0 : -1;
}

/* Adds a factor "ARM.KNOB=A,B".  The first one decides the arm; all others must
 * name the same. */
static int add_factor(struct maker *m, const char *given)
{
	struct variants *v = m->v;
	char *text = strdup(given);
	const char *arm = "";
	int rc = 0;
	if (!text)
		return problem_no_memory(m->p);
	if (read_factor(&v->factor[v->n_factors], text, &arm) < 0)
		rc = problem_set(m->p, EXIT_USAGE,
				 "--factorial %s: not ARM.KNOB=A,B, with two "
				 "values",
				 given);
	if (rc == 0 && !m->from)
		rc = find_arm(m, arm);
	else if (rc == 0 && strcmp(arm, m->from->name) != 0 &&
		 strcmp(arm, m->from->plugin) != 0)
		rc = problem_set(m->p, EXIT_USAGE,
				 "--factorial %s: another arm than %s", given,
				 m->from->name);
	for (unsigned j = 0; rc == 0 && j < v->n_factors; j++)
		if (!strcmp(v->factor[j].knob, v->factor[v->n_factors].knob))
			rc = problem_set(m->p, EXIT_USAGE,
					 "--factorial %s: given twice", given);
	v->n_factors++;
	free(text);
	return rc;
}

/* The arm with the bits of that combination. */
static int combine(struct maker *m, unsigned bits)
{
	const struct variants *v = m->v;
	char digits[VARIANT_FACTORS + 1] = "";
	for (unsigned j = 0; j < v->n_factors; j++)
		digits[j] = bits >> j & 1 ? '1' : '0';
	if (copy_arm(m, arm_name(m->from->name, digits), NULL, NULL, NULL) < 0)
		return -1;
	const char *arm = v->item[v->n - 1].arm;
	for (unsigned j = 0; j < v->n_factors; j++)
		if (assign(m, arm, v->factor[j].knob,
			   v->factor[j].value[bits >> j & 1]) < 0)
			return -1;
	return 0;
}

/* Makes an arm for each combination of the switches (--factorial). */
static int factorial(struct maker *m, const char *const *text, size_t n)
{
	if (n < 2 || n > VARIANT_FACTORS)
		return problem_set(m->p, EXIT_USAGE,
				   "--factorial wants 2 to %d switches "
				   "ARM.KNOB=A,B, and has %zu",
				   VARIANT_FACTORS, n);
	for (size_t j = 0; j < n; j++)
		if (add_factor(m, text[j]) < 0)
			return -1;
	for (unsigned bits = 0; bits < 1u << n; bits++)
		if (combine(m, bits) < 0)
			return -1;
	return list_arms(m);
}

int variants_factorial(struct variants *v, const struct ini *c,
		       const char *const *text, size_t n, struct problem *p)
{
	struct maker m = {.v = v, .c = c, .option = "--factorial", .p = p};
	*v = (struct variants){0};
	int rc = factorial(&m, text, n);
	arm_list_free(&m.arms);
	return rc;
}

/* ---- knobs without an effect ---- */

/* Returns 1 if all variants set one knob, as those of --ablate do. */
static int is_one_knob(const struct variants *v)
{
	for (size_t i = 1; i < v->n; i++)
		if (!v->item[i].knob ||
		    strcmp(v->item[i].knob, v->item[1].knob) != 0)
			return 0;
	return v->n > 1;
}

/* Refuses a switch without an effect in any arm. */
static int refuse_inert(const struct variants *v, const struct config *c,
			struct problem *p)
{
	char why[INERT_TEXT];
	for (unsigned j = 0; j < v->n_factors; j++) {
		size_t n = 0;
		for (size_t i = 0; i < c->n_arms; i++)
			n +=
			    (size_t)knob_is_inert(&c->cfg, &c->arm[i], c->known,
						  v->factor[j].knob, why);
		if (n && n == c->n_arms)
			return problem_set(p, EXIT_USAGE, "--factorial: %s",
					   why);
	}
	return 0;
}

int variants_mark_inert(struct variants *v, const struct config *c,
			struct problem *p)
{
	char why[INERT_TEXT];
	size_t n = 0;
	if (v->n_factors)
		return refuse_inert(v, c, p);
	for (size_t i = 0; i < v->n && i < c->n_arms; i++) {
		struct variant *is = &v->item[i];
		is->inert = is->knob && knob_is_inert(&c->cfg, &c->arm[i],
						      c->known, is->knob, why);
		n += (size_t)is->inert;
	}
	if (n == 0 || n + 1 < v->n || !is_one_knob(v))
		return 0;
	return problem_set(p, EXIT_USAGE, "--ablate: %s", why);
}

void variants_free(struct variants *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->item[i].arm);
		free(v->item[i].knob);
		free(v->item[i].value);
	}
	for (size_t i = 0; i < v->n_set; i++)
		free(v->set[i]);
	for (unsigned j = 0; j < v->n_factors; j++) {
		free(v->factor[j].knob);
		free(v->factor[j].value[0]);
		free(v->factor[j].value[1]);
	}
	free(v->item);
	free(v->set);
	free(v->arms);
	*v = (struct variants){0};
}
