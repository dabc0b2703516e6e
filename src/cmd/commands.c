/* commands.c -- Lists the commands, and finds the one on the command line. */
#include <config.h>
#include "cmd/commands.h"
#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "cmd/cmd.h"

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
	char typed[200], hint[100];
	size_t first = strlen(argv[0]);
	int subcommands = 0;
	for (size_t i = 0; i < n_commands; i++)
		subcommands |=
		    !strncmp(command_list[i]->name, argv[0], first) &&
		    command_list[i]->name[first] == ' ';
	snprintf(typed, sizeof typed, "%s%s%s", argv[0],
		 subcommands && argc > 1 ? " " : "",
		 subcommands && argc > 1 ? argv[1] : "");
	nearest_start(&n, typed);
	for (size_t i = 0; i < n_commands; i++)
		nearest_try(&n, command_list[i]->name);
	if (first > 4 && !strcmp(argv[0] + first - 4, ".ini")) {
		snprintf(typed, sizeof typed, "run %s", argv[0]);
		n = (struct nearest){.typed = argv[0], .name = typed};
		problem_set(&p, EXIT_USAGE,
			    "'%s' is a configuration, not a "
			    "command%s",
			    argv[0], nearest_hint(&n, hint));
		return complain(&p);
	}
	problem_set(&p, EXIT_USAGE, "unknown command '%s'%s; see stepcost help",
		    typed, nearest_hint(&n, hint));
	return complain(&p);
}
