/* base/checksum.h -- tells whether bytes are still those that were written: for
 * accidents, not against forgers.  The same bytes give the same sum in whatever
 * pieces they are added.  Zeroed: nothing yet.  [one thread] */
#ifndef SC_BASE_CHECKSUM_H
#define SC_BASE_CHECKSUM_H
#include <stddef.h>
#include <stdint.h>

struct checksum {
	uint64_t sum, n; /* of the whole words so far; all bytes             */
	unsigned char rest[8];
};
void checksum_add(struct checksum *c, const void *bytes, size_t n);
uint64_t checksum_value(const struct checksum *c);
#endif
