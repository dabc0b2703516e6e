/* report/identity.h -- the identity of a result: the program, and the SHA-256
 * of everything that the result rests on, from the list of inputs
 * (base/file/inputs.h).  doc/identity.md describes the members.  [main] */
#pragma once
#include <stddef.h>
#include <stdio.h>

/* Writes a JSON document with the member `identity` as its last; a text
 * that is no object stays as it is.  For outfile_through().  Returns 0, or -1
 * with errno. */
int identity_finish(FILE *to, const char *text, size_t n);
/* Returns the member alone, without digests of results; the caller frees it.
 * NULL: memory is out. */
char *identity_text(void);
/* Writes the same facts at the end of a page, folded. */
void identity_foot(FILE *f);
