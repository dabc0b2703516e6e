/* base/file/archive.h -- plain ustar archives (POSIX.1-2001, pax 10.1.1) of
 * regular files: written so that the same members give the same bytes (mode
 * 0644, times, owners 0), read with suspicion.
 *
 * A reader refuses links, devices, names that are absolute, empty, too long or
 * have a part "." or "..", names given twice, wrong checksums, and archives of
 * more than 4 GiB or 10,000 members.  [one thread] */
#pragma once
#include <stddef.h>
#include <stdio.h>
#include "base/problem.h"

enum { ARCHIVE_NAME = 257, ARCHIVE_MEMBERS = 10000 };

struct archive_member {
	char name[ARCHIVE_NAME];
	const char *bytes; /* in the archive; of a writer: the caller's */
	size_t n;
};
struct archive {
	struct archive_member *item; /* [n], ascending by name */
	size_t n, cap;
	void *map; /* of a reader */
	size_t map_bytes;
};

/* Adds a member; bytes must outlive the archive.  A member of that name with
 * the same bytes is kept once.  Returns 0, or -1 with *p filled in
 * (EXIT_USAGE): the name does not fit, or has other bytes already. */
int archive_add(struct archive *a, const char *name, const char *bytes,
		size_t n, struct problem *p);
/* Writes all members.  Errors stay in the FILE. */
void archive_write(struct archive *a, FILE *f);
/* Reads bytes that outlive the archive; origin names them in messages.  Returns
 * 0, or -1 with *p filled in (EXIT_INPUT).  The caller calls archive_free() in
 * either case. */
int archive_read(struct archive *a, const char *bytes, size_t n,
		 const char *origin, struct problem *p);
/* The same for a file. */
int archive_open(struct archive *a, const char *path, struct problem *p);
/* Returns NULL if there is no such member. */
const struct archive_member *archive_find(const struct archive *a,
					  const char *name);
/* Writes all members below a folder that exists.  Returns 0, or -1 with *p
 * filled in. */
int archive_extract(const struct archive *a, const char *folder,
		    struct problem *p);
void archive_free(struct archive *a);
