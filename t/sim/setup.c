/* A replica that is made anew, as one that has just started. */
#include "sim/setup.h"
#include "serve.h"
#include "tap.h"

int main(void)
{
	static const struct linear_cost cost = {100, 1, 0};
	static struct outcome out;
	static struct problem problem;
	const struct request r[] = {
	    {.row = 0, .input_tokens = 20, .output_tokens = 2},
	    {.row = 1,
	     .arrival_ns = 200000000,
	     .input_tokens = 20,
	     .output_tokens = 2}};
	struct engine e = plain_engine();
	e.fleet = (struct fleet_rules){.start = 1,
				       .dies = 1,
				       .restart = 1,
				       .n_deaths = 1,
				       .death = {{100000000, 0}}};
	if (serve(&e, &cost, r, 2, NULL, &out, &problem))
		bail_out(problem.text);
	ok(out.completed == 2 && out.num_steps == 4 && out.kv_blocks_peak == 2,
	   "what it did before counts, too");
	return done();
}
