/* trace.c -- The first line is a format ("+": with short blocks, and in the
 * order of the file) or a value of `columns`, the others a trace of it, and,
 * before a line "==", a file beside it; may be refused, must not crash, and all
 * values are within their limits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "traced.h"
#include "workload/trace/trace_formats.h"

static const char *format_of(const char *name, size_t size)
{
	for (int i = 0; trace_format[i]; i++)
		if (strlen(trace_format[i]->name) == size &&
		    memcmp(trace_format[i]->name, name, size) == 0)
			return trace_format[i]->name;
	return "auto";
}

/* A value of `columns` that is accepted reads back as the same value. */
static void read_columns(const char *line, size_t size, struct trace_options *o)
{
	char text[400], buf[TRACE_COLUMNS_TEXT];
	struct trace_columns again;
	struct problem p;
	snprintf(text, sizeof text, "%.*s", (int)(size < 399 ? size : 399),
		 line);
	if (trace_columns_parse(&o->columns, text, "fuzz", &p) < 0) {
		o->columns = (struct trace_columns){0};
		return;
	}
	o->format = trace_columns.name;
	trace_columns_write(&o->columns, buf);
	if (trace_columns_parse(&again, buf, "fuzz", &p) < 0 ||
	    memcmp(again.name, o->columns.name, sizeof again.name) != 0)
		abort();
}

static void read_alone(const uint8_t *data, size_t size,
		       const struct trace_options *o)
{
	struct problem p;
	struct trace *t = trace_open(fuzz_file(data, size), o, &p);
	if (t)
		traced(t, !o->block_tokens);
}

static void read_in_folder(const uint8_t *data, size_t size,
			   const struct trace_options *o)
{
	char path[300];
	struct problem p;
	size_t from, beside = fuzz_split(data, size, &from);
	fuzz_put("1_sys_prompt.jsonl", data, beside);
	fuzz_put("trace", data + from, size - from);
	snprintf(path, sizeof path, "%s/trace", fuzz_folder());
	struct trace *t = trace_open(path, o, &p);
	if (t)
		traced(t, !o->block_tokens);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct distribution length = {.a = 5, .min = 1, .max = 9};
	struct trace_options o = {
	    .chars_per_token = 4, .input = &length, .output = &length};
	const uint8_t *line = memchr(data, '\n', size);
	size_t name = line ? (size_t)(line - data) : 0;
	if (!line)
		return 0;
	o.format = format_of((const char *)data + (data[0] == '+'),
			     name - (data[0] == '+'));
	if (!strcmp(o.format, "auto"))
		read_columns((const char *)data, name, &o);
	if (data[0] == '+')
		o.block_tokens = 2;
	data += name + 1;
	size -= name + 1;
	if (fuzz_split(data, size, &name))
		read_in_folder(data, size, &o);
	else
		read_alone(data, size, &o);
	return 0;
}
