/* Effects of switches on the figures of a study and its seeds. */
#include "study/effects.h"
#include "studied.h"

/* Requests of 10 tokens in and 5 out, one after another: E2EL is 5 steps. */
#define FOUR_ARMS                                                              \
	CONFIG_ARM("a00", "100")                                               \
	CONFIG_ARM("a10", "300")                                               \
	CONFIG_ARM("a01", "110") CONFIG_ARM("a11", "330")

int main(void)
{
	struct effects e;
	struct seeds none = {0}, seeds = {0};
	const struct seeds_plan plan = {.low = 3, .high = 3};
	scratch_open();
	studied(CONFIG_SETUP CONFIG_ONE_BY_ONE FOUR_ARMS);
	ok(effects_compute(&e, &study, &none, 2, 2) == 0 && e.n == 3, "three");
	ok(e.of[2] && e.of[2][0].set == 1, "the first switch is the largest");
	near(e.of[2][0].effect, 5 * .21, 1e-9, "on E2EL: 5 steps");
	near(e.of[2][1].effect, 5 * .02, 1e-9, "the second");
	near(e.of[2][2].effect, 5 * .01, 1e-9, "both");
	near(e.of[3][0].effect, 210, 1e-9, "on a step");
	ok(isnan(e.of[2][0].p), "without seeds no p");
	effects_free(&e);
	ok(seeds_run(&seeds, &study, &plan, &why) == 0 &&
	       effects_compute(&e, &study, &seeds, 2, 1) == 0 && e.n == 2,
	   "over seeds, without interactions");
	near(e.of[2][0].effect, 5 * .21, 1e-9, "the same requests each time");
	ok(e.of[2][0].p == 0, "so it is sure");
	effects_free(&e);
	seeds_free(&seeds);
	studied(CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM("a", "1") CONFIG_ARM(
	    "b", "1") CONFIG_ARM("c", "1") CONFIG_BAD_ARM("d"));
	ok(effects_compute(&e, &study, &none, 2, 2) == 0 && !e.of[0] &&
	       !e.of[2],
	   "an arm that failed leaves no effects");
	effects_free(&e);
	studied_free();
	return done();
}
