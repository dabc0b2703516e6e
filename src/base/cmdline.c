/* cmdline.c -- Parses a command line by tables of commands and options. */
#include "base/cmdline.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"
#include "base/number.h"
#include "base/paragraph.h"
#include "base/text.h"
#include "base/shell_word.h"

static const char *const formats[] = {
    "text", "json", "csv", "benchmark-report", "vllm", "prometheus", NULL};
_Static_assert(sizeof formats / sizeof *formats == N_FORMATS,
	       "a name for each format");
static const struct option_def common[] = {
    OPTION_OF(struct cmdline, LIST, "set", "SECTION.KEY=VALUE", set,
	      "override a key of CONFIG; repeatable"),
    OPTION_OF(struct cmdline, TEXT, "arms", "A,B", arms,
	      "these arms, in this order; v2_* takes all that match, !v2_old "
	      "leaves one out"),
    OPTION_OF(struct cmdline, FLAG, "all", NULL, all,
	      "every figure, not the answer and its table alone"),
    OPTION_OF(struct cmdline, CHOICE, "format", "FORMAT", format,
	      "of the result", .choices = formats),
    OPTION_OF(struct cmdline, OUTPUT, "output", "FILE", output,
	      "write the result to this file; it is complete or not there"),
    OPTION_OF(
	struct cmdline, FLAG, "cite", NULL, cite,
	"print the sources that a result must cite, as BibTeX, in place of "
	"the result"),
    OPTION_OF(struct cmdline, FLAG, "quiet", NULL, quiet,
	      "print only errors on standard error"),
    OPTION_OF(struct cmdline, FLAG, "help", NULL, help, "this text"),
    OPTION_OF(struct cmdline, FLAG, "version", NULL, version, "of stepcost"),
};
/* The first two of them need a configuration, the third a short text. */
enum {
	N_COMMON = sizeof common / sizeof *common,
	N_OF_CONFIG = 2,
	ARMS = 1,
	ALL = 2
};

static int takes(const struct command *m, size_t i)
{
	if (i == ALL)
		return m->has_short;
	if (i == ARMS && m->has_no_arms)
		return 0;
	return i >= N_OF_CONFIG || !m->has_no_config;
}

/* Finds an option of the command, or else one that all commands have. */
static const struct option_def *find(const struct cmdline *c, const char *name,
				     size_t len, int *is_common)
{
	const struct command *m = c->command;
	*is_common = 0;
	for (size_t i = 0; i < m->n_options; i++)
		if (!strncmp(m->option[i].name, name, len) &&
		    !m->option[i].name[len])
			return &m->option[i];
	*is_common = 1;
	for (size_t i = 0; i < N_COMMON; i++)
		if (takes(m, i) && !strncmp(common[i].name, name, len) &&
		    !common[i].name[len])
			return &common[i];
	return NULL;
}

/* word: "--name" or "--name=value"; n_name: length of the name. */
static int unknown(struct cmdline *c, const char *word, size_t n_name,
		   struct problem *p)
{
	const struct command *m = c->command;
	struct nearest n;
	char hint[100], name[72], dashed[80];
	snprintf(name, sizeof name, "%.*s", (int)n_name, word + 2);
	c->unknown = word;
	nearest_start(&n, name);
	for (size_t i = 0; i < m->n_options; i++)
		nearest_try(&n, m->option[i].name);
	for (size_t i = 0; i < N_COMMON; i++)
		if (takes(m, i))
			nearest_try(&n, common[i].name);
	if (!n.name)
		return problem_set(p, EXIT_USAGE,
				   "%s: unknown option --%s; stepcost %s "
				   "--help lists them",
				   m->name, name, m->name);
	snprintf(dashed, sizeof dashed, "--%.68s", n.name);
	n.name = dashed;
	return problem_set(p, EXIT_USAGE, "%s: unknown option --%s%s", m->name,
			   name, nearest_hint(&n, hint));
}

static int optional(const struct option_def *o)
{
	return o->arg && o->arg[0] == '[';
}

/* An option with "[I/N]" may take the next word as its value.  Returns 1 if
 * that word has only digits and '/'. */
static int is_its_value(const struct option_def *o, const char *word)
{
	size_t n = strspn(word, "0123456789/");
	return n && !word[n] && strncmp(o->arg, "[=", 2);
}

static int bad_value(const struct option_def *o, const char *value,
		     struct problem *p)
{
	char list[200] = "";
	size_t n = 0;
	for (int i = 0; o->choices && o->choices[i] && n < sizeof list; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s",
				      i ? "|" : "", o->choices[i]);
	if (o->choices)
		return problem_set(p, EXIT_USAGE, "--%s %s: not one of %s",
				   o->name, value, list);
	char least[NUMBER_SIZE], most[NUMBER_SIZE];
	number_format(least, o->min);
	number_format(most, o->max);
	return problem_set(
	    p, EXIT_USAGE, "--%s %s: not %s in [%s, %s]", o->name, value,
	    o->type == OPTION_INT ? "an integer" : "a number", least, most);
}

