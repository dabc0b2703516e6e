/* base/checksum.h -- a checksum that detects damaged data; it does not protect
 * against forgers.  The same bytes give the same sum, in any number of pieces.
 * A zeroed struct is the checksum of no bytes.  [one thread] */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct checksum {
	uint64_t sum, n; /* of the whole words so far; number of bytes */
	unsigned char rest[8];
};
void checksum_add(struct checksum *c, const void *bytes, size_t n);
uint64_t checksum_value(const struct checksum *c);
