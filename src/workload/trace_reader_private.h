/* workload/trace_reader_private.h -- a trace being read, for its parts: trace.c
 * opens and rewinds it, trace_csv.c and trace.c take rows from it,
 * trace_kept.c keeps them, trace_reader.c serves the formats.  Nobody else
 * includes this. */
#ifndef SC_WORKLOAD_TRACE_READER_PRIVATE_H
#define SC_WORKLOAD_TRACE_READER_PRIVATE_H
#include <csv.h>
#include "base/lines.h"
#include "workload/trace_reader.h"

struct trace {
	char *path;
	struct trace_options option;
	const struct trace_format *format;
	FILE *f;
	struct lines lines;
	/* Rows come from there instead of the file; NULL: from the file. */
	int (*next_kept)(struct trace *t, struct trace_row *row,
			 struct problem *p);
	const struct trace_kept *kept;
	uint64_t item; /* TRACE_DOCUMENT, kept: the next one's index          */
	uint64_t n_failed;
	uint64_t start; /* of the text: after a byte order mark              */
	int has_base, has_times;
	int64_t base_ns;
	void *state;
	/* CSV */
	struct csv_parser csv;
	int has_header;
	char *cells; /* of this row, each with its NUL                       */
	size_t cells_len, cells_cap;
	struct span *cell;
	uint32_t n_cells, cell_cap, n_columns;
	struct span
	    known[TRACE_MAX_COLUMNS]; /* the row, by the format's columns */
	int *column_of_cell;          /* -1: one that is not used      */
	int row_ended;
	uint64_t *block;
	uint32_t block_cap;
	const char *why;
	char said[400], remark[400];
};

/* The format's column, or key, of that name; -1: none. */
int trace_column_of(const struct trace_format *f, const char *name, size_t n);
/* t->why from errno; returns -1. */
int trace_read_fault(struct trace *t);
#endif
