/* arm_knobs.c -- Gives knobs that measured rows ask for to the arms that have
 * them. */
#include "validate/fit/arm_knobs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/configuration.h"
#include "keys/keys.h"

int arm_knobs_open(struct arm_knobs *a, const char *path,
		   const char *const *set, size_t n_set, struct problem *p)
{
	*a = (struct arm_knobs){0};
	if (config_read(&a->cfg, path, set, n_set, p) < 0 ||
	    arm_list_read(&a->arms, &a->cfg, p) < 0)
		return -1;
	a->plugin = calloc(a->arms.n + 1, sizeof *a->plugin);
	if (!a->plugin)
		return problem_no_memory(p);
	for (size_t i = 0; i < a->arms.n; i++)
		a->plugin[i].file = a->arms.item[i].plugin_path
					? a->arms.item[i].plugin_path
					: a->arms.item[i].plugin;
	return plugin_ask_all(a->plugin, a->arms.n, JOB_ANSWER_LIMIT_S, p);
}

static int takes(const struct arm_knobs *a, size_t i, const char *name)
{
	const struct plugin_query *q = &a->plugin[i];
	if (q->problem.code != EXIT_DONE ||
	    ini_find(&a->cfg, a->arms.item[i].section, name))
		return 0;
	return strncmp(name, "engine.", 7) != 0
		   ? knob_named(q->about.is.knob, q->about.is.n_knobs, name) !=
			 NULL
		   : q->about.prices_requests &&
			 !ini_by_option(ini_find(&a->cfg, "engine", name + 7));
}

int arm_knobs_assign(const struct arm_knobs *a, const char *knob,
		     struct names *set)
{
	char name[80], *text;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(knob, "="), knob);
	for (size_t i = 0; i < a->arms.n; i++) {
		const char *section = a->arms.item[i].section;
		if (!takes(a, i, name))
			continue;
		if (asprintf(&text, "%s.%s", section, knob) < 0)
			return -1;
		int rc = names_add(set, text);
		free(text);
		if (rc < 0)
			return -1;
	}
	return 0;
}

void arm_knobs_free(struct arm_knobs *a)
{
	for (size_t i = 0; a->plugin && i < a->arms.n; i++)
		plugin_description_free(&a->plugin[i].about);
	free(a->plugin);
	arm_list_free(&a->arms);
	ini_free(&a->cfg);
	*a = (struct arm_knobs){0};
}