static int store_number(const struct option_def *o, void *at, const char *value,
			struct problem *p)
{
	const char *end;
	int64_t n = 0;
	double d = 0;
	errno = 0;
	if (o->type == OPTION_INT) {
		end = number_parse_whole(value, &n);
		d = (double)n;
	} else {
		end = number_parse(value, &d);
	}
	if (end == value || *end || errno || !(d >= o->min && d <= o->max))
		return bad_value(o, value, p);
	if (o->type == OPTION_INT)
		memcpy(at, &n, sizeof n);
	else
		memcpy(at, &d, sizeof d);
	return 0;
}

static int store_choice(const struct option_def *o, int *at, const char *value,
			struct problem *p)
{
	if (!*value && optional(o)) {
		*at = -1;
		return 0;
	}
	for (int i = 0; o->choices[i]; i++)
		if (!strcmp(o->choices[i], value)) {
			*at = i + 1;
			return 0;
		}
	return bad_value(o, value, p);
}

/* Writes the value of an option into the command's own struct. */
static int store(const struct option_def *o, void *block, const char *value,
		 struct problem *p)
{
	void *at = (char *)block + o->offset;
	switch (o->type) {
	case OPTION_FLAG:
		*(int *)at = 1;
		return 0;
	case OPTION_TEXT:
	case OPTION_OUTPUT:
		*(const char **)at = value;
		return 0;
	case OPTION_CHOICE:
		return store_choice(o, at, value, p);
	case OPTION_LIST:
		return names_add(at, value) == 0 ? 0 : problem_no_memory(p);
	default:
		return store_number(o, at, value, p);
	}
}

/* Returns 1 if one of the first n words is this option. */
static int given_before(const struct option_def *o, int n, char **argv)
{
	size_t len = strlen(o->name);
	for (int i = 0; i < n && strcmp(argv[i], "--"); i++)
		if (!strncmp(argv[i], "--", 2) &&
		    !strncmp(argv[i] + 2, o->name, len) &&
		    (!argv[i][2 + len] || argv[i][2 + len] == '='))
			return 1;
	return 0;
}

/* Reads the option argv[*i], "--name" or "--name=value".  Advances *i if the
 * next word is its value. */
static int take_option(struct cmdline *c, int *i, int argc, char **argv,
		       struct problem *p)
{
	const char *name = argv[*i] + 2, *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	int is_common;
	const struct option_def *o = find(c, name, len, &is_common);
	const char *value = equals ? equals + 1 : "";
	if (!o)
		return unknown(c, argv[*i], len, p);
	if (o->arg && o->type != OPTION_LIST && given_before(o, *i, argv))
		return problem_set(p, EXIT_USAGE,
				   "--%s is given twice; give it once",
				   o->name);
	if (!o->arg && equals)
		return problem_set(p, EXIT_USAGE, "--%s takes no value",
				   o->name);
	if (o->arg && !equals && !optional(o)) {
		if (*i + 1 == argc)
			return problem_set(p, EXIT_USAGE, "--%s needs %s",
					   o->name, o->arg);
		value = argv[++*i];
	} else if (o->arg && !equals && *i + 1 < argc &&
		   is_its_value(o, argv[*i + 1])) {
		value = argv[++*i];
	}
	if (o->arg && !*value && !optional(o))
		return problem_set(p, EXIT_USAGE, "--%s '': needs %s", o->name,
				   o->arg);
	return store(o, is_common ? (void *)c : c->own, value, p);
}

static int was_given(const struct option_def *o, const void *block)
{
	const char *const *text =
	    (const void *)((const char *)block + o->offset);
	return *text != NULL;
}

/* Names the first argument that is missing. */
static int missing(const struct cmdline *c, struct problem *p)
{
	const struct command *m = c->command;
	const char *arg = m->args;
	for (int i = 0; i < c->n_args; i++)
		arg += strcspn(arg, " ") + 1;
	int n = (int)strcspn(arg, " ");
	return problem_set(
	    p, EXIT_USAGE, "%s: %.*s is missing%s; usage: stepcost %s %s",
	    m->name, n, arg, strncmp(arg, "CONFIG", 6) ? "" : ", as quickstart",
	    m->name, m->args);
}

