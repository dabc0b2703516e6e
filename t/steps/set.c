/* Files of steps as a set: deployments, flags, unknown names. */
#include "steps/set.h"
#include "scratch.h"

static struct step_set s;
static struct ini aliases;
static struct problem why;

static int read_text(const char *text, const struct step_set_options *o)
{
	const char *path = scratch_file("steps.csv", text);
	why = (struct problem){0};
	step_set_free(&s);
	return step_set_read(&s, &path, 1, &aliases, o, &why);
}

static void deployments(void)
{
	static const struct step_set_options o = {.needs_time = 1};
	ok(read_text("decode,time_us,model,gpu,dtype,tensor_parallel_size\n"
		     "1,5,llama-3.1-8b,h100-sxm,bf16,2\n"
		     "2,5,llama-3.1-8b,a100-80-sxm,bf16,\n"
		     "3,5,llama-3.1-8b,h100-sxm,bf16,2\n",
		     &o) == 0 &&
	       s.n == 3 && s.n_deployments == 2,
	   "two deployments");
	is(s.deployment[0].name, "a100-80-sxm/llama-3.1-8b/bf16",
	   "sorted by name, without empty cells");
	is(s.deployment[1].name, "h100-sxm/llama-3.1-8b/bf16/2", "the other");
	ok(s.deployment[1].n == 2 && s.deployment[1].row[1] == 2 &&
	       s.row[2].deployment == 1 && s.row[1].deployment == 0,
	   "rows in their order");
	ok(s.deployment[1].as.row[0].tensor_parallel_size == 2,
	   "cells as a measured row");
	ok(step_set_most(&s) == 2, "the most rows");
	ok(read_text("decode,time_us\n1,5\n", &o) == 0 && s.n_deployments == 1,
	   "no column says it");
	is(s.deployment[0].name, "as configured", "then it is that of CONFIG");
}

static void left_out(void)
{
	static const struct step_set_options sound = {.needs_time = 1},
					     all = {.all_flags = 1};
	static const char flags[] = "decode,time_us,flags\n1,5,\n2,5,BAD_ONE\n"
				    "3,5,FINE|BAD_TWO\n4,5,FINE\n5,5,BAD_ONE\n";
	ok(read_text(flags, &sound) == 0 && s.n == 2 && s.n_given == 5 &&
	       s.left_out[0].n + s.left_out[1].n == 3 && s.n_left_out == 2 &&
	       s.left_out[0].n == 2 && s.left_out[0].is_flag,
	   "flags by how they begin");
	is(s.left_out[0].why, "BAD_ONE", "counted by flag");
	ok(read_text(flags, &all) == 0 && s.n == 5, "all flags");
	ok(read_text("decode,time_us,model\n1,5,none-such\n2,5,none-such\n"
		     "3,5,llama-3.1-8b\n",
		     &sound) == 0 &&
	       s.n == 1 && s.n_left_out == 1 && s.left_out[0].n == 2,
	   "a model that is not known");
	is(s.left_out[0].why, "no model is known as none-such", "named once");
	ok(read_text("decode,time_us,model\n1,5,none-such\n", &sound) < 0 &&
	       why.code == EXIT_INPUT &&
	       strstr(why.text, "no model is known as none-such"),
	   "no row is left");
	ok(read_text("decode\n1\n", &sound) < 0 && why.code == EXIT_INPUT &&
	       strstr(why.text, "no column time_us"),
	   "steps that were not measured");
	ok(read_text("decode\n1\n", &all) == 0, "they can be priced");
	ok(read_text("decode,encoded\n1,3:0\n2,\n", &all) == 0 && s.n == 1 &&
	       s.left_out[0].n == 1,
	   "a step that the file does not hold whole");
}

int main(void)
{
	if (ini_put(&aliases, "flags", "leave_out", "WORSE, BAD_", "t", &why) <
	    0)
		bail_out("aliases");
	scratch_open();
	deployments();
	left_out();
	step_set_free(&s);
	ini_free(&aliases);
	return done();
}
