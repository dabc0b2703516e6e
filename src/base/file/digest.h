/* base/file/digest.h -- SHA-256 of files and folders, in hex.  [any thread] */
#pragma once
#include <stddef.h>
#include "base/names.h"

enum { DIGEST = 65 }; /* hex digits and a NUL */

/* Both return `hex`, or NULL if a file cannot be read or memory is out. */
const char *digest_file(const char *path, char hex[DIGEST]);
/* SHA-256 over the lines "HEX  PATH" of all regular files below the folder,
 * PATH relative to it, in byte order:
 *	find -L . -type f -printf '%P\n' | LC_ALL=C sort |
 *		xargs -d '\n' sha256sum | sha256sum
 * A link counts as the file or folder that it leads to, because readers follow
 * it; one that leads nowhere or back to a folder above it does not count. */
const char *digest_folder(const char *folder, char hex[DIGEST]);
/* The same of these files of a folder, which are sorted. */
const char *digest_names(const char *folder, const struct names *files,
			 char hex[DIGEST]);
void digest_bytes(const void *bytes, size_t n, char hex[DIGEST]);
/* Adds the regular files below a folder, relative to it, in byte order.
 * Returns 0, or -1 with errno. */
int digest_list(struct names *files, const char *folder);
