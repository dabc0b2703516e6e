#include "workload/segments.h"
#include "tap.h"

static void ids(void)
{
	static uint64_t seen[5 * 20 * 20];
	size_t n = 0, twice = 0, zero = 0;
	for (int kind = SEGMENT_BLOCK; kind <= SEGMENT_ANSWER; kind++)
		for (uint64_t a = 0; a < 20; a++)
			for (uint64_t b = 0; b < 20; b++)
				seen[n++] =
				    segment_id((enum segment_kind)kind, a, b);
	for (size_t i = 0; i < n; i++) {
		zero += seen[i] == 0;
		for (size_t k = 0; k < i; k++)
			twice += seen[i] == seen[k];
	}
	ok(twice == 0, "kind and both numbers tell ids apart");
	ok(zero == 0, "none is 0");
	ok(segment_id(SEGMENT_TURN, 3, 4) == segment_id(SEGMENT_TURN, 3, 4) &&
	       segment_id(SEGMENT_TURN, 3, 4) != segment_id(SEGMENT_TURN, 4, 3),
	   "the same numbers in the same order: the same id");
	ok(segment_id(SEGMENT_BLOCK, UINT64_MAX, UINT64_MAX) != 0,
	   "any numbers will do");
}

static void lists(void)
{
	struct segments s = {0};
	int right = 1;
	ok(segments_add(&s, 7, 0) == 0 && s.n == 0,
	   "a stretch of no tokens is none");
	for (uint32_t i = 1; i <= 1000; i++)
		right &= segments_add(&s, i, 2 * i) == 0;
	for (uint32_t i = 0; i < s.n; i++)
		right &=
		    s.item[i].id == i + 1 && s.item[i].tokens == 2 * (i + 1);
	ok(right && s.n == 1000, "a list in the order it was made");
	s.n = 0;
	segments_add(&s, 9, 1);
	ok(s.n == 1 && s.item[0].id == 9, "begun anew in the same memory");
	segments_free(&s);
	ok(s.n == 0 && !s.item, "freed, it is empty");
}

int main(void)
{
	ids();
	lists();
	return done();
}
