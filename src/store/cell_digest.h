/* store/cell_digest.h -- the digest of a row: the SHA-256 of the names of its
 * columns and of its cells, by type and value.  It is the same for a row that
 * is about to be written and for the row that SQLite reads, on every machine.
 * [any thread] */
#pragma once
#include <sha2.h>
#include <sqlite3.h>
#include <stdint.h>
#include <sys/types.h>

enum { CELL_DIGEST = 33 }; /* bytes: the first 32 hex digits, and a NUL */

/* Plain data: a copy goes on from the same cells, so that the names are hashed
 * once for all rows. */
struct cell_digest {
	SHA2_CTX sha;
};
void cell_digest_begin(struct cell_digest *d);
/* A NULL text is an empty cell. */
void cell_digest_text(struct cell_digest *d, const char *text);
void cell_digest_whole(struct cell_digest *d, int64_t v);
/* NaN and infinity are empty cells, and -0 is 0, as SQLite stores them. */
void cell_digest_number(struct cell_digest *d, double v);
/* Adds a cell of the current row of a statement. */
void cell_digest_cell(struct cell_digest *d, sqlite3_stmt *st, int column);
void cell_digest_end(struct cell_digest *d, char hex[CELL_DIGEST]);
