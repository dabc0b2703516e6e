/* workload/trace/trace_reader.h -- a format of traces, and the functions for
 * its reader.  A format is one file, workload/format/NAME.c: a table of columns
 * or keys and a function for a row.  format/list.inc names it.
 *
 * A reader fills in a zeroed row; it returns NULL, or what is wrong. */
#pragma once
#include <stdio.h>
#include "base/json/json_cursor.h"
#include "base/problem.h"
#include "workload/trace/trace_row.h"

struct trace;

enum { TRACE_MAX_COLUMNS = 24, TRACE_REMARK = 700 };
struct trace_column {
	const char *name;
	int required; /* TRACE_RESERVED: such a column is refused */
};
enum { TRACE_RESERVED = -1 };
enum trace_shape {
	TRACE_CSV,        /* with a header; columns are found by name */
	TRACE_JSON_LINES, /* one object per line */
	TRACE_DOCUMENT,   /* the reader reads the file itself */
};
struct trace_format {
	const char *name;
	enum trace_shape shape;
	int has_times, absolute; /* absolute: time 0 is the run's start */
	/* 1: 0 tokens mean a failed request; 0: they are refused */
	int failed_rows;
	int takes_lengths; /* uses input and output of the options */
	int has_trees;     /* rows may be after others */
	uint32_t block_tokens;
	/* Columns of TRACE_CSV, keys of TRACE_JSON_LINES; ends with NULL, at
	 * most TRACE_MAX_COLUMNS. */
	const struct trace_column *column;
	int only_these; /* 1: other columns are refused */
	/* 1: the columns of the file are those that the options give */
	int takes_columns;
	/* TRACE_CSV, may be NULL: receives the first rows when the trace is
	 * opened, before row() receives them. */
	const char *(*sample)(struct trace *t, const struct span *cell);
	/* TRACE_CSV: reads a row.  cell[i] belongs to column[i]; its s is NULL
	 * if the file does not have the column. */
	const char *(*row)(struct trace *t, const struct span *cell,
			   struct trace_row *row);
	/* TRACE_JSON_LINES: reads the value of column[i], which is next. */
	const char *(*value)(struct trace *t, int i, struct json_cursor *j,
			     struct trace_row *row);
	/* TRACE_JSON_LINES, may be NULL: called when all values are read; bit i
	 * of seen: column[i] was there. */
	const char *(*check)(struct trace *t, unsigned seen,
			     struct trace_row *row);
	/* TRACE_JSON_LINES, may be NULL: for records that a server wrote.
	 * Returns 1 if a line with these keys is an event and not a request. */
	int (*is_note)(unsigned seen);
	/* TRACE_DOCUMENT: a file with one of these texts near its beginning has
	 * this format; ends with NULL, may be empty. */
	const char *mark[7];
	/* TRACE_DOCUMENT: load() is called once, then item() for rows 0, 1, …
	 * item() returns 1, 0 at the end, or -1 with *why; it sets row->line if
	 * it knows it. */
	int (*load)(struct trace *t, FILE *f, struct problem *p);
	int (*item)(struct trace *t, uint64_t index, struct trace_row *row,
		    const char **why);
	/* May be NULL: returns the note on the rows read so far, instead of
	 * that of trace_remark(); state: the reader's own. */
	const char *(*note)(const struct trace *t, void *state);
	void (*unload)(struct trace *t); /* may be NULL; frees trace_state() */
};

/* Formats into the trace's own message and returns it. */
const char *trace_say(struct trace *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Sets a note for trace_note(); the first one stays. */
void trace_remark(struct trace *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
const char *trace_path(const struct trace *t);
uint32_t trace_block_tokens(const struct trace *t); /* 0: no hash ids */
const struct trace_options *trace_options(const struct trace *t);
void **trace_state(struct trace *t); /* where the reader keeps its own state */
/* Reads a cell or a JSON number as a whole number >= 0, or as a time in
 * 10^power ns (power 9: seconds, 6: ms, 3: us, 0: ns); `what` is for the
 * message. */
const char *trace_whole(struct trace *t, struct span s, const char *what,
			int64_t *out);
/* Reads a whole number that may be negative, as vLLM's priority is. */
const char *trace_priority(struct trace *t, struct span s, int32_t *out);
const char *trace_time(struct trace *t, struct span s, const char *what,
		       int power, int64_t *out);
/* Appends a list of whole numbers to the trace's list of blocks. */
const char *trace_blocks(struct trace *t, struct json_cursor *j,
			 struct trace_row *row);
/* As jc_string(), but decoded; valid until the next call.  Returns 0 with
 * j->why. */
int trace_json_text(struct trace *t, struct json_cursor *j, struct span *text);
/* Returns a number that identifies a text; never 0. */
uint64_t trace_text_id(const char *s, size_t n);
/* Adds the items of "offset:length:name;…", in order; and checks that they are
 * within the prompt.  Return NULL, or the error. */
const char *trace_items(struct trace *t, struct span cell,
			struct trace_row *row);
const char *trace_check_items(struct trace *t, const struct trace_row *row);
/* Checks that len(hash_ids) == ceil(input_tokens / block); returns NULL, or the
 * error. */
const char *trace_check_blocks(struct trace *t, const struct trace_row *row);
/* Appends the id of a block. */
const char *trace_add_block(struct trace *t, struct trace_row *row,
			    uint64_t id);
/* Sets when the client of a row gives up, in the time of the trace; the row has
 * its own time already. */
const char *trace_cancel(struct trace *t, struct trace_row *row,
			 int64_t cancel_ns);
/* Sets max_tokens and stop_tokens; 0: not given.  The row has its tokens. */
const char *trace_ends(struct trace *t, struct trace_row *row,
		       int64_t max_tokens, int64_t stop_tokens);
/* Returns the tokens of a text, estimated from its characters by
 * chars_per_token. */
int64_t trace_text_tokens(struct trace *t, struct span text);
/* Reads a value: a whole number, or the text of a prompt.  The tokens of a text
 * count if the row has none yet. */
const char *trace_json_whole(struct trace *t, struct json_cursor *j,
			     const char *what, int64_t *out);
const char *trace_json_prompt(struct trace *t, struct json_cursor *j,
			      struct trace_row *row);
/* Says whether this file has arrival times, whatever its format says. */
void trace_set_times(struct trace *t, int has_times);
/* TRACE_CSV: returns 1 if the file has column[i]. */
int trace_has_column(const struct trace *t, int i);
/* TRACE_CSV: returns the separator of the cells. */
char trace_separator(const struct trace *t);
/* Sets the unit of the time in the options' columns. */
void trace_set_unit(struct trace *t, enum trace_unit unit);
