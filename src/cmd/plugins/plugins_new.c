/* plugins_new.c -- The command `plugins new`: begins a plugin in a folder of
 * its own. */
#include "cmd/cmd.h"
#include "plugin/scaffold.h"

struct options {
	const char *like;
	int lang;
};
static const char *const languages[] = {"c", "c++", "rust", "python", NULL};

static int run(const struct cmdline *c)
{
	const struct options *own = c->own;
	struct problem p;
	const struct scaffold s = {
	    .name = c->arg[0],
	    .like = own->like,
	    .lang = languages[own->lang ? own->lang - 1 : 0]};
	if (scaffold_make(&s, &p) < 0)
		return print_error(&p);
	print_note(c, "wrote %s/: cd %s && make && stepcost compare %s.ini",
		   s.name, s.name, s.name);
	return EXIT_DONE;
}

static const struct option_def option[] = {
    OPTION(TEXT, "like", "PLUGIN", like,
	   "override a function of this plugin; its source lies beside yours"),
    OPTION(CHOICE, "lang", "LANGUAGE", lang, "of the plugin; default c",
	   .choices = languages),
};

const struct command command_plugins_new = {
    .name = "plugins new",
    .args = "NAME",
    .summary = "begin a plugin in a folder of its own",
    .formats = WRITES_TEXT,
    .min_args = 1,
    .max_args = 1,
    .has_no_config = 1,
    OWN_OPTIONS(option, struct options),
    .run = run,
};
