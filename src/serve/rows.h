/* serve/rows.h -- the rows of requests in flight, by their number.  [one
 * thread]
 */
#pragma once
#include "serve/server.h"

/* Returns NULL for a row that is over, or not given yet. */
static inline struct row *row_of(const struct server *s, uint64_t row)
{
	return row < s->first_row || row >= s->next_row
		   ? NULL
		   : &s->row[row % s->cap_rows];
}
