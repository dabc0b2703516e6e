/* workload/trace_document.h -- for formats that are one document: its requests,
 * collected at load time. */
#ifndef SC_WORKLOAD_TRACE_DOCUMENT_H
#define SC_WORKLOAD_TRACE_DOCUMENT_H
#include "workload/trace_reader.h"

/* What is kept of a row: line, time, lengths.  NULL, or "out of memory". */
const char *trace_items_add(struct trace *t, const struct trace_row *row);
/* The row of that index, to be changed; NULL: there are fewer. */
struct trace_row *trace_items_at(struct trace *t, uint64_t index);
uint64_t trace_items_count(struct trace *t);

/* The whole file in memory, ended by NUL; free it.  NULL: *p. */
char *trace_read_all(struct trace *t, FILE *f, size_t *n, struct problem *p);
/* "file:line: why" (EXIT_INPUT), the line of `at` in the text. */
int trace_fault_at(struct trace *t, const char *text, const char *at,
		   const char *why, struct problem *p);
/* The line of `at`; counts from *from, line *line, which go along. */
uint64_t trace_line_of(const char **from, uint64_t *line, const char *at);

/* A document that is an array: one call an element, with its line; it adds
 * items or returns what is wrong.  0, or -1 with *p. */
int trace_load_array(struct trace *t, FILE *f,
		     const char *(*element)(struct trace *t,
					    struct json_cursor *j,
					    uint64_t line),
		     struct problem *p);

/* For struct trace_format. */
int trace_items_item(struct trace *t, uint64_t index, struct trace_row *row,
		     const char **why);
void trace_items_unload(struct trace *t);
#endif
