/* cmd/sweep/sweep_rows.h -- shared by the commands that read the store of a
 * sweep. */
#pragma once
#include "base/cmdline.h"
#include "store/reader.h"

/* The work of a command on the rows; r is at its beginning.  Returns 0, or -1
 * with *p filled in. */
typedef int sweep_use(const struct cmdline *c, struct store *s,
		      struct reader *r, struct problem *p);
/* Opens the store c->arg[0] and its rows (as reader_open()), and calls `use`.
 * Returns the exit code. */
int sweep_read(const struct cmdline *c, const char *where, const char *sort,
	       sweep_use *use);
/* Notes how many rows were made before rows knew what they read, and what
 * happens `then`.  Returns 0, or -1 with *p filled in. */
int sweep_note_former(const struct cmdline *c, struct store *s,
		      const char *then, struct problem *p);
/* Returns 1 if points and arms have rows of several seeds, and the seed changes
 * none of their figures; 0 otherwise; -1 with *p filled in.  r: the rows of a
 * point and arm follow each other; some stay unread. */
int sweep_find_equal_seeds(struct reader *r, struct problem *p);
/* Writes rows to --output; chosen: as in reader_choose().  Returns
 * 0, or -1 with *p filled in. */
int sweep_write_rows(const struct cmdline *c, struct store *s, struct reader *r,
		     const unsigned char *chosen, struct problem *p);
