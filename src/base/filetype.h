/* base/filetype.h -- what a file is instead of the text that it should be: an
 * archive, a git-LFS pointer, a web page.  Knows nothing of the rest of the
 * program. */
#ifndef SC_BASE_FILETYPE_H
#define SC_BASE_FILETYPE_H
#include <stddef.h>

/* head: the first n bytes of a file; 256 are enough.  "is a git-LFS pointer,
 * not the data: …", or NULL: nothing that is known. */
const char *filetype_not_text(const char *head, size_t n);
/* How many bytes of UTF-8 byte order mark it begins with: 3 or 0. */
size_t filetype_bom(const char *head, size_t n);
#endif
