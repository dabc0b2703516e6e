/* workload/trace_reader.h -- a format of traces, and the calls that its reader
 * may use.  A format is one file, workload/format/NAME.c: a table of columns
 * or keys and a function for a row, named in format/list.inc.
 *
 * A reader fills a zeroed row; it returns NULL, or what is wrong. */
#ifndef SC_WORKLOAD_TRACE_READER_H
#define SC_WORKLOAD_TRACE_READER_H
#include <stdio.h>
#include "base/json_cursor.h"
#include "base/problem.h"
#include "workload/trace_row.h"

struct trace;

enum { TRACE_MAX_COLUMNS = 24 };
struct trace_column {
	const char *name;
	int required; /* TRACE_RESERVED: refused, with that word             */
};
enum { TRACE_RESERVED = -1 };
enum trace_shape {
	TRACE_CSV,        /* with a header: columns are found by name        */
	TRACE_JSON_LINES, /* one object a line                               */
	TRACE_DOCUMENT,   /* the reader reads the file itself                */
};
struct trace_format {
	const char *name;
	enum trace_shape shape;
	int has_times, absolute; /* absolute: time 0 is the run's start      */
	int failed_rows; /* 0 tokens mean a failed request, else are refused */
	int takes_lengths; /* the options' input and output                  */
	uint32_t block_tokens;
	/* The columns of TRACE_CSV, the keys of TRACE_JSON_LINES; ends with
	 * NULL, at most TRACE_MAX_COLUMNS. */
	const struct trace_column *column;
	int only_these; /* others are refused                                */
	/* TRACE_CSV: cell[i] is that of column[i], s = NULL if there is none.
	 */
	const char *(*row)(struct trace *t, const struct span *cell,
			   struct trace_row *row);
	/* TRACE_JSON_LINES: the value of column[i] is next. */
	const char *(*value)(struct trace *t, int i, struct json_cursor *j,
			     struct trace_row *row);
	/* TRACE_JSON_LINES, may be NULL: when all values are there; bit i of
	 * seen: column[i] was. */
	const char *(*check)(struct trace *t, unsigned seen,
			     struct trace_row *row);
	/* TRACE_DOCUMENT: a file that holds one of these texts near its
	 * beginning is of this format; ends with NULL, may be empty. */
	const char *mark[3];
	/* TRACE_DOCUMENT: load() once, then rows 0, 1, …: item() returns 1, 0
	 * at the end, -1 with *why; it sets row->line where it knows it. */
	int (*load)(struct trace *t, FILE *f, struct problem *p);
	int (*item)(struct trace *t, uint64_t index, struct trace_row *row,
		    const char **why);
	void (*unload)(struct trace *t); /* may be NULL: of trace_state()     */
};

/* printf into the trace's own message; returns it. */
const char *trace_say(struct trace *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* A note for trace_note(); the first one stays. */
void trace_remark(struct trace *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
const char *trace_path(const struct trace *t);
uint32_t trace_block_tokens(const struct trace *t); /* 0: no hash ids */
const struct trace_options *trace_options(const struct trace *t);
void **trace_state(struct trace *t); /* a place for the reader's own state  */
/* A cell or JSON number as a whole number >= 0, or a time in 10^power s -> ns
 * (power = 9: seconds, 6: ms, 3: us, 0: ns); `what` is for the message. */
const char *trace_whole(struct trace *t, struct span s, const char *what,
			int64_t *out);
const char *trace_time(struct trace *t, struct span s, const char *what,
		       int power, int64_t *out);
/* A list of whole numbers into the trace's block list, after those there. */
const char *trace_blocks(struct trace *t, struct json_cursor *j,
			 struct trace_row *row);
/* A text as a number that stands for it; never 0. */
uint64_t trace_text_id(const char *s, size_t n);
/* len(hash_ids) == ceil(input_tokens / block), or why not. */
const char *trace_check_blocks(struct trace *t, const struct trace_row *row);
/* A block id, after those there. */
const char *trace_add_block(struct trace *t, struct trace_row *row,
			    uint64_t id);
/* Text of that many characters, in tokens by chars_per_token. */
int64_t trace_text_tokens(struct trace *t, struct span text);
/* This file has arrival times, or not, whatever its format says. */
void trace_set_times(struct trace *t, int has_times);
/* TRACE_CSV: the file has column[i]. */
int trace_has_column(const struct trace *t, int i);
#endif
