/* claim.c -- Reads and judges the claim of an experiment. */
#include "experiment/claim.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "experiment/invariant.h"
#include "experiment/scope.h"
#include "keys/keys.h"
#include "plugin/schema.h"

const char *const claim_verdict_name[] = {"confirmed", "refuted", "void"};

/* ---- reading ---- */

static int add_invariant(struct xp_claim *c, const struct ini_item *item,
			 struct problem *p)
{
	struct xp_invariant *more =
	    realloc(c->invariant, (c->n_invariants + 1) * sizeof *more);
	if (!more)
		return problem_no_memory(p);
	c->invariant = more;
	struct xp_invariant *i = &more[c->n_invariants++];
	*i = (struct xp_invariant){.name = item->key + strlen("invariant."),
				   .at = item->at,
				   .text = item->value};
	return invariant_parse(i, p);
}

/* Reads one or two numbers "a, b". */
static int load_need(struct xp_claim *c, const struct ini_item *item,
		     struct problem *p)
{
	char *end;
	double a = strtod(item->value, &end), b = a;
	int ok = end != item->value && isfinite(a);
	if (c->needs_text)
		return problem_set(p, EXIT_USAGE,
				   "%s: give one of effect_at_least, "
				   "effect_at_most, effect_within",
				   item->at);
	if (ok && !strcmp(item->key, "effect_within")) {
		const char *second = end + strspn(end, ", ");
		b = strtod(second, &end);
		ok = end != second && isfinite(b) && a <= b;
	}
	if (!ok || *end)
		return problem_set(p, EXIT_USAGE, "%s: %s = %s: not %s",
				   item->at, item->key, item->value,
				   strcmp(item->key, "effect_within")
				       ? "a number"
				       : "two ascending numbers a, b");
	c->needs_text = item->value;
	c->needs_low = strcmp(item->key, "effect_at_most") ? a : -INFINITY;
	c->needs_high = strcmp(item->key, "effect_at_least") ? b : INFINITY;
	return 0;
}

static int load_expected(struct xp_claim *c, const struct ini_item *item,
			 struct problem *p)
{
	for (int i = 0; i < N_CLAIM_VERDICTS; i++)
		if (!strcmp(item->value, claim_verdict_name[i])) {
			c->expected = (enum claim_verdict)i;
			return 0;
		}
	return problem_set(p, EXIT_USAGE,
			   "%s: expect_verdict = confirmed, refuted or void",
			   item->at);
}

int claim_load(struct experiment *x, const struct ini_item *item,
	       struct problem *p)
{
	struct xp_claim *c = &x->claim;
	const struct {
		const char *key;
		const char **to;
	} text[] = {{"id", &c->id},
		    {"hypothesis", &c->hypothesis},
		    {"source", &c->source},
		    {"base", &c->base},
		    {"counterfactual", &c->counterfactual},
		    {"cause", &c->cause},
		    {"effect", &c->effect_text}};
	const char *key = item->key;
	c->at = c->at ? c->at : item->at;
	if (!strncmp(key, "invariant.", 10) && key[10])
		return add_invariant(c, item, p);
	if (!strcmp(key, "effect_at_least") || !strcmp(key, "effect_at_most") ||
	    !strcmp(key, "effect_within"))
		return load_need(c, item, p);
	if (!strcmp(key, "expect_verdict"))
		return load_expected(c, item, p);
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		if (!strcmp(key, text[i].key)) {
			*text[i].to = item->value;
			if (text[i].to != &c->effect_text)
				return 0;
			c->effect = expression_parse(item->value, item->at, p);
			return c->effect ? 0 : -1;
		}
	return problem_set(p, EXIT_USAGE,
			   "%s: unknown key %s in [claim]; allowed: id, "
			   "hypothesis, source, base, counterfactual, cause, "
			   "effect, effect_at_least, effect_at_most, "
			   "effect_within, invariant.NAME, expect_verdict",
			   item->at, key);
}

/* ---- is it whole? ---- */

/* Looks for an arm in the names of an expression, and in those of the columns
 * that it names. */
