/* store/reader.h -- the results of a store, row after row: axes, arm, seed,
 * status, figures; in the order of the axes, then of the study's arms.  No more
 * than one row is in memory.
 *
 * Columns are those of the view `results`.  [one thread]; no printing. */
#ifndef SC_STORE_READER_H
#define SC_STORE_READER_H
#include "math/expression.h"
#include "store/store.h"

enum reader_role {
	READER_POINT,
	READER_AXIS,
	READER_ARM,
	READER_SEED,
	READER_STATUS,
	READER_ERROR,
	READER_TEXT, /* warning, and the texts of the mode                   */
	READER_NUMBER,
};
struct reader_head {
	const char *name;
	enum reader_role role;
	struct store_column is; /* of READER_NUMBER                          */
};

struct reader;
/* where: an expression over columns, or NULL: all rows.  sort: a column,
 * ascending, or "-COLUMN"; rows with nothing there come last; NULL: as above.
 * The store outlives the reader.  NULL with *p (EXIT_USAGE: a column that there
 * is not). */
struct reader *reader_open(struct store *s, const char *where, const char *sort,
			   struct problem *p);
void reader_close(struct reader *r);
/* 1: a row; 0: there are no more, and the next call begins again; -1: *p. */
int reader_next(struct reader *r, struct problem *p);

size_t reader_n_columns(const struct reader *r);
const struct reader_head *reader_head(const struct reader *r, size_t column);
/* Of the row that reader_next() found, until the next one.  Nothing is there:
 * no text, NaN. */
const struct value *reader_cell(const struct reader *r, size_t column);
/* The cell as text, in buf where it is a number; "": nothing is there. */
const char *reader_text(const struct reader *r, size_t column, char buf[32]);
/* The column of that name; of an axis also its key alone, or "ARM.KEY", where
 * no other column is called so.  -1 with *p (EXIT_USAGE). */
long reader_column(const struct reader *r, const char *name, struct problem *p);
#endif
