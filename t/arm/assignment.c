#include "arm/assignment.h"
#include "tap.h"

static struct ini c;
static struct problem p;

static void dots(void)
{
	static const struct {
		const char *name;
		size_t dot;
	} is_at[] = {{"engine.block_size", 6},
		     {"cost_model:a.tables.set", 12},
		     {"cost_model.hardware.memory_gib", 10},
		     {"cost_model:a.ew", 12},
		     {"protocol:v.1.max", 12},
		     {"engine", 0},
		     {"engine.", 0},
		     {".x", 0}};
	for (size_t i = 0; i < sizeof is_at / sizeof *is_at; i++)
		ok(assignment_dot(is_at[i].name, strlen(is_at[i].name)) ==
		       is_at[i].dot,
		   "%s", is_at[i].name);
}

static void refused(const char *text, const char *want)
{
	ok(assignment_apply(&c, text, &p) < 0 && p.code == EXIT_USAGE,
	   "refused");
	is(p.text, want, "%s", text);
}

static void sections(void)
{
	refused("max_num_seqs=8",
		"--set max_num_seqs=8: not section.key=value; "
		"write engine.max_num_seqs=8");
	refused("--axis tp=1,2", "--axis tp=1,2: not section.key=value; write "
				 "engine.tensor_parallel_size=1,2");
	refused("config=x", "--set config=x: not section.key=value; write "
			    "model.config=x or hardware.config=x");
	refused("nothing=1", "--set nothing=1: not section.key=value; write "
			     "SECTION.KEY=VALUE, as in engine.max_num_seqs=64");
	refused("engine.max_num_seqs",
		"--set engine.max_num_seqs: not section.key=value; write "
		"SECTION.KEY=VALUE, as in engine.max_num_seqs=64");
	ok(assignment_refuse("--axis", "seed=1", 4, &p) < 0 &&
	       strstr(p.text, "write workload.seed=1"),
	   "%s", p.text);
}

int main(void)
{
	dots();
	if (ini_read(&c, "", 0, &p) < 0)
		bail_out(p.text);
	ok(assignment_apply(&c, "engine.block_size=32", &p) == 0 &&
	       assignment_apply(&c, "--try workload.seed=7", &p) == 0,
	   "sets keys");
	is(ini_get(&c, "engine", "block_size"), "32", "its value");
	is(ini_find(&c, "workload", "seed")->at, "--try", "and its option");
	sections();
	ini_free(&c);
	return done();
}
