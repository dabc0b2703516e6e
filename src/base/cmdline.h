/* base/cmdline.h -- commands and their options as data: parsing, checks and
 * help come from one table.  The options of every command are here; a command
 * adds a table of its own.  Prints nothing by itself.  Strings point into argv;
 * lists are copies. */
#pragma once
#include <stddef.h>
#include <stdio.h>
#include "base/names.h"
#include "base/problem.h"

/* How an option is stored at `offset` of its block. */
enum option_type {
	OPTION_FLAG,   /* int: 1 if given */
	OPTION_TEXT,   /* const char *: NULL if not given */
	OPTION_OUTPUT, /* as OPTION_TEXT: a file that is written */
	OPTION_LIST,   /* struct names: may be given several times */
	OPTION_CHOICE, /* int: index into choices, from 1; 0 if not given */
	OPTION_INT,    /* int64_t in [min, max]; unchanged if not given */
	OPTION_NUMBER, /* double in [min, max]; unchanged if not given */
};
struct option_def {
	const char *name; /* without the dashes */
	/* For help: "FILE"; NULL for a flag.  "[=X]": the value may be left
	 * out; then a text is "" and a choice is -1.  "[X]" as "[=X]", but the
	 * next word is the value if it has only digits and '/'. */
	const char *arg;
	enum option_type type;
	size_t offset;
	const char *help;
	const char *const *choices; /* NULL-terminated */
	double min, max;
	int required;
};
/* A row of a table of options, kept in a member of `struct options`, or of
 * another block.  ...: the help, then .choices, .min, .max, .required. */
#define OPTION_OF(block_, type_, name_, arg_, member_, ...)                    \
	{                                                                      \
		.name = (name_), .arg = (arg_), .type = OPTION_##type_,        \
		.offset = offsetof(block_, member_), .help = __VA_ARGS__       \
	}
#define OPTION(...) OPTION_OF(struct options, __VA_ARGS__)
/* Members of a struct command: its table of options, kept in such a block. */
#define OWN_OPTIONS(option_, block_)                                           \
	.option = (option_), .n_options = sizeof(option_) / sizeof *(option_), \
	.own_size = sizeof(block_)

/* How a result is written; a command says which of them it can. */
enum output_format {
	FORMAT_DEFAULT,
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_CSV,
	/* As other tools write a measured run. */
	FORMAT_REPORT,
	FORMAT_VLLM,
	FORMAT_PROMETHEUS,
	N_FORMATS
};
enum {
	WRITES_TEXT = 1 << FORMAT_TEXT,
	WRITES_JSON = 1 << FORMAT_JSON,
	WRITES_CSV = 1 << FORMAT_CSV,
	WRITES_REPORT = 1 << FORMAT_REPORT,
	WRITES_VLLM = 1 << FORMAT_VLLM,
	WRITES_PROMETHEUS = 1 << FORMAT_PROMETHEUS,
};

struct cmdline;
struct command {
	const char *name;    /* "eval", or two words: "plugins list" */
	const char *args;    /* "CONFIG", as help shows it */
	const char *summary; /* one line */
	int min_args, max_args;
	unsigned formats; /* WRITES_...; others are refused */
	/* 1: it reads no configuration, so it takes no --set and no --arms */
	int has_no_config;
	int has_no_arms; /* 1: it takes no --arms */
	int has_short;   /* 1: its text is short, unless --all is given */
	const struct option_def *option;
	size_t n_options;
	const void *defaults; /* of own_size bytes; NULL: zeros */
	size_t own_size;      /* size of the block for its own options */
	int (*run)(const struct cmdline *c); /* returns the exit code */
};

struct cmdline {
	const struct command *command;
	struct names set;
	const char *arms, *output; /* NULL: not given */
	int format;                /* enum output_format */
	int all, cite, quiet, help, version;
	const char *typed; /* the first of arg, if another name replaced it */
	const char **arg;  /* the words that are no options */
	int n_args;
	/* "--name" or "--name=value" of an option that the command does not
	 * have, if parsing failed because of it. */
	const char *unknown;
	void *own; /* the command's block */
};

/* argv: the words behind the command's name.  With --help or --version no
 * argument is required.  Returns 0, or -1 with *p filled in (EXIT_USAGE).  The
 * caller frees *c in either case. */
int cmdline_parse(struct cmdline *c, const struct command *command, int argc,
		  char **argv, struct problem *p);
void cmdline_free(struct cmdline *c);
/* Lists the options that were given or differ from their default, as words
 * "--name=value", except those named in `but` (ends with NULL).  Returns 0, or
 * -1 if memory is out. */
int cmdline_words(const struct cmdline *c, const char *const *but,
		  struct names *out);
/* The same without outputs and what else changes no figure (--jobs). */
int cmdline_figure_words(const struct cmdline *c, struct names *out);
/* Returns the command with these words as a shell reads it; the caller frees
 * it.  NULL: memory is out. */
char *cmdline_text(const struct cmdline *c);
/* Calls tell() for each text that was given to an option: OPTION_TEXT,
 * OPTION_OUTPUT, OPTION_LIST. */
void cmdline_each_text(const struct cmdline *c,
		       void (*tell)(void *user, const struct option_def *o,
				    const char *value),
		       void *user);
/* Returns 1 if the command takes that index of the choices of an option. */
int cmdline_offers(const struct command *command, const struct option_def *o,
		   int choice);
/* Returns the i-th option of a command, its own options first, or NULL if there
 * are no more. */
const struct option_def *cmdline_option(const struct command *command,
					size_t i);
/* Writes usage, summary and all options of a command. */
void cmdline_help(FILE *f, const struct command *command);
