/* Notices come in the order of their times. */
#include "sim/notices.h"
#include <stdlib.h>
#include "tap.h"

int main(void)
{
	struct notices w = {0};
	uint64_t state = 7;
	int64_t last = -1;
	int wrong = 0;
	ok(notices_next_ns(&w) == INT64_MAX, "there is none");
	for (uint64_t i = 0; i < 1000; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		const struct notice x = {.ns = (int64_t)(state >> 56),
					 .row = i};
		wrong += notices_add(&w, &x) != 0;
		if (i % 3 == 2)
			wrong += notices_next_ns(&w) != notices_take(&w).ns;
	}
	while (w.n) {
		struct notice x = notices_take(&w);
		wrong += x.ns < last;
		last = x.ns;
	}
	ok(wrong == 0, "the earliest first");
	wrong = 0;
	for (uint32_t i = 0; i < 200; i++)
		wrong += notices_add_leaver(&w, i, 2 * i) != 0;
	ok(wrong == 0 && w.n_leavers == 200 && w.leaver[99].row == 198,
	   "who has not left");
	notices_free(&w);
	return done();
}
