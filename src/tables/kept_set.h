/* tables/kept_set.h -- a parsed copy of a set's tables in the user's cache
 * folder, which is mapped in place of reading the tables again: only the pages
 * of columns that a cost model looks at come into memory.
 *
 * A copy belongs to the files that it was made from, by their names and bytes,
 * and to this version of the program.  A copy of other bytes, of another
 * machine or version, of another user, or a damaged one is none: the set is
 * read from its files, and the copy is made again.  A small set has none.  A
 * copy is written whole or not at all, and not if it would take a tenth of the
 * room that the file system has. */
#ifndef SC_TABLES_KEPT_SET_H
#define SC_TABLES_KEPT_SET_H
#include <stdint.h>
#include "base/names.h"
#include "tables/table_set.h"

struct kept_place {
	char *path;
	uint64_t sum, bytes; /* of the files that it must be made from */
};

/* Finds the place of the copy of these files of PATH/SET.  part: a number of
 * this selection of the set's files; copies of several are kept.  Returns 0, or
 * -1 with nothing to free: no copy is kept of them. */
int kept_place_find(struct kept_place *k, const char *path, const char *set,
		    const struct names *file, uint32_t part);
void kept_place_free(struct kept_place *k);

/* Fills s->table, s->file from the copy; path: of the set, for messages.
 * Returns 0, or -1 with *s unchanged: there is none. */
int kept_set_read(struct table_set *s, const struct kept_place *k,
		  const char *path);
/* Makes the copy, if it can be made. */
void kept_set_write(const struct table_set *s, const struct kept_place *k);
#endif
