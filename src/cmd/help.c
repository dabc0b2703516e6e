/* help.c -- Prints help about commands, keys and words. */
#include "cmd/help.h"
#include <string.h>
#include "arm/key_tables.h"
#include "base/nearest.h"
#include "base/paragraph.h"
#include "cmd/cmd.h"
#include "cmd/commands.h"
#include "report/help/completion.h"
#include "report/help/find.h"
#include "report/help/manual.h"
#include "report/help/reference.h"
#include "report/help/shipped.h"

static void command_lines(FILE *f, const char *first)
{
	size_t len = strlen(first);
	for (size_t i = 0; i < n_commands; i++) {
		char head[80];
		const struct command *m = command_list[i];
		if (len &&
		    (strncmp(m->name, first, len) || m->name[len] != ' '))
			continue;
		snprintf(head, sizeof head, "%s %s", m->name, m->args);
		paragraph_print(f, PARAGRAPH_COLUMNS, 37, "  %-34s %s", head,
				m->summary);
	}
}

/* The commands that a newcomer needs, with an example that works as it is. */
static const struct {
	const char *name, *does, *example;
} first[] = {
    {"run", "what latency does a service have?", "run five-arms"},
    {"compare", "do cost models agree on it, and why not?",
     "compare five-arms --why"},
    {"score", "how near is a cost model to measured steps?",
     "score five-arms --steps STEPS.csv"},
    {"validate", "how near is it to a run of mine?",
     "validate sizing --measured bench_data/serving/bench-serve.json"},
    {"capacity", "what load does it carry, on how many GPUs?",
     "capacity five-arms --slo ttft_p99_ms=500 --rate 100"},
    {"recommend", "which configuration of my GPUs is best?",
     "recommend --model llama-3.1-8b --hardware h100-sxm --gpus 2"
     " --input-tokens 1000 --output-tokens 200 --slo ttft_p99_ms=500"},
};
enum { N_FIRST = sizeof first / sizeof *first };

static int is_command(const char *name)
{
	for (size_t i = 0; i < n_commands; i++)
		if (!strcmp(command_list[i]->name, name))
			return 1;
	return 0;
}

void help_start(FILE *f)
{
	fputs("usage: stepcost COMMAND ...\n\n", f);
	for (size_t i = 0; i < N_FIRST; i++)
		if (is_command(first[i].name))
			fprintf(f, "%-10s %s\n           stepcost %s\n",
				first[i].name, first[i].does, first[i].example);
	fputs("\nstepcost help lists all commands, stepcost help COMMAND its "
	      "options, stepcost help KEY\nexplains a key of the INI, stepcost "
	      "help models and help gpus list the shipped ones.\n",
	      f);
}

static void help_overview(FILE *f)
{
	const char *name, *about;
	fputs("usage: stepcost COMMAND ...\n\n", f);
	command_lines(f, "");
	fputs("\nstepcost help COMMAND (or COMMAND --help) lists its options, "
	      "stepcost help KEY\nexplains a key of the INI, and\n",
	      f);
	for (size_t i = 0; (name = reference_section_name(i, &about)); i++)
		fprintf(f, "  help %-29s the keys of [%s]\n", name, name);
	fputs("  help ini                           all of them\n"
	      "  help ini json                      the same for programs\n"
	      "  help glossary                      the words of results\n"
	      "  help questions                     where to begin\n",
	      f);
}

/* ---- topics with a function each ---- */

static void print_ini(FILE *f)
{
	reference_section(f, "ini");
}

static void print_manual(FILE *f)
{
	manual_program(f, command_list, n_commands);
}

static void print_bash(FILE *f)
{
	completion_bash(f, command_list, n_commands);
}

static void print_zsh(FILE *f)
{
	completion_zsh(f, command_list, n_commands);
}

static const struct {
	const char *topic;
	void (*print)(FILE *f);
} topic[] = {
    {"glossary", reference_glossary},
    {"questions", reference_faq},
    {"models", shipped_models},
    {"gpus", shipped_gpus},
    {"ini", print_ini},
    {"ini json", reference_json},
    {"man", print_manual},
    {"man ini", manual_ini},
    {"completion bash", print_bash},
    {"completion zsh", print_zsh},
};
enum { N_TOPICS = sizeof topic / sizeof *topic };

static int print_topic(const char *words)
{
	for (int i = 0; i < N_TOPICS; i++)
		if (!strcmp(topic[i].topic, words)) {
			topic[i].print(stdout);
			return 1;
		}
	return 0;
}

/* Prints the commands that begin with the word, for example "plugins". */
static int print_group(const char *word)
{
	size_t len = strlen(word);
	for (size_t i = 0; i < n_commands; i++)
		if (!strncmp(command_list[i]->name, word, len) &&
		    command_list[i]->name[len] == ' ') {
			command_lines(stdout, word);
			return 1;
		}
	return 0;
}

/* Prints both kinds of a name: "tables" is a group of commands and a section of
 * the INI; so are the commands "serve" and "arena". */
static int print_named(const char *word)
{
	int commands = print_group(word);
	return reference_section(stdout, word) || commands;
}

/* ---- finding the topic ---- */

/* Tries a section and its keys. */
static void try_keys(struct nearest *n, const char *section)
{
	struct key_table t[KEY_TABLES];
	size_t tables = key_tables_of(section, NULL, t);
	nearest_try(n, section);
	for (size_t i = 0; i < tables; i++)
		for (uint32_t k = 0; !*t[i].prefix && k < t[i].n; k++)
			nearest_try(n, t[i].knob[k]->name);
}

/* No topic: a command mistyped, a word of some keys, or nothing. */
static int unknown(const char *words)
{
	struct problem p;
	struct nearest n;
	const char *name, *about;
	char hint[100];
	nearest_start(&n, words);
	for (size_t i = 0; i < n_commands; i++)
		nearest_try(&n, command_list[i]->name);
	for (int i = 0; i < N_TOPICS; i++)
		nearest_try(&n, topic[i].topic);
	if (!n.name && help_find(stdout, words))
		return EXIT_DONE;
	for (size_t i = 0; (name = reference_section_name(i, &about)); i++)
		try_keys(&n, name);
	problem_set(&p, EXIT_USAGE,
		    "no help on '%s'%s: a command, a section or key of the "
		    "INI, models, gpus, glossary, questions",
		    words, nearest_hint(&n, hint));
	return print_error(&p);
}

int help(int argc, char **argv)
{
	char words[200] = "";
	size_t at = 0;
	int used, is_page = argc > 1 && !strcmp(argv[0], "man");
	for (int i = 0; i < argc && at < sizeof words; i++)
		at += (size_t)snprintf(words + at, sizeof words - at, "%s%s",
				       i ? " " : "", argv[i]);
	const struct command *m =
	    commands_find(argc - is_page, argv + is_page, &used);
	if (!argc)
		return help_overview(stdout), EXIT_DONE;
	if (m && used == argc - is_page) {
		if (is_page)
			return manual_command(stdout, m), EXIT_DONE;
		cmdline_help(stdout, m);
		reference_section(stdout, words);
		return EXIT_DONE;
	}
	if (print_topic(words) || print_named(words) ||
	    reference_key(stdout, words) || reference_word(stdout, words))
		return EXIT_DONE;
	return unknown(words);
}