struct seeking {
	const struct experiment *x;
	const char *arm;
	int found, depth;
};

/* Sets s->found if the column of that name depends on the arm, by itself or
 * through columns that its expression names. */
static int seek(void *user, const char *name, const char *at, struct problem *p)
{
	struct seeking *s = user;
	size_t n = strlen(s->arm);
	(void)at;
	s->found |= !strncmp(name, s->arm, n) && name[n] == '.';
	for (size_t i = 0; i < s->x->n_tables && s->depth < 8; i++) {
		const struct xp_column *c =
		    experiment_column(&s->x->table[i], name, strlen(name));
		s->depth++;
		if (c && !s->found &&
		    expression_names(c->is, 1, seek, s, p) < 0)
			return -1;
		s->depth--;
	}
	return 0;
}

static int names_arm(const struct experiment *x, const char *arm)
{
	struct seeking s = {.x = x, .arm = arm};
	expression_names(x->claim.effect, 1, seek, &s, NULL);
	return s.found;
}

static int check_arm(const struct experiment *x, const struct ini *c,
		     const char *arm, struct problem *p)
{
	struct arm_list arms;
	int rc = arm_list_read(&arms, c, p), found = 0;
	for (size_t i = 0; rc == 0 && i < arms.n; i++)
		found |= !strcmp(arms.item[i].name, arm);
	arm_list_free(&arms);
	if (rc < 0 || (found && names_arm(x, arm)))
		return rc;
	return problem_set(p, EXIT_USAGE,
			   found ? "%s: the effect does not name the arm %s, "
				   "so it cannot be that of the cause"
				 : "%s: there is no [cost_model:%s]",
			   x->claim.at, arm);
}

int claim_check(struct experiment *x, const struct ini *ini, struct problem *p)
{
	const struct xp_claim *c = &x->claim;
	const struct {
		const char *key, *is, *why;
	} must[] = {
	    {"id", c->id, ""},
	    {"hypothesis", c->hypothesis, ""},
	    {"base", c->base, ""},
	    {"counterfactual", c->counterfactual,
	     ": the arm with the alleged cause taken away; without it nothing "
	     "says that the cause has the effect"},
	    {"cause", c->cause, ": the keys in which the two arms differ"},
	    {"effect", c->effect_text, ""},
	    {"effect_at_least, effect_at_most or effect_within", c->needs_text,
	     ": the effect that the hypothesis needs"}};
	if (!c->at)
		return 0;
	for (size_t i = 0; i < sizeof must / sizeof *must; i++)
		if (!must[i].is || !*must[i].is)
			return problem_set(p, EXIT_USAGE,
					   "%s: [claim] needs %s%s", c->at,
					   must[i].key, must[i].why);
	return check_arm(x, ini, c->base, p) < 0
		   ? -1
		   : check_arm(x, ini, c->counterfactual, p);
}

int claim_arms(const struct xp_claim *c, struct names *arms, struct problem *p)
{
	int rc = 0;
	if (c->id && (names_add_new(arms, c->base) < 0 ||
		      names_add_new(arms, c->counterfactual) < 0))
		rc = -1;
	for (size_t i = 0; rc == 0 && i < c->n_invariants; i++)
		rc = invariant_arms(&c->invariant[i], arms);
	return rc < 0 ? problem_no_memory(p) : 0;
}

/* ---- the two arms ---- */

static int is_cause(const struct xp_claim *c, const char *key)
{
	size_t n, len = strlen(key);
	for (const char *s = c->cause; (s = experiment_word(s, &n)); s += n)
		if (n == len && !strncmp(s, key, n))
			return 1;
	return 0;
}

static int differs(const struct xp_claim *c, const char *key, const char *a,
		   const char *b, struct problem *p)
{
	if (!strcmp(a, b) || is_cause(c, key))
		return 0;
	return problem_set(p, EXIT_USAGE,
			   "%s: %s and %s also differ in %s (%s, %s); name it "
			   "in cause, or make it equal",
			   c->at, c->base, c->counterfactual, key,
			   *a ? a : "not set", *b ? b : "not set");
}

