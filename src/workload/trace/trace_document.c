/* trace_document.c -- Keeps the requests of formats with one document per
 * file. */
#include "workload/trace/trace_document.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/infile.h"
#include "base/grow.h"

struct items {
	struct trace_row *row;
	uint64_t n, cap;
};

static struct items *items(struct trace *t)
{
	void **state = trace_state(t);
	if (!*state)
		*state = calloc(1, sizeof(struct items));
	return *state;
}

const char *trace_items_add(struct trace *t, const struct trace_row *row)
{
	struct items *x = items(t);
	if (!x)
		return out_of_memory;
	if (!MAKE_ROOM(x->row, x->n, x->cap))
		return out_of_memory;
	x->row[x->n++] = *row;
	return NULL;
}

uint64_t trace_items_count(struct trace *t)
{
	struct items *x = items(t);
	return x ? x->n : 0;
}

struct trace_row *trace_items_at(struct trace *t, uint64_t index)
{
	return index < trace_items_count(t) ? &items(t)->row[index] : NULL;
}

char *trace_read_all(struct trace *t, FILE *f, size_t *n, struct problem *p)
{
	char *text = infile_rest(f, n);
	if (!text)
		problem_set(p, EXIT_USAGE, "%s: %s", trace_path(t),
			    strerror(errno));
	return text;
}

uint64_t trace_line_of(const char **from, uint64_t *line, const char *at)
{
	for (; *from < at; ++*from)
		*line += **from == '\n';
	return *line;
}

int trace_values_begin(struct trace_values *x, struct trace *t, FILE *f,
		       struct problem *p)
{
	*x = (struct trace_values){.t = t, .line = 1};
	x->text = trace_read_all(t, f, &x->n, p);
	x->from = x->text;
	return x->text ? 0 : -1;
}

uint64_t trace_values_line(struct trace_values *x, const char *at)
{
	return trace_line_of(&x->from, &x->line, at);
}

const char *trace_values_each(struct trace_values *x,
			      const char *(*value)(void *user,
						   struct json_cursor *j),
			      void *user)
{
	const char *at = x->text, *end = x->text + x->n;
	for (;;) {
		struct json_cursor j;
		jc_begin(&j, at, (size_t)(end - at));
		if (!jc_peek(&j) && j.s == end)
			return NULL;
		const char *why = value(user, &j);
		if (why && !x->bad)
			x->bad = j.why ? j.at : j.s;
		if (why)
			return why;
		at = j.s;
	}
}

int trace_values_end(const struct trace_values *x, const char *why,
		     struct problem *p)
{
	const char *from = x->text;
	uint64_t line = 1;
	if (!why)
		return 0;
	return problem_at(
	    p, trace_path(x->t),
	    trace_line_of(&from, &line, x->bad ? x->bad : x->text), why);
}

int trace_load_array(struct trace *t, FILE *f,
		     const char *(*element)(struct trace *t,
					    struct json_cursor *j,
					    uint64_t line),
		     struct problem *p)
{
	struct trace_values x;
	struct json_cursor j;
	const char *why = NULL;
	if (trace_values_begin(&x, t, f, p) < 0)
		return -1;
	jc_begin(&j, x.text, x.n);
	j.numpy = 1;
	jc_enter(&j, '[');
	while (!why && jc_element(&j))
		why = element(t, &j, trace_values_line(&x, j.s));
	if (!why)
		jc_end(&j);
	x.bad = j.why ? j.at : j.s;
	int rc = trace_values_end(&x, j.why ? j.why : why, p);
	free(x.text);
	return rc;
}

int trace_items_item(struct trace *t, uint64_t index, struct trace_row *row,
		     const char **why)
{
	const struct trace_row *r = trace_items_at(t, index);
	(void)why;
	if (!r)
		return 0;
	uint64_t offset = row->offset;
	*row = *r;
	row->offset = offset;
	return 1;
}

void trace_items_unload(struct trace *t)
{
	struct items *x = *trace_state(t);
	if (x)
		free(x->row);
	free(x);
}
