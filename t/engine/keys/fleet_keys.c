/* The keys of [autoscaler] and [failures], and what they come to. */
#include "engine/keys/fleet_keys.h"
#include <string.h>
#include "tap.h"

static struct ini ini;
static struct problem problem;

static int resolved(const char *text, struct fleet_rules *r)
{
	struct autoscaler_keys a;
	struct failures_keys f;
	struct fleet_facts facts = {.per_replica = 1,
				    .replicas = 2,
				    .weight_bytes = 16e9,
				    .gpus = 4,
				    .ini = &ini};
	ini_free(&ini);
	problem = (struct problem){0};
	if (ini_read(&ini, text, strlen(text), &problem) < 0)
		bail_out(problem.text);
	return fleet_keys_fill(&a, &f, &ini, &problem) < 0
		   ? -1
		   : fleet_resolve(r, &a, &f, &facts, &problem);
}

static void good(void)
{
	struct fleet_rules r;
	ok(resolved("", &r) == 0 && !fleet_changes(&r), "nothing changes");
	ok(resolved(
	       "[autoscaler]\nmetric = num_requests_running\ntarget = 2.5\n"
	       "max_replicas = 4\nweights_bandwidth_gbs = 4\n"
	       "compile_s = 20\n",
	       &r) == 0 &&
	       fleet_changes(&r) && r.target == 2500 && r.max == 4 &&
	       r.start == 2 && r.cold_start_ns == 24000000000 &&
	       r.tolerance == 100000 && r.sync_ns == 15000000000,
	   "a start is the sum of its parts");
	ok(resolved("[failures]\nat = 1:7.5, 0:2,1:3\n", &r) == 0 && r.dies &&
	       r.n_deaths == 3 && r.death[0].replica == 0 &&
	       r.death[0].at_ns == 2000000000 && r.death[2].replica == 1 &&
	       r.death[2].at_ns == 7500000000,
	   "deaths, in order of time");
	ok(resolved("[failures]\nmtbf_hours = 2\n", &r) == 0 && r.dies &&
	       r.mtbf_ns == 7200e9,
	   "or at random");
}

static void bad(void)
{
	static const char *const text[] = {
	    "[autoscaler]\ntarget = 3\n",
	    "[autoscaler]\nmetric = num_requests_running\nmax_replicas = 3\n",
	    "[autoscaler]\nmetric = num_requests_running\ntarget = 3\n",
	    "[autoscaler]\nweights_load_s = soon\n",
	    "[failures]\nat = 2:1\n",
	    "[failures]\nat = 1\n",
	    "[failures]\nat = 1:x\n",
	    "[failures]\nat = 1:1;0:2\n",
	};
	struct fleet_rules r;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		ok(resolved(text[i], &r) < 0 && problem.code == EXIT_USAGE,
		   "%s", problem.text);
}

int main(void)
{
	good();
	bad();
	ini_free(&ini);
	return done();
}
