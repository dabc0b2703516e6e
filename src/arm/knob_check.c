/* knob_check.c -- Checks arms against what their plugins declare. */
#include <config.h>
#include "arm/knob_check.h"
#include <stdlib.h>
#include <string.h>
#include "plugin/ask.h"
#include "plugin/schema.h"
#include "setup/hardware.h"
#include "setup/keys.h"

/* Index of the file among the n questions, or n. */
static size_t question_of(const struct plugin_question *q, size_t n,
			  const char *file)
{
	size_t i = 0;
	while (i < n && strcmp(q[i].file, file))
		i++;
	return i;
}

static int check_section(const struct ini *c, const char *section,
			 const sc_plugin *plugin, struct problem *p)
{
	const struct key_table known[] = {
	    {arm_key, arm_n_keys, ""},
	    {plugin->knob, plugin->n_knobs, ""},
	    {arm_tables_key, arm_tables_n_keys, "tables."},
	    {hardware_key, hardware_n_keys, "hardware."},
	};
	if (keys_check(c, section, known, sizeof known / sizeof *known, p) < 0)
		return -1;
	void *block = knobs_new(plugin, c, section, p);
	free(block);
	return block ? 0 : -1;
}

static int check_arms(const struct ini *c, const struct arm_config *arm,
		      size_t n, const struct plugin_question *q,
		      size_t n_questions, struct problem *p)
{
	for (size_t i = 0; i < n; i++) {
		if (!arm[i].plugin_path)
			continue;
		const struct plugin_question *a =
		    &q[question_of(q, n_questions, arm[i].plugin_path)];
		if (a->problem.code == EXIT_DONE &&
		    check_section(c, arm[i].section, &a->about.is, p) < 0)
			return -1;
	}
	return 0;
}

int knob_check(const struct ini *c, const struct arm_config *arm, size_t n,
	       struct problem *p)
{
	struct plugin_question *q = calloc(n + 1, sizeof *q);
	size_t n_questions = 0;
	if (!q)
		return problem_set(p, EXIT_USAGE, "out of memory");
	/* Many arms may be of one plugin: it is asked once. */
	for (size_t i = 0; i < n; i++)
		if (arm[i].plugin_path &&
		    question_of(q, n_questions, arm[i].plugin_path) ==
			n_questions)
			q[n_questions++].file = arm[i].plugin_path;
	int rc = plugin_ask_all(q, n_questions, JOB_ANSWER_LIMIT_S, p);
	if (rc == 0)
		rc = check_arms(c, arm, n, q, n_questions, p);
	for (size_t i = 0; i < n_questions; i++)
		plugin_description_free(&q[i].about);
	free(q);
	return rc;
}
