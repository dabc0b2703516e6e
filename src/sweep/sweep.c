/* sweep.c -- Resolves the request of a sweep. */
#include "sweep/sweep.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/key_tables.h"
#include "arm/knob_check.h"
#include "arm/known_names.h"
#include "base/json/json_writer.h"
#include "base/text.h"
#include "workload/trace/named_trace.h"

/* Points that are tried to find one with a valid configuration. */
enum { TRIED_POINTS = 200 };

/* ---- a configuration ---- */

int sweep_set_point(struct names *out, const struct names *set,
		    const struct plan *l, size_t point, struct problem *p)
{
	int failed = 0;
	for (size_t i = 0; i < set->n; i++)
		failed |= names_add(out, set->item[i]) < 0;
	for (size_t a = 0; a < l->n_axes; a++) {
		char *text;
		const char *value = plan_value(l, point, a);
		if (!*value)
			continue;
		if (asprintf(&text, "%s %s=%s", l->option, l->axis[a].name,
			     value) < 0)
			return problem_no_memory(p);
		failed |= names_add(out, text) < 0;
		free(text);
	}
	return failed ? problem_no_memory(p) : 0;
}

/* Loads the configuration with the values of one point.  Returns 0, or -1 with
 * *p filled in. */
static int load_at(struct sweep *s, const struct sweep_request *r, size_t point,
		   struct problem *p)
{
	struct names set = {0};
	int rc = sweep_set_point(&set, &r->set, &s->plan, point, p);
	if (rc == 0)
		rc = r->plan.list
			 ? config_load_searched(&s->config, NULL, 0, r->config,
						set.item, set.n, r->arms, p)
			 : config_load(&s->config, r->config, set.item, set.n,
				       r->arms, p);
	names_free(&set);
	return rc;
}

/* An unknown name is an error of the user, not of a point.  Otherwise the first
 * point with a valid configuration represents all. */
static int load_config(struct sweep *s, const struct sweep_request *r,
		       struct problem *p)
{
	struct ini c = {0};
	struct names set = {0};
	struct problem first = {0};
	size_t n =
	    s->plan.n_points < TRIED_POINTS ? s->plan.n_points : TRIED_POINTS;
	int rc = sweep_set_point(&set, &r->set, &s->plan, 0, p);
	if (rc == 0)
		rc = config_read(&c, r->config, set.item, set.n, p);
	if (rc == 0)
		rc = known_names_check(&c, NULL, p);
	ini_free(&c);
	names_free(&set);
	if (rc < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (load_at(s, r, i, i ? p : &first) == 0)
			return 0;
		config_free(&s->config);
	}
	*p = first;
	return -1;
}

/* Returns the arm that has the axis' section, or NULL: no arm has it, or the
 * key is none of a plugin. */
static const struct arm_config *arm_of(const struct sweep *s,
				       const struct plan_axis *axis)
{
	for (size_t i = 0; i < s->config.n_all_arms; i++) {
		const struct arm_config *arm = &s->config.arm[i];
		if (strlen(arm->section) == axis->dot &&
		    !strncmp(arm->section, axis->name, axis->dot))
			return arm;
	}
	return NULL;
}

/* Returns the row of the axis' key, and the prefix of its table, or NULL: it is
 * of a plugin that is not known. */
static const sc_knob *knob_of(const struct sweep *s,
			      const struct plan_axis *axis, const char **prefix)
{
	struct key_table t[KEY_TABLES];
	char section[200];
	const struct arm_config *arm = arm_of(s, axis);
	const struct plugin_description *about =
	    arm && arm->plugin_path
		? known_plugin(s->config.known, arm->plugin_path)
		: NULL;
	snprintf(section, sizeof section, "%.*s", (int)axis->dot, axis->name);
	size_t n = key_tables_of(section, about ? &about->is : NULL, t);
	return key_in_tables(t, n, axis->name + axis->dot + 1, prefix);
}

/* Refuses a value that no point can have, before anything is simulated. */
static int check_values(const struct sweep *s, struct problem *p)
{
	struct problem why;
	for (size_t a = 0; a < s->plan.n_axes; a++) {
		const struct plan_axis *axis = &s->plan.axis[a];
		const char *prefix;
		const sc_knob *knob = knob_of(s, axis, &prefix);
		for (size_t i = 0; knob && i < axis->value.n; i++)
			if (*axis->value.item[i] &&
			    knob_check_value(knob, axis->value.item[i], &why) <
				0)
				return problem_set(
				    p, EXIT_USAGE, "%s %.*s.%s%s",
				    s->plan.option, (int)axis->dot, axis->name,
				    prefix, why.text);
	}
	return 0;
}

