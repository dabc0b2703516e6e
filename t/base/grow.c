/* An array that doubles, with capacities of both sizes. */
#include "base/grow.h"
#include <stdint.h>
#include <stdlib.h>
#include "tap.h"

/* Four items go in and three go out, so that the first is anywhere. */
static void ring(void)
{
	struct {
		uint64_t *item;
		uint32_t first, n, cap;
	} r = {0};
	uint64_t in = 0, out = 0, wrong = 0;
	for (int i = 0; i < 4000; i++) {
		if (!MAKE_RING_ROOM(r.item, r.first, r.n, r.cap))
			bail_out("memory");
		r.item[(r.first + r.n++) & (r.cap - 1)] = in++;
		if (i % 4 == 0)
			continue;
		wrong += r.item[r.first] != out++;
		r.first = (r.first + 1) & (r.cap - 1);
		r.n--;
	}
	ok(wrong == 0 && r.n == 1000 && r.cap == 1024,
	   "a ring keeps the order of its items: %u are left", r.n);
	free(r.item);
}

int main(void)
{
	ring();
	struct item {
		uint64_t a, b;
	} *item = NULL;
	uint32_t cap = 0, wrong = 0;
	for (uint32_t n = 0; n < 1000; n++) {
		if (!MAKE_ROOM(item, n, cap))
			bail_out("memory");
		item[n] = (struct item){n, 2 * n};
	}
	for (uint32_t n = 0; n < 1000; n++)
		wrong += item[n].a != n || item[n].b != 2 * n;
	ok(wrong == 0 && cap == 1024, "1,000 items, room for %u", cap);
	cap = UINT32_MAX / 2 + 1;
	ok(!MAKE_ROOM(item, cap, cap) && cap == UINT32_MAX / 2 + 1 &&
	       item[999].a == 999,
	   "a capacity that does not fit into 32 bits: nothing changes");
	free(item);
	double *number = NULL;
	size_t n = 0, room = 0;
	for (; n < 100; n++) {
		if (!MAKE_ROOM(number, n, room))
			bail_out("memory");
		number[n] = (double)n;
	}
	ok(number[99] == 99 && room == 128, "room for %zu numbers", room);
	room = SIZE_MAX / sizeof *number;
	ok(!MAKE_ROOM(number, room, room), "more than memory can have");
	free(number);
	return done();
}
