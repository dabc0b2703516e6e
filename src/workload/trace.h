/* workload/trace.h -- request traces of several formats as one kind of row, streaming.
 *
 * What a format is, its reader says: workload/format/NAME.c.  A trace is read as
 * often as needed, so it is a regular file.  Times are int64 ns and never go
 * through a double; all formats but `stepcost` count from their first row.
 * The reader's faults are "file:line: what" (EXIT_INPUT). */
#ifndef SC_WORKLOAD_TRACE_H
#define SC_WORKLOAD_TRACE_H
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"
#include "workload/distribution.h"

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
#endif
