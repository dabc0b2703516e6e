/* plugins_check.c -- The command `plugins check`: prints as TAP whether a
 * plugin keeps the rules of the ABI. */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/arm.h"
#include "cmd/cmd.h"
#include "keys/datafile.h"
#include "plugin/conformance.h"
#include "plugin/loader.h"

struct own {
	const char *config;
	double time_limit;
};
static const struct own defaults = {.time_limit = 10};

struct tap {
	int n, failed;
};

/* Prints each line of the text as a comment of TAP. */
static void comment(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		printf("# %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static void print(void *user, const struct verdict *v)
{
	struct tap *t = user;
	int bad = v->is == VERDICT_NOT_OK;
	t->failed += bad;
	printf("%sok %d - %s%s%s", bad ? "not " : "", ++t->n, v->preset,
	       *v->preset ? ": " : "", v->check);
	if (v->is == VERDICT_SKIP)
		printf(" # SKIP %.*s", (int)strcspn(v->why, "\n"), v->why);
	putchar('\n');
	if (bad)
		comment(v->why);
	comment(v->notes);
	fflush(stdout);
}

/* Loads --config, or the installed configuration for checks. */
static int load(struct config *config, const struct cmdline *c,
		struct problem *p)
{
	const struct own *own = c->own;
	char *path = own->config ? datafile_configuration(own->config, p)
				 : datafile_find("etc", "check", ".ini", p);
	if (!path)
		return -1;
	int rc = config_load(config, path, c->set.item, c->set.n, c->arms, p);
	free(path);
	return rc;
}

/* Returns the knobs that the arm sets as lines "KNOB = VALUE", if its plugin is
 * the one of the file: what else a block of [cost_model] has is no knob.  The
 * caller frees them; NULL with *p filled in. */
static char *knobs_of(const struct arm *arm, const char *file,
		      struct problem *p)
{
	const struct ini *cfg = &arm->config->cfg;
	char *lines = NULL, *name = plugin_name(file, p);
	size_t size;
	if (!name)
		return NULL;
	FILE *f = open_memstream(&lines, &size);
	int same = f && !strcmp(name, arm->is->plugin);
	for (size_t i = 0; same && i < cfg->n; i++) {
		const struct ini_item *t = &cfg->item[i];
		if (!strcmp(t->section, arm->is->section) &&
		    strcmp(t->key, "plugin") != 0 &&
		    strcmp(t->key, "preset") != 0 && !strchr(t->key, '.'))
			fprintf(f, "%s = %s\n", t->key, t->value);
	}
	free(name);
	if (f && fclose(f) == 0)
		return lines;
	free(lines);
	problem_no_memory(p);
	return NULL;
}

static int check_arm(const struct cmdline *c, const struct arm *arm,
		     struct tap *tap, struct problem *p)
{
	char *knobs = knobs_of(arm, c->arg[0], p);
	int rc = knobs
		     ? conformance_run(c->arg[0], &arm->setup, knobs,
				       ((const struct own *)c->own)->time_limit,
				       print, tap, p)
		     : -1;
	free(knobs);
	return rc;
}

static int run(const struct cmdline *c)
{
	struct config config = {0};
	struct arm *arm = calloc(1, sizeof *arm);
	struct tap tap = {0};
	struct problem p;
	int rc = arm ? load(&config, c, &p) : problem_no_memory(&p);
	if (rc == 0)
		rc = arm_prepare(arm, &config, 0, NULL, &p);
	if (rc == 0)
		rc = check_arm(c, arm, &tap, &p);
	rc = rc < 0 ? complain(&p) : tap.failed ? EXIT_SAYS_NO : EXIT_DONE;
	if (tap.n)
		printf("1..%d\n", tap.n);
	if (arm)
		arm_close(arm);
	free(arm);
	config_free(&config);
	return rc;
}

static const struct option_def option[] = {
    {.name = "config",
     .arg = "FILE",
     .type = OPTION_TEXT,
     .offset = offsetof(struct own, config),
     .help = "check with the model, hardware, engine and first arm's tables of "
	     "CONFIG, and its knobs if it has that plugin"},
    {.name = "time-limit",
     .arg = "SECONDS",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct own, time_limit),
     .help = "limit for one call of the plugin (10)",
     .min = 0.01,
     .max = 3600},
};

const struct command command_plugins_check = {
    .name = "plugins check",
    .args = "FILE.so",
    .summary = "check that a plugin keeps the rules of the ABI (TAP)",
    .formats = WRITES_TEXT,
    .min_args = 1,
    .max_args = 1,
    .option = option,
    .n_options = sizeof option / sizeof *option,
    .defaults = &defaults,
    .own_size = sizeof(struct own),
    .run = run,
};
