/* trace.h -- request traces of several formats as one kind of row, streaming.
 *
 * What a format is, its reader says: src/trace_NAME.c.  A trace is read as
 * often as needed, so it is a regular file.  Times are int64 ns and never go
 * through a double; all formats but `stepcost` count from their first row.
 * The reader's faults are "file:line: what" (EXIT_INPUT). */
#ifndef SC_SRC_TRACE_H
#define SC_SRC_TRACE_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "workload/distribution.h"
#include "base/json_cursor.h"
#include "base/problem.h"

enum { TRACE_MAX_TOKENS = INT32_MAX }; /* of a request, input + output       */

/* Pointers live until the next row. */
struct trace_row {
	uint64_t line;   /* where it stands in the file                      */
	uint64_t offset; /* for trace_seek()                                 */
	int64_t time_ns;
	int64_t input_tokens, output_tokens; /* both >= 1                    */
	const char *name;       /* the request's, or NULL                  */
	uint64_t session;       /* 0: none                                 */
	uint32_t turn;          /* counted as the file does                */
	uint32_t prefix_tokens; /* how many are the group's                */
	uint64_t prefix_group;  /* 0: none                                 */
	int64_t priority, slo_class;
	const uint64_t *block; /* hash ids of the prompt's blocks           */
	uint32_t n_blocks;     /* 0: not told                                */
	const uint32_t *block_tokens; /* of each; NULL: the format's, the last
					 what is left                        */
	int64_t own[2]; /* the reader's, between its calls for a row         */
	int grows; /* the session's prompts and answers are a prefix of it   */
};

struct trace_options {
	const char *format;     /* a name, or "auto"                       */
	uint32_t block_tokens;  /* of a hash id; 0: the format's            */
	int failed_is_error;    /* else failed rows are dropped, counted   */
	double chars_per_token; /* where a file holds text                 */
	/* For formats that are themselves random. */
	uint64_t seed;
	const struct distribution *input, *output; /* NULL: none given       */
};

struct trace;
/* A file of unknown format is told from its header or its first lines; where
 * they leave a doubt, it is refused.  NULL: *p (EXIT_USAGE: no such file). */
struct trace *trace_open(const char *path, const struct trace_options *o,
			 struct problem *p);
/* 1: a row; 0: the end; -1: *p. */
int trace_next(struct trace *t, struct trace_row *row, struct problem *p);
/* The next row will be the one that stood at that offset and line. */
int trace_seek(struct trace *t, uint64_t offset, uint64_t line,
	       struct problem *p);
int trace_rewind(struct trace *t, struct problem *p);

const char *trace_format_name(const struct trace *t);
const char *trace_path(const struct trace *t);
/* "file:line: no requests", after reading; returns -1. */
int trace_no_requests(const struct trace *t, struct problem *p);
int trace_has_times(const struct trace *t);
int trace_takes_lengths(const struct trace *t); /* of [workload]           */
int trace_is_absolute(const struct trace *t);   /* time 0: the run's start  */
uint32_t trace_block_tokens(const struct trace *t); /* 0: no hash ids       */
uint64_t trace_failed(const struct trace *t); /* dropped since the rewind   */
/* What the reader assumed that its user should know, or NULL. */
const char *trace_note(const struct trace *t);
void trace_free(struct trace *t);

/* ---- for the readers ------------------------------------------------------
 * A reader fills a zeroed row; it returns NULL, or what is wrong. */

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
	const char *(*value)(struct trace *t, int i, struct jsonline *j,
			     struct trace_row *row);
	/* TRACE_JSON_LINES, may be NULL: when all values are there; bit i of
	 * seen: column[i] was. */
	const char *(*check)(struct trace *t, unsigned seen,
			     struct trace_row *row);
	/* TRACE_DOCUMENT: load() once, then rows 0, 1, …: item() returns 1, 0
	 * at the end, -1 with *why; it sets row->line where it knows it. */
	int (*load)(struct trace *t, FILE *f, struct problem *p);
	int (*item)(struct trace *t, uint64_t index, struct trace_row *row,
		    const char **why);
	void (*unload)(struct trace *t); /* may be NULL: of trace_state()     */
};

/* All formats, ends with NULL.  Several may share a name, if their shapes or
 * keys tell them apart. */
extern const struct trace_format *const trace_format[];
/* The format of a file by its first n bytes, among all (name "auto") or those
 * of that name; NULL: *why says why it is in doubt. */
const struct trace_format *trace_detect(const char *name, const char *head,
					size_t n, const char **why);

/* printf into the trace's own message; returns it. */
const char *trace_say(struct trace *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* A note for trace_note(); the first one stays. */
void trace_remark(struct trace *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
const struct trace_options *trace_options(const struct trace *t);
void **trace_state(struct trace *t); /* a place for the reader's own state  */
/* A cell or JSON number as a whole number >= 0, or a time in 10^power s -> ns
 * (power = 9: seconds, 6: ms, 3: us, 0: ns); `what` is for the message. */
const char *trace_whole(struct trace *t, struct span s, const char *what,
			int64_t *out);
const char *trace_time(struct trace *t, struct span s, const char *what,
		       int power, int64_t *out);
/* A list of whole numbers into the trace's block list, after those there. */
const char *trace_blocks(struct trace *t, struct jsonline *j,
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
