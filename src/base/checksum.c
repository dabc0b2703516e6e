/* checksum.c -- Computes a checksum word by word. */
#include "base/checksum.h"
#include <string.h>
#include "base/hash.h"

static uint64_t add_word(uint64_t sum, const unsigned char *at)
{
	uint64_t word;
	memcpy(&word, at, sizeof word);
	return hash_mix(sum ^ word) + UINT64_C(0x9e3779b97f4a7c15);
}

void checksum_add(struct checksum *c, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;
	size_t have = c->n % 8, take = 8 - have < n ? 8 - have : n;
	c->n += n;
	if (have) {
		memcpy(c->rest + have, at, take);
		at += take;
		n -= take;
		if (have + take < 8)
			return;
		c->sum = add_word(c->sum, c->rest);
	}
	for (; n >= 8; n -= 8, at += 8)
		c->sum = add_word(c->sum, at);
	memcpy(c->rest, at, n);
}

uint64_t checksum_value(const struct checksum *c)
{
	unsigned char last[8] = {0};
	memcpy(last, c->rest, c->n % 8);
	return add_word(c->sum ^ c->n, last);
}
