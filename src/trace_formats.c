/* trace_formats.c -- the formats there are, and how a file's own is told. */
#include <config.h>
#include <string.h>
#include "trace.h"
#include "trace_formats.h"

const struct trace_format *const trace_format[] = {
    &trace_stepcost, &trace_azure, &trace_mooncake, NULL};

static int has(const struct trace_column *column, const char *s, size_t n)
{
	for (int i = 0; column[i].name; i++)
		if (span_is((struct span){s, n}, column[i].name))
			return i;
	return -1;
}

static unsigned required(const struct trace_column *column)
{
	unsigned mask = 0;
	for (int i = 0; column[i].name; i++)
		mask |= column[i].required ? 1u << i : 0;
	return mask;
}

static struct span next_cell(const char **s, const char *end)
{
	const char *from = *s, *comma = memchr(from, ',', (size_t)(end - from));
	const char *to = comma ? comma : end;
	*s = comma ? comma + 1 : end + 1;
	while (from < to && (*from == ' ' || *from == '"'))
		from++;
	while (to > from && strchr(" \"\r", to[-1]) && to[-1])
		to--;
	return (struct span){from, (size_t)(to - from)};
}

/* The format that has all its required columns in the line. */
static const struct trace_format *by_header(const char *line, const char *end)
{
	for (int f = 0; trace_format[f]; f++) {
		unsigned left;
		if (trace_format[f]->shape != TRACE_CSV)
			continue;
		left = required(trace_format[f]->column);
		for (const char *s = line; s <= end;) {
			struct span cell = next_cell(&s, end);
			int i = has(trace_format[f]->column, cell.s, cell.n);
			if (i >= 0)
				left &= ~(1u << i);
		}
		if (!left)
			return trace_format[f];
	}
	return NULL;
}

static const struct trace_format *by_keys(const char *line, const char *end)
{
	for (int f = 0; trace_format[f]; f++) {
		struct jsonline j;
		struct span key;
		unsigned left;
		if (trace_format[f]->shape != TRACE_JSON_LINES)
			continue;
		left = required(trace_format[f]->column);
		jl_begin(&j, line, (size_t)(end - line));
		jl_enter(&j, '{');
		while (jl_key(&j, &key)) {
			int i = has(trace_format[f]->column, key.s, key.n);
			if (i >= 0)
				left &= ~(1u << i);
			jl_skip(&j);
		}
		if (!left)
			return trace_format[f];
	}
	return NULL;
}

const struct trace_format *trace_detect(const char *head, size_t n, int whole,
					const char **why)
{
	const struct trace_format *f;
	const char *end, *stop = head + n;
	(void)whole;
	while (head < stop && strchr(" \t\r\n", *head) && *head)
		head++;
	end = memchr(head, '\n', (size_t)(stop - head));
	if (!end)
		end = stop;
	f = head < stop && *head == '{' ? by_keys(head, end)
					: by_header(head, end);
	if (!f)
		*why = "of no known format: say format = …";
	return f;
}
