#include "decide/equality.h"
#include "tap.h"

int main(void)
{
	struct equal_steps e = {0}, f = {0}, all;
	ok(equal_steps_verdict(&e) == EQUAL_DIFFER, "no step is no equality");
	equal_steps_add(&e, 100, 100, 100, 100);
	ok(equal_steps_verdict(&e) == EQUAL_IDENTICAL &&
	       equal_steps_are_one(&e),
	   "the same bits");
	equal_steps_add(&e, 100, 100 * (1 + 4e-15), 100, 100);
	ok(equal_steps_verdict(&e) == EQUAL_EQUAL && e.largest < 1e-12 &&
	       e.largest > 0 && equal_steps_are_one(&e),
	   "only rounding is left");
	equal_steps_add(&f, 100.2, 100.4, 100, 100);
	ok(equal_steps_verdict(&f) == EQUAL_ROUNDING &&
	       !equal_steps_are_one(&f),
	   "total_us alone");
	all = e;
	equal_steps_join(&all, &f);
	ok(all.steps == 3 && all.largest == f.largest && all.worst == 2 &&
	       all.differing == 0 && all.other_bits == 2,
	   "both together");
	equal_steps_add(&f, 100, 90, 100, 90);
	ok(equal_steps_verdict(&f) == EQUAL_DIFFER && f.worst == 1, "another");
	near(f.largest, .1, 1e-12, "by a tenth");
	equal_steps_add(&f, 0, 0, 0, 0);
	ok(f.steps == 3 && f.differing == 1, "two empty steps");
	return done();
}
