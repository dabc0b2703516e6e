/* The digest of a text is its own, whatever texts came before. */
#include "sweep/digest.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "math/rng.h"
#include "tap.h"

enum { LONGEST = 40000 };

/* Digests a copy, and compares with the hash of all bytes at once. */
static int is_right(struct digest *d, const char *text, size_t size)
{
	char got[SHA256_DIGEST_STRING_LENGTH];
	char want[SHA256_DIGEST_STRING_LENGTH];
	char *copy = malloc(size + 1);
	if (!copy)
		return 0;
	memcpy(copy, text, size);
	digest_of(d, copy, size, got);
	SHA256Data((const uint8_t *)text, size, want);
	return strcmp(got, want) == 0;
}

static uint64_t below(struct rng *r, uint64_t n)
{
	return rng_next(r) % n;
}

/* One letter is another one from now on, or the text ends elsewhere. */
static size_t change(char *text, size_t size, struct rng *r)
{
	if (below(r, 3) == 0)
		return (size_t)below(r, LONGEST + 1);
	if (size)
		text[below(r, size)] ^= 1;
	return size;
}

static void after_one_another(uint64_t seed)
{
	struct rng r = rng_stream(seed, 0, 0);
	struct digest d = {0};
	char text[LONGEST];
	size_t size = 0, wrong = 0;
	for (size_t i = 0; i < LONGEST; i++)
		text[i] = (char)('a' + below(&r, 26));
	for (int i = 0; i < 300; i++) {
		size = change(text, size, &r);
		wrong += !is_right(&d, text, size);
	}
	ok(wrong == 0, "300 texts, each a little different from the last");
	digest_free(&d);
}

int main(void)
{
	struct digest d = {0};
	char text[4 * DIGEST_STEP];
	memset(text, 'x', sizeof text);
	ok(is_right(&d, text, 0), "an empty text");
	ok(is_right(&d, text, sizeof text), "a text of whole steps");
	ok(is_right(&d, text, sizeof text), "the same again");
	ok(d.n == 4, "of which all steps are known");
	text[DIGEST_STEP] = 'y';
	ok(is_right(&d, text, sizeof text), "another letter behind a step");
	ok(is_right(&d, text, DIGEST_STEP), "its first step alone");
	ok(is_right(&d, text, DIGEST_STEP - 1), "one letter less");
	text[0] = 'y';
	ok(is_right(&d, text, sizeof text), "another first letter");
	digest_free(&d);
	for (uint64_t seed = 1; seed <= 5; seed++)
		after_one_another(seed);
	return done();
}
