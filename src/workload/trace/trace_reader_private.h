/* workload/trace/trace_reader_private.h -- the state of a trace, for its parts:
 * trace.c opens and rewinds it, trace_csv.c and trace.c read rows,
 * trace_cached.c keeps them, trace_reader.c serves the formats.  No other file
 * includes this. */
#pragma once
#include <csv.h>
#include "base/map64.h"
#include "base/lines.h"
#include "workload/trace/trace_reader.h"

struct trace {
	char *path;
	struct trace_options option;
	const struct trace_format *format;
	FILE *f;
	struct lines lines;
	/* Returns the next kept row; NULL: rows come from the file. */
	int (*next_cached)(struct trace *t, struct trace_row *row,
			   struct problem *p);
	const struct trace_cached *kept;
	uint64_t item; /* TRACE_DOCUMENT, kept: index of the next row */
	uint64_t n_failed;
	uint64_t start; /* of the text, behind a byte order mark */
	int has_base, has_times;
	int64_t base_ns;
	void *state;
	/* For CSV: */
	struct csv_parser csv;
	char separator;
	int has_header;
	char *cells; /* cells of this row, each ends with NUL */
	size_t cells_len, cells_cap;
	struct span *cell;
	uint32_t n_cells, cell_cap, n_columns;
	/* The row by the columns of the format. */
	struct span known[TRACE_MAX_COLUMNS];
	/* The cells that are used, and their columns. */
	struct {
		int column;
		uint32_t cell;
	} used[TRACE_MAX_COLUMNS];
	int n_used;
	int row_ended;
	uint64_t *block;
	uint32_t block_cap;
	struct mm_item *mm_item; /* of this row */
	uint32_t mm_item_cap;
	/* A record of a server (trace_record.h): when clients give up, by
	 * request id, and the end of its last whole line. */
	int is_record;
	struct map64 cancel_ns; /* id -> time */
	struct workload_reset *reset;
	size_t n_resets;
	uint64_t end;
	char *text; /* that was decoded last */
	uint32_t text_cap;
	const char *why;
	char said[900], remark[TRACE_REMARK];
};

/* Returns the format's column, or key, with that name, or -1. */
int trace_column_of(const struct trace_format *f, const char *name, size_t n);
/* Sets t->why from errno.  Returns -1. */
int trace_read_fault(struct trace *t);