static int refuse_format(const struct cmdline *c, struct problem *p)
{
	char list[80] = "";
	size_t n = 0;
	for (int i = 0; formats[i]; i++)
		if (c->command->formats & 1u << (i + 1) && n < sizeof list)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s",
					      n ? ", " : "", formats[i]);
	return problem_set(p, EXIT_USAGE, "%s: --format %s: it writes %s",
			   c->command->name, formats[c->format - 1],
			   n ? list : "nothing");
}

/* Checks the whole command line: arguments, format, and options that must be
 * given. */
static int check(const struct cmdline *c, struct problem *p)
{
	const struct command *m = c->command;
	if (c->n_args < m->min_args)
		return missing(c, p);
	if (c->n_args > m->max_args)
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: too many arguments: '%s'; usage: stepcost %s %s",
		    m->name, c->arg[m->max_args], m->name, m->args);
	if (c->format && !(m->formats & 1u << c->format))
		return refuse_format(c, p);
	for (size_t i = 0; i < m->n_options; i++)
		if (m->option[i].required && !was_given(&m->option[i], c->own))
			return problem_set(p, EXIT_USAGE,
					   "%s: needs --%s %s: %s", m->name,
					   m->option[i].name, m->option[i].arg,
					   m->option[i].help);
	return 0;
}

int cmdline_parse(struct cmdline *c, const struct command *command, int argc,
		  char **argv, struct problem *p)
{
	*c = (struct cmdline){.command = command};
	c->arg = calloc((size_t)argc + 1, sizeof *c->arg);
	c->own = calloc(1, command->own_size + 1);
	if (!c->arg || !c->own)
		return problem_no_memory(p);
	if (command->defaults)
		memcpy(c->own, command->defaults, command->own_size);
	int options = 1;
	for (int i = 0; i < argc; i++) {
		if (options && !strcmp(argv[i], "--"))
			options = 0;
		else if (!options || strncmp(argv[i], "-", 1) ||
			 !strcmp(argv[i], "-"))
			c->arg[c->n_args++] = argv[i];
		else if (!strcmp(argv[i], "-h"))
			c->help = 1;
		else if (!strcmp(argv[i], "-V"))
			c->version = 1;
		else if (strncmp(argv[i], "--", 2))
			return problem_set(p, EXIT_USAGE,
					   "%s: unknown option %s; stepcost %s "
					   "--help lists them",
					   command->name, argv[i],
					   command->name);
		else if (take_option(c, &i, argc, argv, p) < 0)
			return -1;
	}
	return c->help || c->version ? 0 : check(c, p);
}

void cmdline_free(struct cmdline *c)
{
	const struct command *m = c->command;
	for (size_t i = 0; c->own && i < m->n_options; i++)
		if (m->option[i].type == OPTION_LIST)
			names_free(
			    (void *)((char *)c->own + m->option[i].offset));
	names_free(&c->set);
	free(c->arg), free(c->own);
	*c = (struct cmdline){.command = m};
}

/* ---- the options as words again ---- */

static int add_word(struct names *out, const char *name, const char *value)
{
	char *word;
	if (asprintf(&word, "--%s%s%s", name, value ? "=" : "",
		     value ? value : "") < 0)
		return -1;
	int rc = names_add(out, word);
	free(word);
	return rc;
}

static int add_number(struct names *out, const struct option_def *o,
		      const void *at, const void *initial)
{
	char text[NUMBER_SIZE];
	int64_t n;
	double d;
	if (initial && !memcmp(at, initial, sizeof n))
		return 0;
	memcpy(&n, at, sizeof n);
	memcpy(&d, at, sizeof d);
	if (o->type == OPTION_INT)
		snprintf(text, sizeof text, "%" PRId64, n);
	else
		number_format(text, d);
	return add_word(out, o->name, text);
}

static int add_list(struct names *out, const char *name, const struct names *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (add_word(out, name, l->item[i]) < 0)
			return -1;
	return 0;
}

static int add_option(struct names *out, const struct option_def *o,
		      const void *block, const void *defaults)
{
	static const int64_t zero = 0;
	const void *at = (const char *)block + o->offset;
	const void *initial =
	    defaults ? (const char *)defaults + o->offset : (const void *)&zero;
	const char *const *text = at;
	const int *choice = at;
	switch (o->type) {
	case OPTION_FLAG:
		return *choice ? add_word(out, o->name, NULL) : 0;
	case OPTION_TEXT:
	case OPTION_OUTPUT:
		return *text ? add_word(out, o->name, *text) : 0;
	case OPTION_LIST:
		return add_list(out, o->name, at);
	case OPTION_CHOICE:
		return *choice ? add_word(out, o->name,
					  *choice > 0 ? o->choices[*choice - 1]
						      : NULL)
			       : 0;
	default:
		return add_number(out, o, at, initial);
	}
}

static int is_named(const char *const *list, const char *name)
{
	for (; *list; list++)
		if (!strcmp(*list, name))
			return 1;
	return 0;
}