/* Returns 1 if the knob has no effect at that point; -1 with *p filled in on
 * failure. */
static int is_inert_at(const struct sweep *s, const struct sweep_request *r,
		       const struct arm_config *arm, const char *knob,
		       size_t point, char why[INERT_TEXT], struct problem *p)
{
	struct ini c = {0};
	struct names set = {0};
	int rc = sweep_set_point(&set, &r->set, &s->plan, point, p);
	if (rc == 0)
		rc = config_read(&c, r->config, set.item, set.n, p);
	int inert =
	    rc < 0 ? -1 : knob_is_inert(&c, arm, s->config.known, knob, why);
	names_free(&set);
	ini_free(&c);
	return inert;
}

/* The same of an axis: at no point its knob has an effect.  Of more than
 * TRIED_POINTS some may. */
static int is_inert(const struct sweep *s, const struct sweep_request *r,
		    const struct plan_axis *axis, char why[INERT_TEXT],
		    struct problem *p)
{
	const struct arm_config *arm = arm_of(s, axis);
	const char *knob = axis->name + axis->dot + 1;
	int inert = arm && s->plan.n_points <= TRIED_POINTS;
	for (size_t i = 0; inert == 1 && i < s->plan.n_points; i++)
		inert = is_inert_at(s, r, arm, knob, i, why, p);
	return inert;
}

/* Refuses an axis that changes nothing. */
static int check_axes(const struct sweep *s, const struct sweep_request *r,
		      struct problem *p)
{
	char why[INERT_TEXT];
	for (size_t a = 0; a < s->plan.n_axes; a++) {
		int inert = is_inert(s, r, &s->plan.axis[a], why, p);
		if (inert > 0)
			return problem_set(p, EXIT_USAGE, "%s: %s",
					   s->plan.option, why);
		if (inert < 0)
			return -1;
	}
	return 0;
}

/* ---- the study table ---- */

/* Returns the text of the file and --set, without comments and axes. */
static char *configuration_text(const struct ini *c)
{
	const char *section = "";
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	for (size_t i = 0; i < c->n; i++) {
		if (strcmp(section, c->item[i].section))
			fprintf(f, "[%s]\n", c->item[i].section);
		section = c->item[i].section;
		fprintf(f, "%s = %s\n", c->item[i].key, c->item[i].value);
	}
	return text_end(&t);
}

static void write_search(struct jw *j, const struct sweep *s)
{
	if (!s->bounds.n)
		return;
	jw_flat_object(j, "capacity");
	for (size_t i = 0; i < s->bounds.n; i++)
		jw_number(j, slo_bound_name(&s->bounds.bound[i]),
			  s->bounds.bound[i].limit);
	jw_end(j);
	jw_number(j, "rate", s->rate);
	jw_number(j, "precision", s->precision);
}

/* Returns the options of a sweep as JSON, for its store; the caller frees it.
 * seeds: --seeds, or 0 to leave it out: no row depends on the number of seeds.
 */
static char *options_text(const struct sweep *s, int64_t seeds)
{
	struct jw j;
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	jw_start(&j, f);
	jw_flat_object(&j, NULL);
	if (seeds)
		jw_int(&j, "seeds", seeds);
	write_search(&j, s);
	if (s->warm_up.text)
		jw_text(&j, "warm_up", s->warm_up.text);
	jw_end(&j);
	return text_end(&t);
}

/* If an axis changes the plugin of an arm that is named after its plugin, the
 * arm gets the name of its section. */
static const char *label(const struct sweep *s, const struct arm_config *arm)
{
	for (size_t a = 0; a < s->plan.n_axes; a++) {
		const struct plan_axis *x = &s->plan.axis[a];
		if (!strcmp(arm->section, "cost_model") &&
		    !strcmp(x->name, "cost_model.plugin"))
			return arm->section;
	}
	return arm->name;
}

static char *join(const struct names *l)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	for (size_t i = 0; i < l->n; i++)
		fprintf(f, "%s%s", i ? "," : "", l->item[i]);
	return text_end(&t);
}

