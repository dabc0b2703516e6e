/* Which sections and keys an INI may have. */
#include "arm/known_names.h"
#include "tap.h"

static struct problem p;

static int check(const char *text, const char *const *own)
{
	struct ini c;
	p = (struct problem){0};
	int rc = ini_read(&c, text, strlen(text), &p);
	if (rc == 0)
		rc = known_names_check(&c, own, &p);
	ini_free(&c);
	return rc;
}

static void allowed(const char *text, const char *const *own, const char *what)
{
	if (!ok(check(text, own) == 0, "%s", what))
		printf("#  %s\n", p.text);
}

static void refused(const char *text, const char *const *own, const char *want)
{
	int rc = check(text, own);
	ok(rc < 0 && p.code == EXIT_USAGE, "refused");
	if (!ok(strstr(p.text, want) != NULL, "%s", want))
		printf("#  got: %s\n", p.text);
}

static void sections(void)
{
	allowed("[model]\n[hardware]\n[engine]\n[engine:prefill]\n"
		"[engine:decode]\n[tables]\n[workload]\n[slo]\n[stepcost]\n",
		NULL, "sections of the manual");
	allowed("[model]\n[engine]\n[model]\n", NULL, "one continues");
	allowed("[cost_model]\n[cost_model:a_1-b]\n", NULL, "arms");
	refused("[modle]\n", NULL, ":1: unknown section [modle]");
	refused("[modle]\n", NULL, "model");
	refused("[engine:other]\n", NULL, "unknown section [engine:other]");
	refused("[cost_model:]\n", NULL, "an arm's name is letters");
	refused("[cost_model:A]\n", NULL, "an arm's name is letters");
	refused("[cost_model:a.b]\n", NULL, "an arm's name is letters");
	refused("[cost_model:a]\n[slo]\n[cost_model:a]\n", NULL,
		":3: [cost_model:a] given twice, first at ");
	refused("x=1\n[model]\n", NULL, "'x' comes before the first [section]");
}

static void sections_of_a_command(void)
{
	static const char *const own[] = {"point", "row:", NULL};
	allowed("[point]\n[row:7]\n[row:]\nany=1\n", own,
		"whole names, and a prefix");
	refused("[points]\n", own, "unknown section [points]");
	refused("[row]\n", own, "unknown section [row]");
	refused("[point]\n", NULL, "unknown section [point]");
}

static void keys(void)
{
	allowed("[workload]\nnum_requests=3\n[engine]\nmax_num_seqs=4\n", NULL,
		"keys of their sections");
	allowed("[cost_model]\nno_such_knob=1\n", NULL,
		"knobs are checked with their plugin");
	refused("[workload]\nmax_num_seqs=3\n", NULL, "max_num_seqs");
	refused("[engine]\nmax_num_seq=3\n", NULL, "max_num_seqs");
}

int main(void)
{
	sections();
	sections_of_a_command();
	keys();
	return done();
}
