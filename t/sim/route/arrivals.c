/* Who got the fewest requests lately. */
#include "sim/route/arrivals.h"
#include "tap.h"

int main(void)
{
	struct arrivals a;
	static const uint32_t all[] = {0, 1, 2};
	if (arrivals_init(&a, 3, 60))
		bail_out("out of memory");
	ok(arrivals_fewest(&a, all, 3, 0) == 0, "the first that never got one");
	for (int i = 0; i < 40; i++)
		arrivals_add(&a, 0, 0);
	ok(arrivals_fewest(&a, all, 3, 0) == 1, "then the next");
	arrivals_add(&a, 1, 10);
	arrivals_add(&a, 1, 10);
	arrivals_add(&a, 2, 20);
	ok(arrivals_fewest(&a, all, 3, 20) == 2, "then the fewest");
	ok(arrivals_fewest(&a, all, 3, 60) == 2, "one exactly 60 ago counts");
	ok(arrivals_fewest(&a, all, 3, 61) == 0, "one before that does not");
	ok(arrivals_fewest(&a, all, 3, 75) == 0, "the first of equals");
	arrivals_add(&a, 0, 75);
	ok(arrivals_fewest(&a, all, 3, 75) == 1, "or one without any");
	ok(arrivals_fewest(&a, all, 1, 75) == 0,
	   "of those that are asked about");
	arrivals_forget(&a, 2);
	ok(arrivals_fewest(&a, all, 3, 75) == 2,
	   "one that is forgotten is new");
	arrivals_free(&a);
	return done();
}
