/* store/scan.h -- reads all rows of a store, and says of each whether it is as
 * it was written.  For the modules of this room.
 *
 * Its columns: the point, the axes, the other columns of `result`; then the key
 * and the digest.  A row without its point is damaged, and not left out.
 * [one thread] */
#pragma once
#include "store/cell_digest.h"
#include "store/store_private.h"

struct scan {
	struct store *store;
	sqlite3_stmt *rows;
	struct cell_digest names;
	int n;         /* columns before the key */
	int arm, seed; /* columns */
};
enum scan_found { SCAN_FAILED = -1, SCAN_END, SCAN_GOOD, SCAN_DAMAGED };

/* order: what follows ORDER BY, or NULL.  Returns 0, or -1 with *p filled in;
 * the caller calls scan_close() in either case. */
int scan_open(struct scan *x, struct store *s, const char *order,
	      struct problem *p);
/* Fills in *p for SCAN_FAILED.  After SCAN_END it begins again. */
enum scan_found scan_next(struct scan *x, struct problem *p);
/* Writes which row it is, for a message.  Returns buf. */
enum { SCAN_NAME = 400 };
const char *scan_name(const struct scan *x, char buf[SCAN_NAME]);
void scan_close(struct scan *x);
