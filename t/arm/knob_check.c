/* Keys of an arm against what its plugin declares. */
#include "arm/knob_check.h"
#include "tap.h"

/* 0, or -1 with *p, of all arms of an INI. */
static int check(const char *text, struct problem *p)
{
	struct ini c = {0};
	struct arm_list l;
	struct names notes = {0};
	*p = (struct problem){0};
	if (ini_read(&c, text, strlen(text), p) < 0 ||
	    arm_list_read(&l, &c, p) < 0)
		bail_out(p->text);
	struct known_plugins known = {0};
	int rc = known_plugins_ask(&known, l.item, l.n, p);
	if (rc == 0)
		rc = knob_check(&c, l.item, l.n, &known, &notes, p);
	names_free(&notes);
	known_plugins_free(&known);
	arm_list_free(&l);
	ini_free(&c);
	return rc;
}

static void sound(const char *text, const char *what)
{
	struct problem p;
	if (!ok(check(text, &p) == 0, "%s", what))
		printf("# %s\n", p.text);
}

static void refused(const char *text, const char *want)
{
	struct problem p;
	ok(check(text, &p) < 0 && p.code == EXIT_USAGE, "refused");
	if (!ok(strstr(p.text, want) != NULL, "%s", want))
		printf("#  got: %s\n", p.text);
}

#define KNOWN "[cost_model]\nplugin=known_cost\n"

int main(void)
{
	const char *top = getenv("top_builddir");
	char path[4096];
	snprintf(path, sizeof path, "%s/.libs:%s/t/so/.libs", top ? top : ".",
		 top ? top : ".");
	setenv("STEPCOST_PLUGIN_PATH", path, 1);
	sound(KNOWN "base_us=7\ntables.set=x\nhardware.memory_gib=1\n",
	      "knobs, and an arm's own tables and hardware");
	sound(KNOWN "[cost_model:b]\nplugin=known_cost\nseq_us=2\n"
		    "[cost_model:c]\nplugin=const_step\nper_token_us=1\n",
	      "three arms of two plugins");
	refused(KNOWN "bas_us=7\n",
		"unknown key 'bas_us' in [cost_model] (did you "
		"mean 'base_us'?)");
	refused(KNOWN "base_us=-1\n", "base_us = -1: not a number in [0, ");
	refused(KNOWN "preset=fast\n", "known_cost has no preset 'fast'");
	refused(KNOWN "[cost_model:b]\nplugin=known_cost\nper_token_us=1\n",
		"unknown key 'per_token_us' in [cost_model:b]");
	sound("[cost_model]\nplugin=gone\nx=1\n",
	      "a plugin that is not there is not asked");
	sound("[cost_model]\nplugin=wrong_abi\nx=1\n"
	      "[cost_model:b]\nplugin=known_cost\n",
	      "one that cannot be used is its arm's failure later");
	return done();
}
