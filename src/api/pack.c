/* pack.c -- Writes msgpack and CBOR. */
#include "api/pack.h"
#include <string.h>

/* Appends a byte, and the low `n` bytes of v, the highest first. */
static void put(struct pack p, unsigned first, uint64_t v, int n)
{
	char s[9] = {(char)first};
	for (int i = 0; i < n; i++)
		s[1 + i] = (char)(v >> (8 * (n - 1 - i)));
	buffer_add(p.to, s, 1 + (size_t)n);
}

/* Returns k with 2^k bytes enough for v. */
static int width(uint64_t v)
{
	return v > 0xff ? v > 0xffff ? v > 0xffffffff ? 3 : 2 : 1 : 0;
}

/* Writes the head of a CBOR value: the upper 3 bits of its first byte are the
 * kind, `major`.  The lower ones are v itself, or say how many bytes of v
 * follow. */
static void cbor(struct pack p, unsigned major, uint64_t v)
{
	int k = width(v);
	if (v < 24)
		put(p, major << 5 | (unsigned)v, 0, 0);
	else
		put(p, major << 5 | (24 + (unsigned)k), v, 1 << k);
}

/* Writes the head of a msgpack value: v is the value or its length.  Up to
 * `most` it is in the low bits of the byte `fix`.  A larger one follows a code
 * byte, in 1, 2, 4 or 8 bytes; `code` is the code of the shortest of these
 * forms, which has 1 byte if has_byte, else 2. */
static void msgpack(struct pack p, unsigned fix, uint64_t most, unsigned code,
		    int has_byte, uint64_t v)
{
	int k = width(v);
	if (!has_byte && k == 0)
		k = 1;
	if (v <= most)
		put(p, fix | (unsigned)v, 0, 0);
	else
		put(p, code + (unsigned)(k - !has_byte), v, 1 << k);
}

void pack_nil(struct pack p)
{
	put(p, p.form == PACK_CBOR ? 0xf6 : 0xc0, 0, 0);
}

void pack_uint(struct pack p, uint64_t v)
{
	if (p.form == PACK_CBOR)
		cbor(p, 0, v);
	else
		msgpack(p, 0, 127, 0xcc, 1, v);
}

void pack_int(struct pack p, int64_t v)
{
	uint64_t low = ~(uint64_t)v; /* -1 - v, not negative if v is */
	if (v >= 0)
		pack_uint(p, (uint64_t)v);
	else if (p.form == PACK_CBOR)
		cbor(p, 1, low);
	else if (v >= -32)
		put(p, (unsigned)v & 0xff, 0, 0);
	else
		put(p, 0xd0 + (unsigned)width(2 * low), (uint64_t)v,
		    1 << width(2 * low));
}

void pack_double(struct pack p, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	put(p, p.form == PACK_CBOR ? 0xfb : 0xcb, bits, 8);
}

void pack_text(struct pack p, const char *s)
{
	size_t n = strlen(s);
	if (p.form == PACK_CBOR)
		cbor(p, 3, n);
	else
		msgpack(p, 0xa0, 31, 0xd9, 1, n);
	buffer_add(p.to, s, n);
}

void pack_bytes(struct pack p, const void *s, size_t n)
{
	if (p.form == PACK_CBOR)
		cbor(p, 2, n);
	else
		put(p, 0xc4 + (unsigned)width(n), n, 1 << width(n));
	buffer_add(p.to, s, n);
}

void pack_array(struct pack p, size_t n)
{
	if (p.form == PACK_CBOR)
		cbor(p, 4, n);
	else
		msgpack(p, 0x90, 15, 0xdc, 0, n);
}

void pack_map(struct pack p, size_t n)
{
	if (p.form == PACK_CBOR)
		cbor(p, 5, n);
	else
		msgpack(p, 0x80, 15, 0xde, 0, n);
}
