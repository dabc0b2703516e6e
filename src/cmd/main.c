/* main.c -- picks the command. */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/nearest.h"
#include "cmd/cmd.h"
#include "cmd/outputs.h"
#include "setup/datafile.h"

/* clang-format off */
static const struct command *const command[] = {
    &command_calibrate,
    &command_compare,
    &command_capacity,
    &command_eval,
    &command_kernel,
    &command_experiment,
    &command_experiment_list,
    &command_model_show,
    &command_plugins_check,
    &command_plugins_new,
    &command_plugins_describe,
    &command_run,
    &command_plugins_list,
    &command_sweep,
    &command_sweep_show,
    &command_sweep_pareto,
    &command_sweep_plot,
    &command_sweep_merge,
    &command_tables_check,
    &command_tables_fit,
    &command_tables_list,
    &command_trace_info,
    &command_validate,
};
/* clang-format on */
enum { N_COMMANDS = sizeof command / sizeof *command };

static void overview(FILE *f)
{
	fputs("usage: stepcost COMMAND ...\n\n", f);
	for (int i = 0; i < N_COMMANDS; i++) {
		char head[80];
		snprintf(head, sizeof head, "%s %s", command[i]->name,
			 command[i]->args);
		fprintf(f, "  %-34s %s\n", head, command[i]->summary);
	}
	fputs(
	    "\nstepcost help COMMAND, or COMMAND --help, tells the options.\n",
	    f);
}

/* How many words of argv the name has; 0: it is not the one meant. */
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

/* The command with the most words ("experiment list" before "experiment"). */
static const struct command *find(int argc, char **argv, int *words)
{
	const struct command *found = NULL;
	*words = 0;
	for (int i = 0; i < N_COMMANDS; i++) {
		int n = matches(command[i]->name, argc, argv);
		if (n > *words) {
			*words = n;
			found = command[i];
		}
	}
	return found;
}

static int unknown(int argc, char **argv)
{
	struct problem p;
	struct nearest n;
	char typed[200], hint[100];
	size_t first = strlen(argv[0]);
	int subcommands = 0;
	for (int i = 0; i < N_COMMANDS; i++)
		subcommands |= !strncmp(command[i]->name, argv[0], first) &&
			       command[i]->name[first] == ' ';
	snprintf(typed, sizeof typed, "%s%s%s", argv[0],
		 subcommands && argc > 1 ? " " : "",
		 subcommands && argc > 1 ? argv[1] : "");
	nearest_start(&n, typed);
	for (int i = 0; i < N_COMMANDS; i++)
		nearest_try(&n, command[i]->name);
	problem_set(&p, EXIT_USAGE, "unknown command '%s'%s; see stepcost help",
		    typed, nearest_hint(&n, hint));
	return complain(&p);
}

/* CONFIG may be a name; *path is to be freed. */
static int find_configuration(struct cmdline *c, char **path, struct problem *p)
{
	if (strncmp(c->command->args, "CONFIG", 6) != 0)
		return 0;
	if (!(*path = datafile_configuration(c->arg[0], p)))
		return -1;
	c->arg[0] = *path;
	return 0;
}

static int run(const struct command *m, int argc, char **argv)
{
	struct cmdline c;
	struct problem p;
	char *config = NULL;
	int rc;
	if (cmdline_parse(&c, m, argc, argv, &p) < 0)
		rc = complain(&p);
	else if (c.help)
		cmdline_help(stdout, m), rc = EXIT_DONE;
	else if (c.version)
		puts(PACKAGE_STRING), rc = EXIT_DONE;
	else if (find_configuration(&c, &config, &p) < 0 ||
		 outputs_check(&c, &p) < 0)
		rc = complain(&p);
	else
		rc = m->run(&c);
	cmdline_free(&c);
	free(config);
	return rc;
}

static int dispatch(int argc, char **argv)
{
	int words, help = argc && !strcmp(argv[0], "help");
	const struct command *m = find(argc - help, argv + help, &words);
	if (help && m)
		cmdline_help(stdout, m);
	else if ((help && argc == 1) || (argc && !strcmp(argv[0], "--help")))
		overview(stdout);
	else if (argc && !strcmp(argv[0], "--version"))
		puts(PACKAGE_STRING);
	else if (m)
		return run(m, argc - words, argv + words);
	else if (argc > help)
		return unknown(argc - help, argv + help);
	else
		return overview(stderr), EXIT_USAGE;
	return EXIT_DONE;
}

/* Whoever starts us with 0, 1 or 2 closed must not find a result, or a message,
 * in the first file that we open.  Writing to a standard output that was closed
 * fails; what standard error would say is lost. */
static int secure_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null",
			 fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return -1;
	return 0;
}

/* What stands in the buffer still has to arrive. */
static int check_output(int rc)
{
	struct problem p;
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return rc;
	problem_set(&p, EXIT_USAGE, "cannot write the output: %s",
		    errno ? strerror(errno) : "an earlier write failed");
	return complain_too(rc, &p);
}

int main(int argc, char **argv)
{
	if (secure_descriptors() < 0)
		return EXIT_USAGE;
	/* A reader that has gone is an output that cannot be written. */
	signal(SIGPIPE, SIG_IGN);
	return check_output(dispatch(argc - 1, argv + 1));
}
