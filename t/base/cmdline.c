#include "base/cmdline.h"
#include <stdint.h>
#include "base/nearest.h"
#include <stdlib.h>
#include "tap.h"

struct own {
	const char *steps, *strict;
	int64_t jobs;
	double rate;
};
static const struct option_def option[] = {
    {.name = "steps",
     .arg = "FILE",
     .type = OPTION_TEXT,
     .offset = offsetof(struct own, steps),
     .help = "steps",
     .required = 1},
    {.name = "strict",
     .arg = "[=CLASS]",
     .type = OPTION_TEXT,
     .offset = offsetof(struct own, strict),
     .help = "strict"},
    {.name = "jobs",
     .arg = "N",
     .type = OPTION_INT,
     .offset = offsetof(struct own, jobs),
     .help = "jobs",
     .min = 1,
     .max = 64},
    {.name = "rate",
     .arg = "R",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct own, rate),
     .help = "rate",
     .min = 0,
     .max = 10},
};
static const struct own defaults = {.jobs = 7};
static const struct command command = {.name = "eval",
				       .args = "CONFIG",
				       .summary = "s",
				       .min_args = 1,
				       .max_args = 1,
				       .option = option,
				       .n_options = 4,
				       .own_size = sizeof(struct own),
				       .defaults = &defaults,
				       .formats = WRITES_TEXT | WRITES_CSV};
static struct cmdline c;
static struct problem p;

/* Up to 9 words. */
static int parse(const char *text)
{
	static char s[300];
	char *argv[9], *word;
	int argc = 0;
	snprintf(s, sizeof s, "%s", text);
	for (word = strtok(s, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	p = (struct problem){0};
	return cmdline_parse(&c, &command, argc, argv, &p);
}

static void refused(const char *text, const char *want)
{
	ok(parse(text) < 0 && p.code == EXIT_USAGE, "refused: %s", text);
	is(p.text, want, "with the reason");
	cmdline_free(&c);
}

int main(void)
{
	const struct own *own;
	ok(parse("--set a.b=c x.ini --steps=s --set d.e=f --format csv") == 0,
	   "%s", p.text);
	own = c.own;
	ok(c.set.n == 2 && !strcmp(c.set.item[1], "d.e=f"), "a list");
	ok(c.n_args == 1 && !strcmp(c.arg[0], "x.ini"), "an argument");
	is(own->steps, "s", "a value after '='");
	ok(c.format == FORMAT_CSV && !c.quiet && !c.arms, "common options");
	ok(!own->strict && own->jobs == 7 && own->rate == 0, "defaults");
	cmdline_free(&c);
	ok(parse("x --steps s --strict --jobs 8 --rate 1e1 --quiet") == 0, "%s",
	   p.text);
	own = c.own;
	ok(!strcmp(own->strict, "") && c.quiet, "an optional value left out");
	ok(own->jobs == 8 && own->rate == 10, "numbers");
	cmdline_free(&c);
	ok(parse("x --steps s --jobs 1e1 --quiet --quiet") == 0 &&
	       ((const struct own *)c.own)->jobs == 10,
	   "an exponent, and a flag twice");
	cmdline_free(&c);
	ok(parse("--steps s --strict=clamped -- --x") == 0, "%s", p.text);
	own = c.own;
	is(own->strict, "clamped", "an optional value");
	is(c.arg[0], "--x", "after -- all are arguments");
	cmdline_free(&c);
	ok(parse("--help") == 0 && c.help, "help needs nothing else");
	cmdline_free(&c);

	static const struct command bare = {
	    .name = "list", .args = "", .summary = "s", .has_no_config = 1};
	char set[] = "--set", key[] = "a.b=c", *argv[] = {set, key};
	ok(cmdline_parse(&c, &bare, 2, argv, &p) < 0 &&
	       !strcmp(p.text,
		       "list: unknown option --set; stepcost list --help "
		       "lists them"),
	   "without a configuration there is nothing to set: %s", p.text);
	cmdline_free(&c);
	is(cmdline_option(&bare, 0)->name, "format",
	   "its first option is one that it takes");

	static const struct command armless = {
	    .name = "show", .args = "", .summary = "s", .has_no_arms = 1};
	char arms[] = "--arms", arm[] = "a", *named[] = {arms, arm};
	ok(cmdline_parse(&c, &armless, 2, argv, &p) == 0 && c.set.n == 1,
	   "a command may take --set");
	cmdline_free(&c);
	ok(cmdline_parse(&c, &armless, 2, named, &p) < 0 &&
	       strstr(p.text, "unknown option --arms"),
	   "and no --arms: %s", p.text);
	cmdline_free(&c);

	static const struct command brief = {.name = "run",
					     .args = "CONFIG",
					     .summary = "s",
					     .min_args = 1,
					     .max_args = 1,
					     .has_short = 1};
	char x[] = "a b", all[] = "--all", rate[] = "--set",
	     *more[] = {x, all, rate, key};
	ok(cmdline_parse(&c, &brief, 4, more, &p) == 0 && c.all,
	   "a command with a short text takes --all");
	char *text = cmdline_text(&c);
	is(text, "stepcost run 'a b' --set=a.b=c",
	   "the command as a shell reads it, without --all");
	free(text);
	c.typed = "name";
	text = cmdline_text(&c);
	is(text, "stepcost run name --set=a.b=c", "as it was typed");
	free(text);
	cmdline_free(&c);

	refused("x --stops s",
		"eval: unknown option --stops (did you mean '--steps'?)");
	refused("x --zzzzzzzz",
		"eval: unknown option --zzzzzzzz; stepcost eval --help "
		"lists them");
	refused("x -q",
		"eval: unknown option -q; stepcost eval --help lists them");
	refused("x", "eval: needs --steps FILE: steps");
	refused("x --steps", "--steps needs FILE");
	refused("--steps s", "eval: CONFIG is missing, as quickstart; usage: "
			     "stepcost eval CONFIG");
	refused("x y --steps s",
		"eval: too many arguments: 'y'; usage: stepcost eval CONFIG");
	refused("x --steps s --quiet=1", "--quiet takes no value");
	refused("x --format xml",
		"--format xml: not one of "
		"text|json|csv|benchmark-report|vllm|prometheus");
	refused("x --format json", "eval: --format json: it writes text, csv");
	refused("x --jobs 0", "--jobs 0: not an integer in [1, 64]");
	refused("x --jobs 2x", "--jobs 2x: not an integer in [1, 64]");
	refused("x --jobs 2.5", "--jobs 2.5: not an integer in [1, 64]");
	refused("x --steps s --jobs 2 --jobs=3",
		"--jobs is given twice; give it once");
	refused("x --steps s --steps s",
		"--steps is given twice; give it once");
	refused("x --rate nan", "--rate nan: not a number in [0, 10]");

	char hint[100];
	struct nearest n;
	nearest_start(&n, "ovrehead_us");
	nearest_try(&n, "base_us");
	nearest_try(&n, "overhead_us");
	is(nearest_hint(&n, hint), " (did you mean 'overhead_us'?)",
	   "two letters swapped");
	return done();
}
