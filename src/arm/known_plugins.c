/* known_plugins.c -- Asks plugins for their declarations, and remembers
 * them. */
#include "arm/known_plugins.h"
#include <stdlib.h>
#include <string.h>

/* Returns the index of the file, or n. */
static size_t question_of(const struct known_plugins *k, const char *file)
{
	size_t i = 0;
	while (i < k->n && strcmp(k->question[i].file, file))
		i++;
	return i;
}

/* Adds each plugin once, even if several arms use it.  Returns 0 or -1. */
static int add_files(struct known_plugins *k, const struct arm_config *arm,
		     size_t n)
{
	struct plugin_query *q =
	    realloc(k->question, (k->n + n + 1) * sizeof *q);
	if (!q)
		return -1;
	k->question = q;
	for (size_t i = 0; i < n; i++) {
		const char *file = arm[i].plugin_path;
		if (!file || question_of(k, file) < k->n)
			continue;
		q[k->n] = (struct plugin_query){.file = strdup(file)};
		if (!q[k->n].file)
			return -1;
		k->n++;
	}
	return 0;
}

int known_plugins_ask(struct known_plugins *k, const struct arm_config *arm,
		      size_t n, struct problem *p)
{
	size_t before = k->n;
	if (add_files(k, arm, n) < 0)
		return problem_no_memory(p);
	if (plugin_ask_all(k->question + before, k->n - before,
			   JOB_ANSWER_LIMIT_S, p) < 0)
		return -1;
	/* Also of an arm that will not run: the list of files read, and the
	 * checks of its knobs, would lack it. */
	for (size_t i = before; i < k->n; i++)
		if (k->question[i].machine_failed &&
		    k->question[i].problem.code != EXIT_DONE)
			return problem_set(p, EXIT_USAGE, "%s",
					   k->question[i].problem.text);
	return 0;
}

const struct plugin_description *known_plugin(const struct known_plugins *k,
					      const char *file)
{
	size_t i = question_of(k, file);
	return i < k->n && k->question[i].problem.code == EXIT_DONE
		   ? &k->question[i].about
		   : NULL;
}

void known_plugins_free(struct known_plugins *k)
{
	for (size_t i = 0; i < k->n; i++) {
		plugin_description_free(&k->question[i].about);
		free((char *)(uintptr_t)k->question[i].file);
	}
	free(k->question);
	*k = (struct known_plugins){0};
}