int cmdline_words(const struct cmdline *c, const char *const *but,
		  struct names *out)
{
	const struct command *m = c->command;
	for (size_t i = 0; i < m->n_options; i++)
		if (!is_named(but, m->option[i].name) &&
		    add_option(out, &m->option[i], c->own, m->defaults) < 0)
			return -1;
	for (size_t i = 0; i < N_COMMON; i++)
		if (takes(m, i) && !is_named(but, common[i].name) &&
		    add_option(out, &common[i], c, NULL) < 0)
			return -1;
	return 0;
}

/* ---- options that are text ---- */

typedef void (*text_fn)(void *user, const struct option_def *o,
			const char *value);

static void tell_texts(const struct option_def *o, const void *block,
		       text_fn tell, void *user)
{
	const void *at = (const char *)block + o->offset;
	const struct names *list = at;
	const char *const *text = at;
	if ((o->type == OPTION_TEXT || o->type == OPTION_OUTPUT) && *text)
		tell(user, o, *text);
	for (size_t i = 0; o->type == OPTION_LIST && i < list->n; i++)
		tell(user, o, list->item[i]);
}

void cmdline_each_text(const struct cmdline *c, text_fn tell, void *user)
{
	const struct command *m = c->command;
	for (size_t i = 0; i < m->n_options; i++)
		tell_texts(&m->option[i], c->own, tell, user);
	for (size_t i = 0; i < N_COMMON; i++)
		tell_texts(&common[i], c, tell, user);
}

int cmdline_offers(const struct command *command, const struct option_def *o,
		   int choice)
{
	return o->choices != formats ||
	       (command->formats & 1u << (choice + 1)) != 0;
}

static void help_option(FILE *f, const struct command *m,
			const struct option_def *o)
{
	const char *between = ": ";
	char head[80], choices[200] = "";
	size_t n = 0;
	snprintf(head, sizeof head, "--%s%s%s", o->name,
		 o->arg && strncmp(o->arg, "[=", 2) ? " " : "",
		 o->arg ? o->arg : "");
	for (int i = 0; o->choices && o->choices[i] && n < sizeof choices;
	     i++) {
		if (!cmdline_offers(m, o, i))
			continue;
		n += (size_t)snprintf(choices + n, sizeof choices - n, "%s%s",
				      between, o->choices[i]);
		between = "|";
	}
	paragraph_print(f, PARAGRAPH_COLUMNS, 29, "  %-26s %s%s%s", head,
			o->help, choices, o->required ? " (required)" : "");
}

/* Adds the name of each option without an effect on the figures. */
static void names_of_outputs(const struct command *m, const char **but,
			     size_t n)
{
	static const char *const silent[] = {
	    "all", "cite", "format", "output", "quiet", "jobs", "provenance"};
	enum { N = sizeof silent / sizeof *silent };
	size_t used = 0;
	for (size_t i = 0; i < N; i++)
		but[used++] = silent[i];
	for (size_t i = 0; i < m->n_options && used < n; i++)
		if (m->option[i].type == OPTION_OUTPUT)
			but[used++] = m->option[i].name;
	but[used] = NULL;
}

int cmdline_figure_words(const struct cmdline *c, struct names *out)
{
	enum { MOST = 60 };
	const char *but[MOST + 1];
	names_of_outputs(c->command, but, MOST);
	return cmdline_words(c, but, out);
}

char *cmdline_text(const struct cmdline *c)
{
	struct names word = {0};
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	fprintf(f, "stepcost %s", c->command->name);
	for (int i = 0; i < c->n_args; i++) {
		fputc(' ', f);
		shell_word(f, i == 0 && c->typed ? c->typed : c->arg[i]);
	}
	if (cmdline_figure_words(c, &word) == 0)
		for (size_t i = 0; i < word.n; i++) {
			fputc(' ', f);
			shell_word(f, word.item[i]);
		}
	names_free(&word);
	return text_end(&t);
}

const struct option_def *cmdline_option(const struct command *command, size_t i)
{
	if (i < command->n_options)
		return &command->option[i];
	i -= command->n_options;
	for (size_t k = 0; k < N_COMMON; k++)
		if (takes(command, k) && i-- == 0)
			return &common[k];
	return NULL;
}

void cmdline_help(FILE *f, const struct command *command)
{
	fprintf(f, "usage: stepcost %s%s%s [OPTION...]\n", command->name,
		command->args[0] ? " " : "", command->args);
	paragraph_print(f, PARAGRAPH_COLUMNS, 0, "%s", command->summary);
	fputc('\n', f);
	const struct option_def *o;
	for (size_t i = 0; (o = cmdline_option(command, i)) != NULL; i++)
		help_option(f, command, o);
}
