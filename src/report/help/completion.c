/* completion.c -- Writes completion functions for bash and zsh. */
#include "report/help/completion.h"
#include <string.h>

/* ---- parts that both shells share ---- */

/* Writes the first words of all commands, each once, and "help". */
static void first_words(FILE *f, const struct command *const *list, size_t n)
{
	fputs("help", f);
	for (size_t i = 0; i < n; i++) {
		size_t len = strcspn(list[i]->name, " ");
		int again = 0;
		for (size_t k = 0; k < i && !again; k++)
			again = strcspn(list[k]->name, " ") == len &&
				!strncmp(list[k]->name, list[i]->name, len);
		if (!again)
			fprintf(f, " %.*s", (int)len, list[i]->name);
	}
}

/* Writes the second words of the commands as `case` branches.  A command
 * without a second word has its options there. */
static void second_words(FILE *f, const struct command *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *blank = strchr(list[i]->name, ' ');
		size_t len = blank ? (size_t)(blank - list[i]->name) : 0;
		if (!blank ||
		    (i && !strncmp(list[i - 1]->name, list[i]->name, len + 1)))
			continue;
		fprintf(f, "\t%.*s) subwords='", (int)len, list[i]->name);
		for (size_t k = i; k < n; k++)
			if (!strncmp(list[k]->name, list[i]->name, len + 1))
				fprintf(f, "%s ", list[k]->name + len + 1);
		fputs("' ;;\n", f);
	}
}

static void options(FILE *f, const struct command *const *list, size_t n)
{
	const struct option_def *o;
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "\t'%s') options='", list[i]->name);
		for (size_t k = 0; (o = cmdline_option(list[i], k)); k++)
			fprintf(f, "%s--%s", k ? " " : "", o->name);
		fputs("' ;;\n", f);
	}
}

/* Writes the values that an option allows, as `case` branches. */
static void choices(FILE *f, const struct command *const *list, size_t n)
{
	const struct option_def *o;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; (o = cmdline_option(list[i], k)); k++) {
			if (!o->choices)
				continue;
			fprintf(f, "\t'%s --%s') values='", list[i]->name,
				o->name);
			for (int j = 0; o->choices[j]; j++)
				if (cmdline_offers(list[i], o, j))
					fprintf(f, "%s%s", j ? " " : "",
						o->choices[j]);
			fputs("' ;;\n", f);
		}
}

/* Writes how to find the command on the line: by its first word, or by its
 * first two. */
static void command_of(FILE *f, const struct command *const *list, size_t n,
		       const char *first, const char *second)
{
	fprintf(f, "\tsubwords= options= values= command=%s\n\tcase %s in\n",
		first, first);
	second_words(f, list, n);
	fprintf(f,
		"\tesac\n\tcase \" $subwords\" in *\" %s \"*) "
		"command=\"%s %s\" ;; esac\n\tcase $command in\n",
		second, first, second);
	options(f, list, n);
	fputs("\tesac\n\tcase \"$command $before\" in\n", f);
	choices(f, list, n);
	fputs("\tesac\n", f);
}

/* ---- the shells ---- */

void completion_bash(FILE *f, const struct command *const *list, size_t n)
{
	fputs("# Written by stepcost help completion bash; not to be edited.\n"
	      "_stepcost()\n{\n\tlocal subwords options values command\n"
	      "\tlocal now=${COMP_WORDS[COMP_CWORD]} "
	      "before=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\tlocal first=${COMP_WORDS[1]} second=${COMP_WORDS[2]}\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W '",
	      f);
	first_words(f, list, n);
	fputs("' -- \"$now\"))\n\t\treturn\n\tfi\n", f);
	command_of(f, list, n, "$first", "$second");
	fputs("\tif [ -n \"$values\" ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$values\" -- \"$now\"))\n"
	      "\telif [ \"${now#-}\" != \"$now\" ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$now\"))\n"
	      "\telif [ \"$COMP_CWORD\" -eq 2 ] && [ -n \"$subwords\" ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$subwords\" -- \"$now\") "
	      "$(compgen -f -- \"$now\"))\n"
	      "\telse\n\t\tCOMPREPLY=($(compgen -f -- \"$now\"))\n\tfi\n}\n"
	      "complete -o filenames -F _stepcost stepcost\n",
	      f);
}

void completion_zsh(FILE *f, const struct command *const *list, size_t n)
{
	fputs("#compdef stepcost\n"
	      "# Written by stepcost help completion zsh; not to be edited.\n"
	      "_stepcost_of()\n{\n"
	      "\tlocal now=$1 before=$2 first=$3 second=$4 at=$5\n"
	      "\tlocal subwords options values command\n",
	      f);
	command_of(f, list, n, "$first", "$second");
	fputs("\tif [ -n \"$values\" ]; then\n\t\tcompadd -- ${=values}\n"
	      "\telif [ \"${now#-}\" != \"$now\" ]; then\n"
	      "\t\tcompadd -- ${=options}\n"
	      "\telse\n"
	      "\t\t[ $at -eq 3 ] && [ -n \"$subwords\" ] && "
	      "compadd -- ${=subwords}\n\t\t_files\n\tfi\n}\n"
	      "if (( CURRENT == 2 )); then\n\tcompadd -- ",
	      f);
	first_words(f, list, n);
	fputs("\nelse\n\t_stepcost_of \"$words[CURRENT]\" "
	      "\"$words[CURRENT-1]\" \"$words[2]\" \"$words[3]\" $CURRENT\n"
	      "fi\n",
	      f);
}
