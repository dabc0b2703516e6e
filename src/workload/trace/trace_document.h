/* workload/trace/trace_document.h -- for formats with one document per file:
 * keeps its requests, which are collected when it is loaded. */
#pragma once
#include "workload/trace/trace_reader.h"

/* Keeps line, time and lengths of a row.  Returns NULL, or "out of memory". */
const char *trace_items_add(struct trace *t, const struct trace_row *row);
/* Returns the row with that index, which may be changed; NULL: there are
 * fewer. */
struct trace_row *trace_items_at(struct trace *t, uint64_t index);
uint64_t trace_items_count(struct trace *t);

/* Reads the whole file and ends it with NUL; the caller frees it.  Returns NULL
 * with *p filled in if that fails. */
char *trace_read_all(struct trace *t, FILE *f, size_t *n, struct problem *p);
/* Returns the line of `at`.  Counts from *from, which is in line *line, and
 * moves both along. */
uint64_t trace_line_of(const char **from, uint64_t *line, const char *at);

/* The file of a format with JSON values one after another. */
struct trace_values {
	struct trace *t;
	char *text; /* owned, ends with NUL */
	size_t n;
	const char *from; /* up to there the lines are counted */
	uint64_t line;    /* of `from`, from 1 on */
	const char *bad;  /* place of what is wrong; NULL: nothing so far */
};
/* Reads the file.  Returns 0, or -1 with *p filled in. */
int trace_values_begin(struct trace_values *x, struct trace *t, FILE *f,
		       struct problem *p);
/* Returns the line of a place that is not before the one of the last call. */
uint64_t trace_values_line(struct trace_values *x, const char *at);
/* Calls value() for each.  Returns NULL, or what is wrong: value() said so,
 * at x->bad if it set that. */
const char *trace_values_each(struct trace_values *x,
			      const char *(*value)(void *user,
						   struct json_cursor *j),
			      void *user);
/* Returns 0 if why is NULL, else -1 with "file:line: why" (EXIT_INPUT), the
 * line of x->bad. */
int trace_values_end(const struct trace_values *x, const char *why,
		     struct problem *p);

/* Loads a document that is an array: calls element() for each element with its
 * line; element() adds items, or returns what is wrong.  Returns 0, or -1 with
 * *p filled in. */
int trace_load_array(struct trace *t, FILE *f,
		     const char *(*element)(struct trace *t,
					    struct json_cursor *j,
					    uint64_t line),
		     struct problem *p);

/* Functions for struct trace_format. */
int trace_items_item(struct trace *t, uint64_t index, struct trace_row *row,
		     const char **why);
void trace_items_unload(struct trace *t);
