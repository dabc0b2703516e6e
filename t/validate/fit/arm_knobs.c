/* Gives a knob to the arms that have it and do not set it themselves. */
#include "validate/fit/arm_knobs.h"
#include "config_of.h"

static struct arm_knobs knobs;

static int opened(const char *ini)
{
	arm_knobs_free(&knobs);
	why = (struct problem){0};
	return arm_knobs_open(&knobs, scratch_file("arms.ini", ini), NULL, 0,
			      &why);
}

/* What that knob is assigned to, separated by commas. */
static const char *assigned(const char *knob)
{
	static char text[300];
	struct names set = {0};
	if (arm_knobs_assign(&knobs, knob, &set) < 0)
		bail_out("out of memory");
	names_join(&set, text, sizeof text);
	names_free(&set);
	return text;
}

int main(void)
{
	scratch_open();
	ok(opened("[cost_model:a]\nplugin=const_step\n"
		  "[cost_model:b]\nplugin=const_step\nbase_us=7\n"
		  "[cost_model:c]\nplugin=roofline_v1\n") == 0,
	   "three arms: %s", why.text);
	is(assigned("base_us=5"), "cost_model:a.base_us=5",
	   "to the arm that has the knob and does not set it");
	is(assigned("per_token_us=0.5"),
	   "cost_model:a.per_token_us=0.5, cost_model:b.per_token_us=0.5",
	   "to both arms that have it");
	is(assigned("no_such_knob=1"), "", "to none");
	is(assigned("base=1"), "", "a part of a name is no knob");
	ok(opened("[cost_model]\nplugin=const_step\n") == 0, "an arm alone");
	is(assigned("base_us=5=6"), "cost_model.base_us=5=6",
	   "in its section, with all behind the first sign");
	scratch_file("text.so", "no shared object");
	ok(opened("[cost_model:a]\nplugin=const_step\n"
		  "[cost_model:x]\nplugin=./text.so\n") == 0,
	   "a plugin that cannot be loaded: %s", why.text);
	is(assigned("base_us=5"), "cost_model:a.base_us=5", "has no knobs");
	arm_knobs_free(&knobs);
	const char *const set[] = {"cost_model:a.base_us=9"};
	ok(arm_knobs_open(&knobs, scratch_path("arms.ini"), set, 1, &why) == 0,
	   "with --set");
	is(assigned("base_us=5"), "", "a knob that --set has is set");
	arm_knobs_free(&knobs);
	ok(arm_knobs_open(&knobs, scratch_path("none.ini"), NULL, 0, &why) <
		   0 &&
	       why.code == EXIT_USAGE,
	   "%s", why.text);
	arm_knobs_free(&knobs);
	ok(!knobs.plugin && knobs.arms.n == 0, "freed");
	return done();
}
