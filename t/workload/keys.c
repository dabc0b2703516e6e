#include "workload/keys.h"
#include "tap.h"
#include "workload/trace/trace_formats.h"
#include "workload_of.h"

static struct problem p;

static void defaults(void)
{
	struct workload_keys k;
	struct ini c;
	ok(workload_of(&k, &c, "", &p) == 0, "no key is needed: %s", p.text);
	ok(!*k.trace && k.rate_scale == 1 && k.num_requests == 0 &&
	       k.turns == 1 && k.seed == 42 && !*k.input_tokens,
	   "defaults");
	is(workload_format(&k), "auto", "the format is told from the file");
	ini_free(&c);
	ok(workload_of(&k, &c, "format=mooncake request_rate=inf", &p) == 0 &&
	       isinf(k.request_rate),
	   "all at once is a rate");
	is(workload_format(&k), "mooncake", "a format by its name");
	ini_free(&c);
	ok(workload_of(&k, &c, "format=none", &p) < 0, "%s", p.text);
	ini_free(&c);
	ok(workload_of(&k, &c, "turns=0", &p) < 0, "%s", p.text);
	ini_free(&c);
}

static void places(void)
{
	static const char text[] = "[workload]\nseed = 3\n";
	struct ini c;
	if (ini_read(&c, text, strlen(text), &p) < 0)
		bail_out(p.text);
	ok(workload_given(&c, "seed") && !workload_given(&c, "turns") &&
	       !workload_given(NULL, "seed"),
	   "what was given");
	ok(strstr(workload_at(&c, "seed"), ":2"), "and where: %s",
	   workload_at(&c, "seed"));
	is(workload_at(&c, "turns"), "[workload]",
	   "what was not, is a section");
	ok(workload_has_key("workload", "seed") &&
	       !workload_has_key("workload", "sed") &&
	       !workload_has_key("engine", "seed"),
	   "its keys, and no others");
	ini_free(&c);
}

/* Every reader can be asked for, and every name has a reader. */
static void formats(void)
{
	const char *const *choice = NULL;
	int named = 1, read = 1;
	for (uint32_t i = 0; i < n_workload_keys; i++)
		if (!strcmp(workload_keys[i]->name, "format"))
			choice = workload_keys[i]->choices;
	for (int f = 0; trace_format[f]; f++) {
		int n = 0;
		for (int i = 0; choice[i]; i++)
			n += !strcmp(choice[i], trace_format[f]->name);
		named &= n == 1;
	}
	for (int i = 1; choice[i]; i++) {
		int n = 0;
		for (int f = 0; trace_format[f]; f++)
			n += !strcmp(choice[i], trace_format[f]->name);
		read &= n > 0;
	}
	is(choice[0], "auto", "the first choice is none");
	ok(named && read, "choices of format are the formats there are");
}

static void most(void)
{
	ok(workload_check_total(10000000000, NULL, &p) == 0, "10^10 requests");
	ok(workload_check_total(1000000000000000, NULL, &p) < 0 &&
	       p.code == EXIT_USAGE,
	   "10^15 are refused");
	is(p.text,
	   "[workload]: 1000000000000000 requests take 1.16e+04 days, at a "
	   "million requests a second, which few runs reach; at most "
	   "10000000000",
	   "with what they would take");
}

static void unused(void)
{
	struct workload_keys k;
	struct ini c;
	char list[300];
	if (workload_of(&k, &c,
			"trace=t.csv request_rate=3 turns=2 adapters=4 "
			"input_tokens=9",
			&p) < 0)
		bail_out(p.text);
	ok(workload_unused_keys(list, sizeof list, 1, 0, &c) == 4,
	   "a trace with times uses none of four keys");
	is(list, "request_rate, turns, adapters, input_tokens",
	   "they are named");
	ok(workload_unused_keys(list, sizeof list, 0, 1, &c) == 2,
	   "one without times, and without lengths, uses two");
	is(list, "turns, adapters", "these are not used");
	ini_free(&c);
}

int main(void)
{
	most();
	unused();
	defaults();
	places();
	formats();
	return done();
}
