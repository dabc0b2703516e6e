/* base/cmdline.h -- commands and their options as data: parsing, checks and
 * help come from one table.  The options every command has are here; a command
 * adds a table of its own.  Prints nothing by itself; strings point into argv,
 * but lists, which are copies. */
#ifndef SC_BASE_CMDLINE_H
#define SC_BASE_CMDLINE_H
#include <stddef.h>
#include <stdio.h>
#include "base/names.h"
#include "base/problem.h"

/* How an option is stored at `offset` of the block it belongs to. */
enum option_type {
	OPTION_FLAG,   /* int: 1 if given                                   */
	OPTION_TEXT,   /* const char *: NULL if not given                   */
	OPTION_OUTPUT, /* the same: a file that is written                   */
	OPTION_LIST,   /* struct names: repeatable                          */
	OPTION_CHOICE, /* int: index into choices, from 1; 0 if not given   */
	OPTION_INT,    /* int64_t in [min, max]; as it was if not given      */
	OPTION_NUMBER, /* double in [min, max]; as it was if not given       */
};
struct option_def {
	const char *name; /* without the dashes */
	const char *arg;  /* for help: "FILE"; NULL for a flag; "[=X]" if it
			     may be left out: then a text is "", a choice -1;
			     "[X]" likewise, and a next word that is digits
			     and '/' is the value                            */
	enum option_type type;
	size_t offset;
	const char *help;
	const char *const *choices; /* NULL-terminated */
	double min, max;
	int required;
};

struct cmdline;
struct command {
	const char *name;    /* "eval", or two words: "plugins list" */
	const char *args;    /* "CONFIG", as help shows it */
	const char *summary; /* one line */
	int min_args, max_args;
	const struct option_def *option;
	size_t n_options;
	const void *defaults; /* of own_size bytes, or NULL: zeros */
	size_t own_size;      /* block of its own options, zero at first */
	int (*run)(const struct cmdline *c); /* returns the exit code */
};

enum output_format { FORMAT_DEFAULT, FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };
struct cmdline {
	const struct command *command;
	struct names set;
	const char *arms, *output; /* NULL: not given */
	int format;                /* enum output_format */
	int quiet, help, version;
	const char **arg; /* what is no option */
	int n_args;
	void *own; /* the command's block */
};

/* argv: what follows the command's name.  With --help or --version nothing is
 * required.  0, or -1 with *p (EXIT_USAGE).  Free in either case. */
int cmdline_parse(struct cmdline *c, const struct command *command, int argc,
		  char **argv, struct problem *p);
void cmdline_free(struct cmdline *c);
/* The options that were given or are not at their default, as words
 * "--name=value", but those named (to NULL).  0, or -1: out of memory. */
int cmdline_words(const struct cmdline *c, const char *const *but,
		  struct names *out);
/* Each text that an option was given: OPTION_TEXT, _OUTPUT, _LIST. */
void cmdline_each_text(const struct cmdline *c,
		       void (*tell)(void *user, const struct option_def *o,
				    const char *value),
		       void *user);
/* The i-th option of a command, its own first; NULL: there are no more. */
const struct option_def *cmdline_option(const struct command *command,
					size_t i);
/* Usage, summary and all options of a command. */
void cmdline_help(FILE *f, const struct command *command);
#endif
