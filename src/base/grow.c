/* grow.c -- Doubles an array. */
#include "base/grow.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 16 }; /* items */

static uint64_t value(const void *cap, size_t size)
{
	uint32_t n32;
	uint64_t n64;
	if (size == sizeof n32) {
		memcpy(&n32, cap, sizeof n32);
		return n32;
	}
	memcpy(&n64, cap, sizeof n64);
	return n64;
}

int grow_array(void *array, size_t item, void *cap, size_t cap_size)
{
	uint32_t cap32;
	uint64_t n = value(cap, cap_size);
	void *old;
	memcpy(&old, array, sizeof old);
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

/* The items before `first` are the last ones: they move behind the others. */
int grow_ring(void *array, size_t item, void *cap, size_t cap_size,
	      size_t first)
{
	size_t n = (size_t)value(cap, cap_size);
	char *ring;
	if (!grow_array(array, item, cap, cap_size))
		return 0;
	memcpy(&ring, array, sizeof ring);
	memcpy(ring + n * item, ring, first * item);
	return 1;
}
