/* sweep/digest.h -- SHA-256 of one text after another.  A text that begins as
 * the last one did is hashed from where they part.  A digest depends on its
 * text alone.  [one thread] */
#ifndef SC_SWEEP_DIGEST_H
#define SC_SWEEP_DIGEST_H
#include <stddef.h>
#include <sha2.h>

enum { DIGEST_STEP = 512, DIGEST_STEPS = 32 };
/* Zeroed: nothing came yet. */
struct digest {
	char *text; /* the last one */
	size_t size, n;
	SHA2_CTX after[DIGEST_STEPS]; /* [n] each DIGEST_STEP bytes of it */
};
/* As hex digits; takes over the text, from malloc(). */
void digest_of(struct digest *d, char *text, size_t size,
	       char hex[SHA256_DIGEST_STRING_LENGTH]);
void digest_free(struct digest *d);
#endif
