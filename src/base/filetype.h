/* base/filetype.h -- recognises a file that is not the text it should be: an
 * archive, a git-LFS pointer, a web page.  Knows nothing of the rest of the
 * program. */
#ifndef SC_BASE_FILETYPE_H
#define SC_BASE_FILETYPE_H
#include <stddef.h>

/* head: the first n bytes of a file; 256 are enough.  Returns "is a git-LFS
 * pointer, not the data: …" or similar, or NULL if it recognises nothing. */
const char *filetype_not_text(const char *head, size_t n);
/* Returns the length of the UTF-8 byte order mark at the start: 3 or 0. */
size_t filetype_bom(const char *head, size_t n);
#endif