static int list_names(struct sweep *s, struct problem *p)
{
	int failed = 0;
	for (size_t i = 0; i < s->config.n_arms; i++)
		failed |= names_add(&s->arms, label(s, &s->config.arm[i])) < 0;
	for (size_t a = 0; a < s->plan.n_axes; a++)
		failed |= names_add(&s->axis, s->plan.axis[a].name) < 0;
	return failed ? problem_no_memory(p) : 0;
}

/* Writes configuration, axes and options as texts, which a store compares when
 * it is continued. */
static int describe(struct sweep *s, const struct sweep_request *r,
		    struct problem *p)
{
	struct ini c = {0};
	int rc = config_read(&c, r->config, r->set.item, r->set.n, p);
	if (rc == 0)
		s->configuration = configuration_text(&c);
	ini_free(&c);
	if (rc < 0 || list_names(s, p) < 0)
		return -1;
	s->axes = plan_text(&s->plan, &r->plan);
	s->options = options_text(s, s->seeds);
	s->search = options_text(s, 0);
	s->arms_text = join(&s->arms);
	if (!s->configuration || !s->axes || !s->options || !s->search ||
	    !s->arms_text)
		return problem_no_memory(p);
	s->study = (struct store_study){
	    .mode = s->bounds.n ? STORE_CAPACITY : STORE_RUN,
	    .stepcost = PACKAGE_VERSION,
	    .configuration = s->configuration,
	    .axes = s->axes,
	    .options = s->options,
	    .arms = s->arms_text,
	    .points = (int64_t)s->plan.n_points,
	};
	return 0;
}

/* Returns 1 if the axis decides which trace is read, and how. */
static int chooses_trace(const char *name)
{
	static const char *const key[] = {
	    "workload.trace", "workload.format", "workload.columns",
	    "workload.concurrency", "workload.retime"};
	for (size_t i = 0; i < sizeof key / sizeof *key; i++)
		if (!strcmp(key[i], name))
			return 1;
	return 0;
}

/* Refuses an axis that changes nothing, because a trace does not use its
 * key. */
static int check_used(const struct sweep *s, struct problem *p)
{
	const struct plan *l = &s->plan;
	const char *section = "workload.";
	for (size_t a = 0; a < l->n_axes; a++)
		if (chooses_trace(l->axis[a].name))
			return 0;
	for (size_t a = 0; a < l->n_axes; a++) {
		const char *name = l->axis[a].name;
		if (strncmp(name, section, strlen(section)))
			continue;
		enum workload_unused why =
		    named_trace_ignores(&s->config.workload_keys,
					&s->config.cfg, name + strlen(section));
		if (why)
			return problem_set(
			    p, EXIT_USAGE,
			    "%s %s: the trace has its own %s, so all points "
			    "would be equal%s",
			    l->option, name,
			    why == WORKLOAD_OWN_TIMES ? "arrival times"
						      : "requests",
			    why == WORKLOAD_OWN_TIMES
				? "; --set workload.retime=true uses the key"
				: "");
	}
	return 0;
}

int sweep_open(struct sweep *s, const struct sweep_request *r,
	       struct problem *p)
{
	struct ini c = {0};
	*s = (struct sweep){
	    .seeds = r->seeds, .rate = r->rate, .precision = r->precision};
	int rc = warm_up_parse(&s->warm_up, r->warm_up, p);
	if (rc == 0 && r->warm_up && r->slo)
		rc = problem_set(p, EXIT_USAGE,
				 "--warm-up: a capacity search (%s) judges "
				 "whole runs",
				 r->slo_option);
	if (rc == 0 && r->slo)
		rc = bounds_parse(&s->bounds, r->slo_option, r->slo, p);
	if (rc == 0)
		rc = config_read(&c, r->config, r->set.item, r->set.n, p);
	if (rc == 0)
		rc = plan_make(&s->plan, &r->plan, &c, p);
	ini_free(&c);
	if (rc == 0)
		rc = load_config(s, r, p);
	if (rc == 0)
		rc = bounds_check(&s->bounds, r->slo_option,
				  &s->config.slo_keys, p);
	if (rc == 0)
		rc = check_values(s, p);
	if (rc == 0)
		rc = check_axes(s, r, p);
	if (rc == 0)
		rc = check_used(s, p);
	return rc < 0 ? -1 : describe(s, r, p);
}

void sweep_free(struct sweep *s)
{
	config_free(&s->config);
	plan_free(&s->plan);
	names_free(&s->arms);
	names_free(&s->axis);
	free(s->configuration), free(s->axes), free(s->options);
	free(s->search), free(s->arms_text);
	*s = (struct sweep){0};
}
