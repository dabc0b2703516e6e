/* Which configuration is tried before which. */
#include "recommend/race_order.h"
#include "recommend/race.h"
#include "tap.h"

static const struct race_entry entry[] = {
    {.point = 0, .shape = 1, .is_first = 1, .room = 10, .level = 1},
    {.point = 1, .shape = 2, .is_first = 1, .room = 30, .level = 1},
    {.point = 2, .shape = 1, .room = 99, .level = 1},
    {.point = 3, .shape = 2, .room = 1, .level = 1},
    {.point = 4, .shape = 2, .room = 50, .level = 1},
    {.point = 5, .shape = 3, .is_first = 1, .room = 1, .level = 0},
};
enum { N = sizeof entry / sizeof *entry };

int main(void)
{
	const struct race_how how = {.precision = 0.02};
	struct problem p;
	struct race r;
	if (race_begin(&r, &how, entry, N, &p) < 0)
		bail_out(p.text);
	ok(r.order[0] == 5, "a lower level comes first");
	ok(r.order[1] == 1 && r.order[2] == 0,
	   "then the first of each shape, the largest room first");
	ok(r.order[3] == 2 && r.order[4] == 3 && r.order[5] == 4,
	   "the others by their points");
	r.track[1].met = 3;
	r.track[0].met = 2;
	ok(race_sort(r.order, 3, N, entry, r.track, N) == 0 &&
	       r.order[3] == 3 && r.order[4] == 4 && r.order[5] == 2,
	   "once shapes have results, those of the best shape first");
	race_free(&r);
	return done();
}
