/* commands.c -- Lists the commands, and finds the one on the command line. */
#include "cmd/commands.h"
#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "cmd/cmd.h"
#include "cmd/former_options.h"

#define COMMAND(name) extern const struct command command_##name;
#include "cmd/list.inc"
#undef COMMAND

const struct command *const command_list[] = {
#define COMMAND(name) &command_##name,
#include "cmd/list.inc"
#undef COMMAND
};
const size_t n_commands = sizeof command_list / sizeof *command_list;

/* Returns how many words of argv the name has; 0: argv has another command. */
static int matches(const char *name, int argc, char **argv)
{
	int words = 0;
	while (words < argc && *name) {
		size_t n = strcspn(name, " ");
		if (strlen(argv[words]) != n || strncmp(name, argv[words], n))
			return 0;
		words++;
		name += n + (name[n] == ' ');
	}
	return *name ? 0 : words;
}

/* Finds the command with the most words ("experiment list" before
 * "experiment"). */
const struct command *commands_find(int argc, char **argv, int *words)
{
	const struct command *found = NULL;
	*words = 0;
	for (size_t i = 0; i < n_commands; i++) {
		int n = matches(command_list[i]->name, argc, argv);
		if (n > *words) {
			*words = n;
			found = command_list[i];
		}
	}
	return found;
}

int commands_unknown(int argc, char **argv)
{
	struct problem p;
	struct nearest n;
	char typed[200], hint[100], there_are[200];
	size_t first = strlen(argv[0]);
	struct names sub = {0};
	for (size_t i = 0; i < n_commands; i++)
		if (!strncmp(command_list[i]->name, argv[0], first) &&
		    command_list[i]->name[first] == ' ')
			names_add(&sub, command_list[i]->name);
	snprintf(typed, sizeof typed, "%s%s%s", argv[0],
		 sub.n && argc > 1 ? " " : "",
		 sub.n && argc > 1 ? argv[1] : "");
	snprintf(there_are, sizeof there_are, "%s",
		 sub.n ? "; there are " : "");
	if (sub.n)
		names_join(&sub, there_are + strlen(there_are),
			   sizeof there_are - strlen(there_are));
	names_free(&sub);
	if (former_command(argv[0])) {
		problem_set(&p, EXIT_USAGE, "there is no command '%s'; %s",
			    argv[0], former_command(argv[0]));
		return print_error(&p);
	}
	nearest_start(&n, typed);
	/* Those with this first word are listed. */
	for (size_t i = 0; i < n_commands && !(*there_are && argc < 2); i++)
		nearest_try(&n, command_list[i]->name);
	if (first > 4 && !strcmp(argv[0] + first - 4, ".ini")) {
		snprintf(typed, sizeof typed, "run %s", argv[0]);
		n = (struct nearest){.typed = argv[0], .name = typed};
		problem_set(&p, EXIT_USAGE,
			    "'%s' is a configuration, not a "
			    "command%s",
			    argv[0], nearest_hint(&n, hint));
		return print_error(&p);
	}
	problem_set(&p, EXIT_USAGE,
		    "unknown command '%s'%s%s; see stepcost help", typed,
		    nearest_hint(&n, hint), there_are);
	return print_error(&p);
}

/* ---- options of other commands ---- */

/* Returns 1 if the command has the option with that name of n characters. */
static int has_option(const struct command *m, const char *name, size_t n)
{
	for (size_t i = 0; i < m->n_options; i++)
		if (!strncmp(m->option[i].name, name, n) &&
		    !m->option[i].name[n])
			return 1;
	return 0;
}

/* Writes "a, b" for the commands that have the option; returns buf. */
static const char *owners(const char *name, size_t n, char *buf, size_t size)
{
	struct names who = {0};
	for (size_t i = 0; i < n_commands; i++)
		if (has_option(command_list[i], name, n))
			names_add(&who, command_list[i]->name);
	buf[0] = '\0';
	if (who.n)
		names_join(&who, buf, size);
	names_free(&who);
	return buf;
}

/* "sweep shwo FILE" names no CONFIG, but a command that begins with "sweep".
 * Writes the hint for it, or "".  Returns buf. */
static const char *near_subcommand(const struct cmdline *c, char buf[100])
{
	struct nearest n;
	char typed[200];
	size_t first = strlen(c->command->name);
	snprintf(typed, sizeof typed, "%s %.100s", c->command->name, c->arg[0]);
	nearest_start(&n, typed);
	for (size_t i = 0; i < n_commands; i++)
		if (!strncmp(command_list[i]->name, typed, first + 1))
			nearest_try(&n, command_list[i]->name);
	return nearest_hint(&n, buf);
}

void commands_explain(const struct cmdline *c, struct problem *p)
{
	char who[200], hint[100];
	const char *name = c->unknown ? c->unknown + 2 : "";
	int n = (int)strcspn(name, "=");
	const char *instead = former_option(c->command->name, name, (size_t)n);
	if (instead)
		problem_set(p, EXIT_USAGE, "%s: there is no option --%.*s; %s",
			    c->command->name, n, name, instead);
	else if (n && *owners(name, (size_t)n, who, sizeof who))
		problem_set(p, EXIT_USAGE,
			    "%s: unknown option --%.*s; it is an option of %s",
			    c->command->name, n, name, who);
	else if (!strcmp(c->command->name, "sweep") && c->n_args > 1 &&
		 !strcmp(c->arg[0], "resume"))
		problem_set(p, EXIT_USAGE,
			    "sweep: to resume one, give its command again: the "
			    "same CONFIG, axes and --store; rows that the "
			    "store has are not computed again");
	else if (c->n_args > c->command->max_args && *near_subcommand(c, hint))
		problem_set(p, EXIT_USAGE, "unknown command '%s %s'%s",
			    c->command->name, c->arg[0], hint);
}
