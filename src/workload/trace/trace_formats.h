/* workload/trace/trace_formats.h -- the readers, one file each: format/NAME.c.
 * To add one, write it and name it in format/list.inc. */
#pragma once
#include "workload/trace/trace_reader.h"

#define FORMAT(name, reader) extern const struct trace_format trace_##reader;
#define VARIANT(reader) extern const struct trace_format trace_##reader;
#include "workload/format/list.inc"
#undef FORMAT
#undef VARIANT

/* All readers; ends with NULL. */
extern const struct trace_format *const trace_format[];
/* "auto" and the names of all formats, each once, as the choices of a key; ends
 * with NULL. */
extern const char *const trace_format_names[];
/* Detects the format of a file from its first n bytes, among all formats (name
 * "auto") or those with that name.  Returns NULL with the doubt in *why if it
 * cannot decide. */
const struct trace_format *trace_detect(const char *name, const char *head,
					size_t n, const char **why);
/* Returns the separator that the first line has most of, outside of quotes:
 * ',', ';' or a tab. */
char trace_separator_of(const char *head, size_t n);
