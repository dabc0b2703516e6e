/* own_run.c -- When a validation is that of one run. */
#include "report/validation/own_run.h"
#include "tap.h"

int main(void)
{
	struct measured file = {.n = 1};
	size_t trial_of[2] = {0, 0};
	struct validation v = {.file = &file, .trial_of = trial_of};
	ok(own_run_is_alone(&v), "one row");
	trial_of[0] = SIZE_MAX;
	ok(!own_run_is_alone(&v), "one row that is left out");
	trial_of[0] = 0;
	file.n = 2;
	ok(!own_run_is_alone(&v), "two rows");
	return done();
}
