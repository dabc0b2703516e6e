/* grow.c -- Doubles an array. */
#include "base/grow.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 16 }; /* items */

int grow_array(void *array, size_t item, void *cap, size_t cap_size)
{
	uint32_t cap32 = 0;
	uint64_t n = 0;
	void *old;
	memcpy(&old, array, sizeof old);
	if (cap_size == sizeof cap32) {
		memcpy(&cap32, cap, sizeof cap32);
		n = cap32;
	} else {
		memcpy(&n, cap, sizeof n);
	}
	uint64_t more = n ? 2 * n : FIRST;
	if (more > (cap_size == sizeof cap32 ? UINT32_MAX : SIZE_MAX / item))
		return 0;
	void *new = realloc(old, (size_t)more * item);
	if (!new)
		return 0;
	memcpy(array, &new, sizeof new);
	cap32 = (uint32_t)more;
	if (cap_size == sizeof cap32)
		memcpy(cap, &cap32, sizeof cap32);
	else
		memcpy(cap, &more, sizeof more);
	return 1;
}
