/* base/hash.h -- scattering 64-bit keys.  [any thread] */
#ifndef SC_BASE_HASH_H
#define SC_BASE_HASH_H
#include <stdint.h>

/* A bijection on 64 bits that scatters, with 0 as a fixed point: the finisher
 * of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014). */
static inline uint64_t hash_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}
#endif
