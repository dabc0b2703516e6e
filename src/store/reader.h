/* store/reader.h -- reads the results of a store row by row: axes, arm, seed,
 * status, figures; in the order of the axes, then of the study's arms.  At most
 * one row is in memory.
 *
 * The columns are those of the view `results`.  A row that is not as it was
 * written is left out, and counted.  [one thread]; no printing. */
#pragma once
#include "math/expression.h"
#include "store/damage.h"
#include "store/store.h"

enum reader_role {
	READER_POINT,
	READER_AXIS,
	READER_ARM,
	READER_SEED,
	READER_STATUS,
	READER_ERROR,
	READER_TEXT, /* warning, and the texts of the mode */
	READER_NUMBER,
};
struct reader_head {
	const char *name;
	enum reader_role role;
	struct store_column is; /* for READER_NUMBER */
};

struct reader;
/* where: an expression over columns, or NULL for all rows.  sort: a column,
 * ascending, or "-COLUMN"; rows without a value come last; NULL: as above.  The
 * store must outlive the reader.  Returns NULL with *p filled in (EXIT_USAGE:
 * an unknown column). */
struct reader *reader_open(struct store *s, const char *where, const char *sort,
			   struct problem *p);
void reader_close(struct reader *r);
/* Returns 1 with a row; 0 if there are no more, and the next call begins again;
 * or -1 with *p filled in. */
int reader_next(struct reader *r, struct problem *p);

/* From here on, reader_next() skips rows for which chosen[i] is 0; i counts the
 * rows that it would return otherwise.  NULL: it skips none.  The reader is at
 * its beginning, and chosen outlives it. */
void reader_choose(struct reader *r, const unsigned char *chosen);

/* Returns the damaged rows that were met since the first row; after the last,
 * all of them. */
const struct damage *reader_damage(const struct reader *r);

size_t reader_n_columns(const struct reader *r);
const struct reader_head *reader_head(const struct reader *r, size_t column);
/* Returns a cell of the row that reader_next() found, valid until the next row.
 * An empty cell has no text and NaN. */
const struct value *reader_cell(const struct reader *r, size_t column);
/* Returns the cell as text, in buf if it is a number; "" for an empty cell. */
const char *reader_text(const struct reader *r, size_t column, char buf[32]);
/* Returns the index of the column with that name.  For an axis also its key
 * alone, or "ARM.KEY", if no other column has that name.  Returns -1 with *p
 * filled in (EXIT_USAGE) if there is none. */
long reader_column(const struct reader *r, const char *name, struct problem *p);
