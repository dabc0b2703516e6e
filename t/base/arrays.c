/* Arrays of one owner: zeroed, apart from each other, freed together. */
#include "base/arrays.h"
#include <stdint.h>
#include "tap.h"

int main(void)
{
	struct arrays a = {0};
	uint64_t *first = arrays_add(&a, 1000, sizeof *first);
	char *second = arrays_add(&a, 3, 1);
	int zeroed = 1;
	if (!first || !second)
		bail_out("memory");
	for (int i = 0; i < 1000; i++)
		zeroed &= first[i] == 0;
	ok(zeroed && !second[0] && !second[2], "zeroed");
	ok((uintptr_t)first % 16 == 0 && (uintptr_t)second % 16 == 0,
	   "aligned for any item");
	for (int i = 0; i < 1000; i++)
		first[i] = UINT64_MAX;
	ok(!second[0] && !second[2], "one does not reach into another");
	char *text = arrays_text(&a, "a text");
	is(text, "a text", "the copy of a text");
	ok(arrays_add(&a, 0, 8) != NULL, "an empty one");
	ok(!arrays_add(&a, SIZE_MAX / 8 + 1, 8) && a.out_of_memory,
	   "memory is out, and the owner knows it");
	arrays_free(&a);
	ok(!a.newest && !a.out_of_memory, "none is left");
	arrays_free(&a);
	return done();
}
