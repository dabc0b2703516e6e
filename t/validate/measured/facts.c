/* Facts from a file are laid over measured rows. */
#include "validate/measured/facts.h"
#include <math.h>
#include "scratch.h"
#include "validate/measured/measured_read.h"

static struct measured m;
static struct ini aliases, certain;
static struct problem p;
static size_t laid;

static const char rules[] =
    "[column]\nranks = decode_tp\n"
    "[facts]\ncertainty = launch entry*\nanswers = WORKERS_*\n"
    "[launch:one]\ncertainty = both\nprotocol = x\n"
    "[launch:other]\ncertainty = both\nprotocol = y\n"
    "[launch:apart]\nmode = disagg\ndraft_tokens = 1..\nprotocol = apart\n";

static int lay(const char *text)
{
	measured_free(&m);
	p = (struct problem){0};
	laid = 0;
	if (measured_read(&m,
			  scratch_file("runs.csv",
				       "id,mode,model,gpu,decode_tp,"
				       "mean_e2el_ms\n"
				       "a,disagg,llama,H,1,5\n"
				       "b,agg,llama,H,2,5\n"),
			  &aliases, &p) < 0)
		bail_out(p.text);
	return facts_read(&m, scratch_file("facts.csv", text), &aliases, &laid,
			  &p);
}

static void refused(const char *text, const char *want)
{
	if (!ok(lay(text) < 0 && p.code == EXIT_INPUT && strstr(p.text, want),
		"%s", want))
		printf("# got %s\n", p.text);
}

static void lays(void)
{
	ok(lay("certainty,id,ranks,decode_ep,draft_tokens,note\n"
	       "launch entry,a,8,True,2,x\n,b,,,,\n,c,,,,\n") == 0 &&
	       laid == 2,
	   "rows with an id that a measured row has: %s", p.text);
	const struct measured_row *a = m.row;
	ok(a->pool[MEASURED_DECODE].tp == 8 && a->draft_tokens == 2,
	   "a cell takes the place of the row's");
	is(a->pool[MEASURED_DECODE].ep, "True", "text, too");
	is(a->launch ? a->launch : "none", "launch:apart",
	   "and the launch follows from it");
	ok(m.row[1].pool[MEASURED_DECODE].tp == 2, "an empty cell leaves it");
	refused("certainty,draft_tokens\nx,1\n", "1: facts need the column id");
	refused("id,draft_tokens\na,two\n", "2: not a number: draft_tokens");
	refused("id,mode,model,certainty\na,agg,llama,both\n",
		"2: [launch:one] and [launch:other] both say");
	char wide[1000] = "id";
	for (int i = 1; i <= 200; i++)
		snprintf(wide + strlen(wide), sizeof wide - strlen(wide),
			 ",a%d", i);
	refused(strcat(wide, "\n"), "1: more than 200 columns");
	lay("id,draft_tokens\n");
	free(m.row[0].id);
	m.row[0].id = NULL;
	ok(facts_read(&m, scratch_file("facts.csv", "id,draft_tokens\nb,4\n"),
		      &aliases, &laid, &p) == 0 &&
	       laid == 1 && m.row[1].draft_tokens == 4,
	   "a row without an id has no facts");
	ok(facts_read(&m, scratch_path("none.csv"), &aliases, &laid, &p) < 0 &&
	       p.code == EXIT_USAGE,
	   "%s", p.text);
}

static void says(void)
{
	const char *word;
	lay("id,certainty\na,launch entry\n");
	ok(!facts_lack(m.row, &aliases, &word), "a launch that is known");
	ok(facts_answer(m.row, &aliases, "WORKERS_UNKNOWN") &&
	       !facts_answer(m.row, &aliases, "TP_UNKNOWN"),
	   "answers some flags");
	ok(!facts_answer(&m.row[1], &aliases, "WORKERS_UNKNOWN"),
	   "but none of a row without facts");
	lay("id,certainty\nb,launch entry\n");
	ok(facts_answer(&m.row[1], &aliases, "WORKERS_UNKNOWN"),
	   "those of a row in one piece, too");
	lay("id,certainty\na,several launch entries\n");
	is(facts_lack(m.row, &aliases, &word),
	   "prefill and decode apart: certainty", "one of several");
	is(word, "several launch entries", "is named");
	const struct ini none = {0};
	ok(facts_lack(m.row, &none, &word) &&
	       !facts_answer(m.row, &none, "WORKERS_UNKNOWN"),
	   "aliases without [facts] take none");
	lay("id,certainty\na,launch entry\n");
	ok(!facts_answer(m.row, &certain, "WORKERS_UNKNOWN"),
	   "and answer no flags without a list of them");
	lay("id,certainty\nz,launch entry\n");
	ok(!laid, "facts of no row");
	is(facts_lack(m.row, &aliases, &word),
	   "prefill and decode apart, without facts: mode", "no facts");
	is(word, "disagg", "the mode is named");
}

int main(void)
{
	scratch_open();
	if (ini_read(&aliases, rules, strlen(rules), &p) < 0)
		bail_out(p.text);
	if (ini_put(&certain, "facts", "certainty", "launch entry", "x", &p) <
	    0)
		bail_out(p.text);
	lays();
	says();
	measured_free(&m);
	ini_free(&aliases);
	ini_free(&certain);
	return done();
}
