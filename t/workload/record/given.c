/* Requests that are given leave in order, as copies. */
#include "workload/record/given.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"

int main(void)
{
	struct given g = {0};
	struct request r, out;
	int64_t at = -1;
	int wrong = 0;
	char name[] = "a0";
	struct segment segment = {7, 3};
	struct mm_item item = {9, 1, 2};
	ok(given_peek(&g, &at) == 0, "none is there");
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 100; i++) {
			name[1] = (char)('0' + i % 10);
			segment.id = (uint64_t)i;
			r = (struct request){.row = (uint64_t)i,
					     .arrival_ns = i,
					     .name = name,
					     .segment = &segment,
					     .n_segments = 1,
					     .item = &item,
					     .n_items = 1};
			wrong += given_add(&g, &r) != 0;
		}
		name[1] = 'x';
		segment.id = 1000;
		for (int i = 0; i < 70 + 15 * round; i++) {
			wrong += !given_peek(&g, &at);
			given_pop(&g, &out);
			wrong += out.arrival_ns != at ||
				 out.segment->id != out.row ||
				 out.item->name != 9 || out.name[1] == 'x' ||
				 out.name[1] - '0' != (int)(out.row % 10);
		}
	}
	ok(wrong == 0, "copies, in order, around the ring");
	ok(g.n == 300 - 255, "the others wait");
	given_free(&g);
	return done();
}
