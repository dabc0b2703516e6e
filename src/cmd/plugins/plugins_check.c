/* plugins_check.c -- The command `plugins check`: prints as TAP whether a
 * plugin keeps the rules of the ABI. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "arm/arm.h"
#include "base/file/path.h"
#include "base/text.h"
#include "base/printable.h"
#include "cmd/cmd.h"
#include "keys/datafile.h"
#include "plugin/conformance.h"
#include "plugin/loader.h"

struct options {
	const char *config;
	double time_limit;
};
static const struct options defaults = {.time_limit = 10};

struct tap {
	int n, failed;
};

/* Prints each line of the text as a comment of TAP. */
static void comment(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		fputs("# ", stdout);
		printable_line(stdout, text, n);
		putchar('\n');
		text += n + (text[n] == '\n');
	}
}

/* Prints a verdict as a line of TAP. */
static void print(void *user, const struct verdict *v)
{
	struct tap *t = user;
	int bad = v->is == VERDICT_NOT_OK;
	t->failed += bad;
	printf("%sok %d - %s%s%s", bad ? "not " : "", ++t->n, v->preset,
	       *v->preset ? ": " : "", v->check);
	if (v->is == VERDICT_SKIP) {
		fputs(" # SKIP ", stdout);
		printable_line(stdout, v->why, strcspn(v->why, "\n"));
	}
	putchar('\n');
	if (bad)
		comment(v->why);
	comment(v->notes);
	fflush(stdout);
}

/* Returns the plugin's file; the caller frees it.  The argument is the file, or
 * the name of an installed plugin. */
static char *file_of(const char *arg, struct problem *p)
{
	char *file = NULL, *shadowed = NULL;
	if (strchr(arg, '/') || path_ends_in(arg, ".so")) {
		if (!(file = strdup(arg)))
			problem_no_memory(p);
		return file;
	}
	if (plugin_find(plugin_path(), arg, &file, &shadowed, p) < 0)
		file = NULL;
	free(shadowed);
	return file;
}

/* Returns the path of --config, of the check.ini in the plugin's folder, or of
 * the installed configuration for checks; the caller frees it. */
static char *config_of(const struct options *own, const char *folder,
		       struct problem *p)
{
	char *path = NULL;
	if (own->config)
		return datafile_configuration(own->config, p);
	if (folder && asprintf(&path, "%s/check.ini", folder) < 0)
		path = NULL;
	if (path && access(path, R_OK) == 0)
		return path;
	free(path);
	return datafile_find("etc", "check", ".ini", p);
}

static int load(struct config *config, const struct cmdline *c,
		const char *folder, struct problem *p)
{
	char *path = config_of(c->own, folder, p);
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
	char *name = plugin_name(file, p);
	if (!name)
		return NULL;
	struct text as;
	FILE *f = text_begin(&as);
	int same = f && !strcmp(name, arm->is->plugin);
	for (size_t i = 0; same && i < cfg->n; i++) {
		const struct ini_item *t = &cfg->item[i];
		if (!strcmp(t->section, arm->is->section) &&
		    strcmp(t->key, "plugin") != 0 &&
		    strcmp(t->key, "preset") != 0 && !strchr(t->key, '.'))
			fprintf(f, "%s = %s\n", t->key, t->value);
	}
	free(name);
	char *lines = text_end(&as);
	if (!lines)
		problem_no_memory(p);
	return lines;
}

/* Checks the file with the setup that `config` makes, and the plugin's own
 * folder. */
static int check(const struct cmdline *c, struct config *config,
		 const char *file, const char *folder, struct tap *tap,
		 struct problem *p)
{
	struct arm *arm = calloc(1, sizeof *arm);
	if (!arm)
		return problem_no_memory(p);
	char *knobs = NULL;
	int rc = load(config, c, folder, p);
	if (rc == 0)
		rc = arm_prepare(arm, config, 0, NULL, p);
	if (rc == 0 && !(knobs = knobs_of(arm, file, p)))
		rc = -1;
	arm->setup.plugin_dir = folder;
	if (rc == 0)
		rc = conformance_run(
		    file, &arm->setup, knobs,
		    ((const struct options *)c->own)->time_limit, print, tap,
		    p);
	free(knobs);
	arm_close(arm);
	free(arm);
	return rc;
}

static int run(const struct cmdline *c)
{
	struct config config = {0};
	struct tap tap = {0};
	struct problem p;
	char *file = file_of(c->arg[0], &p), *folder = NULL;
	int rc = -1;
	if (file) {
		folder = plugin_folder(file);
		rc = check(c, &config, file, folder, &tap, &p);
	}
	rc = rc < 0 ? print_error(&p) : tap.failed ? EXIT_SAYS_NO : EXIT_DONE;
	if (tap.n)
		printf("1..%d\n", tap.n);
	free(folder);
	free(file);
	config_free(&config);
	return rc;
}

static const struct option_def option[] = {
    OPTION(TEXT, "config", "FILE", config,
	   "check with the model, hardware, engine and first arm's tables of "
	   "CONFIG, and its knobs if it has that plugin"),
    OPTION(NUMBER, "time-limit", "SECONDS", time_limit,
	   "limit for one call of the plugin (10)", .min = 0.01, .max = 3600),
};

const struct command command_plugins_check = {
    .name = "plugins check",
    .args = "NAME|FILE.so",
    .summary = "check that a plugin keeps the rules of the ABI (TAP)",
    .formats = WRITES_TEXT,
    .min_args = 1,
    .max_args = 1,
    OWN_OPTIONS(option, struct options),
    .defaults = &defaults,
    .run = run,
};
