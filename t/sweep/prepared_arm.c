/* A worker goes from point to point: the arm is always that of the point. */
#include "sweep/prepared_arm.h"
#include "config_of.h"
#include "jobs/watch.h"
#include "sweep/sweep.h"

static struct sweep sweep;
static struct job_status status;
static struct watch watch;
static struct pool_worker worker;
static struct prepared_arm prepared_arm;

static const struct engine *at(size_t point)
{
	if (prepared_arm_prepare(&prepared_arm, point, &why) < 0)
		bail_out(why.text);
	return &prepared_arm.work.arm.engine;
}

int main(void)
{
	char warning[STORE_WARNING] = "";
	scratch_open();
	const struct sweep_request r = {
	    .config = scratch_file("c.ini", CONFIG_SETUP CONFIG_ARM("a", "1000")
						CONFIG_ONE_BY_ONE
				   "[engine]\nkv_transfer_"
				   "bandwidth_gbs=100\n"),
	    .plan = {.list = "engine.max_num_seqs,engine:decode.replicas,"
			     "engine.prefill_replicas\n"
			     "4,,\n8,2,\n16,,\n16,2,1\n8,3,\n",
		     .list_from = "--search"},
	    .seeds = 1};
	if (sweep_open(&sweep, &r, &why) < 0)
		bail_out(why.text);
	status_begin(&status);
	watch_open(&watch, &status, 0, NULL, 0, &why);
	worker = (struct pool_worker){.status = &status, .watch = &watch};
	ok(prepared_arm_open(&prepared_arm, &worker, &sweep.plan, &sweep.config,
			     0, &why) == 0,
	   "open");
	ok(at(0)->max_num_seqs == 4 && !sweep.config.is_apart,
	   "the first point: replicas that do both");
	ok(prepared_arm_create(&prepared_arm, warning, &why) == 0 && !*warning,
	   "an instance");
	ok(prepared_arm_step_memory(&prepared_arm, &why) != NULL,
	   "memory for its steps");
	ok(prepared_arm_destroy(&prepared_arm, 1, 0, &why) == 0,
	   "which ends well");
	ok(at(1)->prefill_replicas == 1 && at(1)->replicas == 3,
	   "the second: one replica for prefill, two for decode");
	ok(prepared_arm_create(&prepared_arm, warning, &why) == 0 &&
	       prepared_arm_destroy(&prepared_arm, 1, 0, &why) == 0,
	   "with instances, too");
	ok(at(2)->max_num_seqs == 16 && at(2)->prefill_replicas == 0 &&
	       !sweep.config.is_apart,
	   "and back");
	ok(prepared_arm_create(&prepared_arm, warning, &why) == 0 &&
	       prepared_arm_destroy(&prepared_arm, 1, 0, &why) == 0,
	   "with an instance");
	ok(prepared_arm_prepare(&prepared_arm, 3, &why) < 0,
	   "a point that cannot be");
	ok(at(4)->prefill_replicas == 1,
	   "behind it all is read again, and the plugin is left");
	prepared_arm_warn(warning, 3, "one two");
	prepared_arm_warn(warning, 3, "two");
	prepared_arm_warn(warning, 3, "one");
	is(warning, "one; two", "warnings are appended, each once");
	prepared_arm_close(&prepared_arm);
	watch_close(&watch);
	sweep_free(&sweep);
	return done();
}
