/* base/sha256.h -- SHA-256 of bytes that are all there.  Source: FIPS 180-4.
 * [any thread] */
#ifndef SC_BASE_SHA256_H
#define SC_BASE_SHA256_H
#include <stddef.h>

enum { SHA256_BYTES = 32 };
void sha256(const void *bytes, size_t n, unsigned char to[SHA256_BYTES]);
#endif
