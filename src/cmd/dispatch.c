/* dispatch.c -- Runs the command that words name. */
#include "cmd/dispatch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/inputs.h"
#include "cmd/cmd.h"
#include "cmd/commands.h"
#include "cmd/commit.h"
#include "cmd/help.h"
#include "cmd/output/outputs.h"
#include "keys/datafile.h"

/* CONFIG may be a name.  The caller frees *path. */
static int find_configuration(struct cmdline *c, char **path, struct problem *p)
{
	const char *args = c->command->args;
	args += *args == '[';
	if (strncmp(args, "CONFIG", 6) != 0 || !c->n_args)
		return 0;
	if (!(*path = datafile_configuration(c->arg[0], p)))
		return -1;
	c->typed = c->arg[0];
	c->arg[0] = *path;
	return 0;
}

/* What the command line names; identity.c looks for files among them. */
static void note_option(void *user, const struct option_def *o,
			const char *value)
{
	char name[80];
	(void)user;
	snprintf(name, sizeof name, "--%s", o->name);
	const char *const text[] = {name, value};
	inputs_note(INPUT_OPTION, text, 2);
}

static void note_command_line(const struct cmdline *c)
{
	size_t n = strcspn(c->command->args, " ");
	char name[80];
	snprintf(name, sizeof name, "%.*s", (int)n, c->command->args);
	for (int i = 0; i < c->n_args; i++)
		inputs_note(INPUT_OPTION,
			    (const char *const[]){name, c->arg[i]}, 2);
	cmdline_each_text(c, note_option, NULL);
}

static void say_version(void)
{
	printf("%s%s%s%s\n", PACKAGE_STRING, *commit_hex ? " " : "", commit_hex,
	       commit_is_dirty ? " (changed)" : "");
}

static int run(const struct command *m, int argc, char **argv)
{
	struct cmdline c;
	struct problem p;
	char *config = NULL;
	int rc;
	if (cmdline_parse(&c, m, argc, argv, &p) < 0)
		commands_explain(&c, &p), rc = print_error(&p);
	else if (c.help)
		cmdline_help(stdout, m), rc = EXIT_DONE;
	else if (c.version)
		say_version(), rc = EXIT_DONE;
	else if (find_configuration(&c, &config, &p) < 0 ||
		 outputs_check(&c, &p) < 0)
		rc = print_error(&p);
	else
		note_command_line(&c), rc = m->run(&c);
	cmdline_free(&c);
	free(config);
	return rc;
}

static int is_one(const char *arg, const char *a, const char *b, const char *c)
{
	return arg && (!strcmp(arg, a) || !strcmp(arg, b) || !strcmp(arg, c));
}

int dispatch(int argc, char **argv)
{
	int words;
	const struct command *m = commands_find(argc, argv, &words);
	if (!argc)
		return help_start(stderr), EXIT_USAGE;
	if (is_one(argv[0], "help", "--help", "-h"))
		return help(argc - 1, argv + 1);
	if (is_one(argv[0], "version", "--version", "-V"))
		return say_version(), EXIT_DONE;
	if (!m && argc > 1 && is_one(argv[1], "--help", "-h", "help"))
		return help(1, argv);
	return m ? run(m, argc - words, argv + words)
		 : commands_unknown(argc, argv);
}
