/* digest.c -- Hashes texts that begin with the same characters. */
#include <config.h>
#include "sweep/digest.h"
#include <stdint.h>
#include <stdlib.h>

/* Returns how many steps from the beginning the texts share. */
static size_t steps_alike(const struct digest *d, const char *text, size_t size)
{
	size_t n = 0, least = d->size < size ? d->size : size;
	while (n < least && d->text[n] == text[n])
		n++;
	return n / DIGEST_STEP < d->n ? n / DIGEST_STEP : d->n;
}

void digest_of(struct digest *d, char *text, size_t size,
	       char hex[SHA256_DIGEST_STRING_LENGTH])
{
	const uint8_t *bytes = (const uint8_t *)text;
	size_t at = 0;
	SHA2_CTX c;
	SHA256Init(&c);
	d->n = steps_alike(d, text, size);
	if (d->n) {
		c = d->after[d->n - 1];
		at = d->n * DIGEST_STEP;
	}
	for (; size - at >= DIGEST_STEP && d->n < DIGEST_STEPS;
	     at += DIGEST_STEP) {
		SHA256Update(&c, bytes + at, DIGEST_STEP);
		d->after[d->n++] = c;
	}
	SHA256Update(&c, bytes + at, size - at);
	SHA256End(&c, hex);
	free(d->text);
	d->text = text;
	d->size = size;
}

void digest_free(struct digest *d)
{
	free(d->text);
	d->text = NULL;
	d->size = d->n = 0;
}
