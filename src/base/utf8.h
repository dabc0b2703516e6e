/* base/utf8.h -- UTF-8 text, character by character. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Returns the length in bytes of the first character of s, where n >= 1 bytes
 * are left.  Returns 0 for an invalid one; overlong forms, surrogates and code
 * points beyond U+10FFFF are invalid. */
static inline size_t utf8_length(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t length = u[0] < 0x80   ? 1
			: u[0] < 0xc2 ? 0
			: u[0] < 0xe0 ? 2
			: u[0] < 0xf0 ? 3
			: u[0] < 0xf5 ? 4
				      : 0;
	if (length > n)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) ||
	    (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))
		return 0;
	return length;
}

/* Returns its code point.  length is what utf8_length() returned, not 0. */
static inline uint32_t utf8_value(const char *s, size_t length)
{
	const unsigned char *u = (const unsigned char *)s;
	if (length == 1)
		return u[0];
	uint32_t c = u[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++)
		c = c << 6 | (u[i] & 0x3f);
	return c;
}

/* Writes a code point, 4 bytes at most.  Returns the number of bytes. */
static inline size_t utf8_put(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n; i-- > 1; c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3F));
	to[0] = (char)((0xF00u >> n & 0xFF) | c);
	return n;
}