static char *knob_value(const sc_plugin *is, uint32_t i, const void *block)
{
	struct jw j;
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	jw_start(&j, f);
	jw_flat_object(&j, NULL);
	knobs_write(&j, block, &is->knob[i], 1);
	jw_end(&j);
	/* {"NAME": VALUE} -> VALUE */
	char *text = text_end(&t), *value;
	if (!text)
		return NULL;
	value = text + strlen("{\"\": ") + strlen(is->knob[i]->name);
	memmove(text, value, strlen(value) + 1);
	text[strlen(text) - 1] = '\0';
	return text;
}

/* Values of a knob in both arms. */
static int compare_knobs(const struct xp_claim *c, const sc_plugin *is,
			 void *const block[2], struct problem *p)
{
	int rc = 0;
	for (uint32_t i = 0; rc == 0 && i < is->n_knobs; i++) {
		char *a = knob_value(is, i, block[0]);
		char *b = knob_value(is, i, block[1]);
		rc = a && b ? differs(c, is->knob[i]->name, a, b, p)
			    : problem_no_memory(p);
		free(a), free(b);
	}
	return rc;
}

/* Keys of the host in section a, against those of section b. */
static int compare_keys(const struct xp_claim *c, const struct ini *cfg,
			const char *a, const char *b, const sc_plugin *is,
			struct problem *p)
{
	for (size_t i = 0; i < cfg->n; i++) {
		const struct ini_item *t = &cfg->item[i];
		if (strcmp(t->section, a) || !strcmp(t->key, "preset") ||
		    (is && knob_named(is->knob, is->n_knobs, t->key)))
			continue;
		const char *other = ini_get(cfg, b, t->key);
		if (differs(c, t->key, t->value, other ? other : "", p) < 0)
			return -1;
	}
	return 0;
}

static const struct arm_config *arm_named(const struct config *config,
					  const char *name)
{
	for (size_t i = 0; i < config->n_arms; i++)
		if (!strcmp(config->arm[i].name, name))
			return &config->arm[i];
	return NULL;
}

int claim_compare_arms(const struct xp_claim *c, const struct config *config,
		       struct problem *p)
{
	if (!c->id)
		return 0;
	const struct arm_config *a = arm_named(config, c->base);
	const struct arm_config *b = arm_named(config, c->counterfactual);
	const struct plugin_description *d =
	    a && a->plugin_path ? known_plugin(config->known, a->plugin_path)
				: NULL;
	if (!a || !b || !d) /* pricing says why */
		return 0;
	if (compare_keys(c, &config->cfg, a->section, b->section, &d->is, p) <
		0 ||
	    compare_keys(c, &config->cfg, b->section, a->section, &d->is, p) <
		0)
		return -1;
	if (strcmp(a->plugin, b->plugin) != 0)
		return 0; /* the cause */
	void *const block[2] = {knobs_new(&d->is, &config->cfg, a->section, p),
				knobs_new(&d->is, &config->cfg, b->section, p)};
	int rc = block[0] && block[1] ? compare_knobs(c, &d->is, block, p) : -1;
	free(block[0]), free(block[1]);
	return rc;
}

/* ---- judging ---- */

int claim_judge(struct experiment *x, struct problem *p)
{
	struct xp_claim *c = &x->claim;
	struct scope at = {.x = x};
	struct value v;
	int is_void = x->differs;
	for (size_t i = 0; i < c->n_invariants; i++) {
		if (invariant_judge(&c->invariant[i], x, p) < 0)
			return -1;
		is_void |= c->invariant[i].why != NULL;
	}
	if (scope_value(&at, c->effect, &v, p) < 0)
		return -1;
	c->effect_is = v.text ? (double)NAN : v.number;
	int is_met =
	    c->effect_is >= c->needs_low && c->effect_is <= c->needs_high;
	c->verdict = is_void                    ? CLAIM_VOID
		     : x->is_refuted || !is_met ? CLAIM_REFUTED
						: CLAIM_CONFIRMED;
	return 0;
}

int claim_is_as_expected(const struct experiment *x)
{
	return !x->differs && x->claim.verdict == x->claim.expected;
}
