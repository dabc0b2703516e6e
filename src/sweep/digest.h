/* sweep/digest.h -- SHA-256 of several texts in sequence.  If a text begins
 * like the last one, hashing starts where they differ.  A digest depends on its
 * text alone.  [one thread] */
#ifndef SC_SWEEP_DIGEST_H
#define SC_SWEEP_DIGEST_H
#include <stddef.h>
#include <sha2.h>

enum { DIGEST_STEP = 512, DIGEST_STEPS = 32 };
/* Zeroed: no text so far. */
struct digest {
	char *text; /* the last text */
	size_t size, n;
	/* [n] state after each DIGEST_STEP bytes of it */
	SHA2_CTX after[DIGEST_STEPS];
};
/* Writes the digest in hex.  Takes ownership of the text, which is from
 * malloc(). */
void digest_of(struct digest *d, char *text, size_t size,
	       char hex[SHA256_DIGEST_STRING_LENGTH]);
void digest_free(struct digest *d);
#endif
