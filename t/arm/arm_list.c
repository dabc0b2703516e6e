/* The arms of an INI: what they are called, and where their plugins are. */
#include "arm/arm_list.h"
#include <sys/stat.h>
#include <unistd.h>
#include "tap.h"

static struct ini c;
static struct arm_list l;
static struct problem p;
static char folder[] = "/tmp/arm_list.XXXXXX";

static const char *in_folder(const char *name)
{
	static char path[200];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

/* An empty file. */
static void touch(const char *name)
{
	FILE *f = fopen(in_folder(name), "w");
	if (!f || fclose(f))
		bail_out("no temporary file");
}

static int read_arms(const char *text)
{
	arm_list_free(&l);
	ini_free(&c);
	p = (struct problem){0};
	if (ini_read(&c, text, strlen(text), &p) < 0)
		bail_out(p.text);
	free(c.path);
	c.path = strdup(in_folder("c.ini"));
	return arm_list_read(&l, &c, &p);
}

/* "a b c" */
static const char *names(void)
{
	static char text[200];
	*text = '\0';
	for (size_t i = 0; i < l.n; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
			 "%s%s", i ? " " : "", l.item[i].name);
	return text;
}

static void by_name(void)
{
	ok(read_arms("[model]\nplugin=no\n[cost_model:a]\nplugin=one\n"
		     "preset=x\n[cost_model]\nplugin=two\n"
		     "[cost_models]\nplugin=one\n") == 0,
	   "%s", p.text);
	is(names(), "a two", "in the order of the file; by the plugin's name");
	is(l.item[0].section, "cost_model:a", "its section");
	is(l.item[0].preset, "x", "its preset");
	is(l.item[0].plugin, "one", "its plugin");
	is(l.item[0].plugin_path, in_folder("one.so"), "and where that is");
	ok(!l.item[0].missing && !l.item[0].shadowed && !l.item[1].preset,
	   "nothing else");
	ok(read_arms("[cost_model]\nplugin=gone\n") == 0 &&
	       !l.item[0].plugin_path,
	   "a plugin that is not there is no fault yet");
	ok(l.item[0].missing && strstr(l.item[0].missing, "no gone.so in "),
	   "but known");
}

static void by_file(void)
{
	ok(read_arms("[cost_model]\nplugin=./one.so\n") == 0, "%s", p.text);
	is(names(), "one", "called by the plugin's name");
	is(l.item[0].plugin_path, in_folder("./one.so"),
	   "the file, relative to the INI");
	ok(read_arms("[cost_model]\nplugin=./gone.so\n") < 0 &&
	       strstr(p.text, "plugin = ./gone.so: no such file"),
	   "%s", p.text);
	ok(read_arms("[cost_model]\nplugin=./one\n") < 0 &&
	       strstr(p.text, "a plugin's file is NAME.so"),
	   "%s", p.text);
	ok(read_arms("[cost_model]\nplugin=./One.so\n") < 0, "%s", p.text);
}

static void wrong(void)
{
	ok(read_arms("[cost_model]\nx=1\n") < 0, "%s", p.text);
	ok(read_arms("[cost_model:a]\nplugin=one\n[cost_model]\n"
		     "plugin=one\n[cost_model:one]\nplugin=two\n") < 0 &&
	       strstr(p.text, "both called 'one'"),
	   "%s", p.text);
	ok(read_arms("") == 0 && l.n == 0, "none at all");
}

static void chosen(void)
{
	static const char ini[] =
	    "[cost_model:a]\nplugin=one\n[cost_model:b]\nplugin=one\n"
	    "[cost_model]\nplugin=two\n[cost_model:c]\nplugin=one\n";
	if (read_arms(ini) < 0)
		bail_out(p.text);
	arm_list_lead(&l);
	is(names(), "two a b c", "[cost_model] leads");
	ok(arm_list_select(&l, "c,a", "c.ini", &p) == 0, "two of them");
	is(names(), "c a", "in that order");
	ok(arm_list_select(&l, "a,a", "c.ini", &p) < 0, "%s", p.text);
	ok(arm_list_select(&l, "b", "c.ini", &p) < 0, "%s", p.text);
	ok(strstr(p.text, "there are: "), "and which there are");
	ok(!arm_is_section("cost_models") && arm_is_section("cost_model:x"),
	   "what an arm's section is called");
}

/* Selects from the arms v2_a, other, v2_b, v2_c; returns their names, or what
 * is wrong. */
static const char *selected(const char *arms)
{
	static const char ini[] =
	    "[cost_model:v2_a]\nplugin=one\n[cost_model:other]\nplugin=one\n"
	    "[cost_model:v2_b]\nplugin=two\n[cost_model:v2_c]\nplugin=one\n";
	if (read_arms(ini) < 0)
		bail_out(p.text);
	return arm_list_select(&l, arms, "c.ini", &p) < 0 ? p.text : names();
}

static void patterns(void)
{
	is(selected("v2_*"), "v2_a v2_b v2_c", "a pattern");
	is(selected("v2_c,v2_*"), "v2_c v2_a v2_b",
	   "an arm that it meets again is taken once");
	is(selected("v2_*,!v2_b,other"), "v2_a v2_c other", "one is left out");
	is(selected("v2_*, !v2_b, other"), "v2_a v2_c other",
	   "blanks behind commas");
	is(selected("!other"), "v2_a v2_b v2_c", "from all arms");
	is(selected("!v2_*,v2_b"), "other v2_b", "left out, and taken again");
	is(selected("v2_*,v2_b"), "v2_a v2_b v2_c", "a name that is there");
	is(selected("*_[ac],o?her"), "v2_a v2_c other", "other patterns");
	is(selected("other,other"), "--arms: 'other' given twice", "twice");
	is(selected("v3_*"),
	   "--arms: no arm 'v3_*' in c.ini; there are: v2_a, other, v2_b, v2_c",
	   "none matches");
	is(selected("!mine"),
	   "--arms: no arm 'mine' in c.ini; there are: v2_a, other, v2_b, v2_c",
	   "none to leave out");
	is(selected("!*"), "--arms !*: no arm is left", "none is left");
}

int main(void)
{
	if (!mkdtemp(folder))
		bail_out("mkdtemp");
	touch("one.so");
	touch("two.so");
	setenv("STEPCOST_PLUGIN_PATH", folder, 1);
	by_name();
	by_file();
	wrong();
	chosen();
	patterns();
	arm_list_free(&l);
	ini_free(&c);
	unlink(in_folder("one.so"));
	unlink(in_folder("two.so"));
	rmdir(folder);
	return done();
}
