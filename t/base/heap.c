#include "base/heap.h"
#include <stdlib.h>
#include "tap.h"

struct item {
	int rank, of;
};

static int is_before(const struct item *a, const struct item *b)
{
	return a->rank < b->rank;
}

/* Adds and drops in an order that an LCG decides. */
static void in_order(size_t most)
{
	struct item heap[200];
	int is_there[200] = {0}, wrong = 0;
	size_t n = 0;
	unsigned seed = 1;
	for (int i = 0; i < 5000; i++) {
		seed = seed * 1103515245u + 12345u;
		int rank = (int)(seed >> 16) % 200;
		if (n < most && !is_there[rank]) {
			struct item x = {rank, ~rank};
			HEAP_ADD(heap, n, x, is_before);
			is_there[rank] = 1;
		}
		if (n == 0 || (n < most && seed >> 30 != 0))
			continue;
		int least = 0;
		while (!is_there[least])
			least++;
		wrong += heap[0].rank != least || heap[0].of != ~least;
		is_there[heap[0].rank] = 0;
		HEAP_DROP(heap, n, is_before);
	}
	ok(wrong == 0, "%zu items: the first is the least: %d are not", most,
	   wrong);
}

int main(void)
{
	in_order(1);
	in_order(2);
	in_order(3);
	in_order(150);
	return done();
}
