/* base/hash.h -- scrambles 64-bit keys and hashes texts.  [any thread] */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* A bijection on 64 bits with the fixed point 0; similar keys get very
 * different values.  It is the finisher of SplitMix64 (Steele, Lea & Flood,
 * OOPSLA 2014). */
static inline uint64_t hash_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* Continues a 64-bit FNV-1a hash with n more bytes; it starts from
 * HASH_BEGIN. */
#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)
static inline uint64_t hash_on(uint64_t hash, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)s[i]) * 0x100000001b3u;
	return hash;
}
