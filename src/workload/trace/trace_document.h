/* workload/trace/trace_document.h -- for formats with one document per file:
 * keeps its requests, which are collected when it is loaded. */
#ifndef SC_WORKLOAD_TRACE_DOCUMENT_H
#define SC_WORKLOAD_TRACE_DOCUMENT_H
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
/* Reports "file:line: why" (EXIT_INPUT), with the line of `at` in the text. */
int trace_fault_at(struct trace *t, const char *text, const char *at,
		   const char *why, struct problem *p);
/* Returns the line of `at`.  Counts from *from, which is in line *line, and
 * moves both along. */
uint64_t trace_line_of(const char **from, uint64_t *line, const char *at);

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
#endif
