/* trace.c -- Opens a trace of any format, reads it row by row, and seeks in
 * it. */
#include "workload/trace/trace.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "base/file/filetype.h"
#include "base/file/infile.h"
#include "base/file/inputs.h"
#include "workload/trace/trace_csv.h"
#include "workload/trace/trace_formats.h"
#include "workload/trace/trace_reader_private.h"
#include "workload/record/trace_record.h"

enum { HEAD = 1 << 16 };

/* ---- JSON lines ---- */

/* Reads a row that is a JSON object, and checks its keys. */
static const char *object(struct trace *t, struct json_cursor *j,
			  struct trace_row *row)
{
	const struct trace_format *f = t->format;
	unsigned seen = 0;
	struct span key;
	const char *why = NULL;
	jc_enter(j, '{');
	while (!why && jc_key(j, &key)) {
		int i = trace_column_of(f, key.s, key.n);
		if (i < 0 && f->only_these)
			return trace_say(t, "key '%.*s' is unknown",
					 (int)(key.n < 60 ? key.n : 60), key.s);
		if (i < 0) {
			jc_skip(j);
			continue;
		}
		if (seen & 1u << i)
			return trace_say(t, "key %s comes twice",
					 f->column[i].name);
		seen |= 1u << i;
		why = f->value(t, i, j, row);
	}
	if (!why)
		jc_end(j);
	if (why || j->why)
		return why ? why : j->why;
	if (t->is_record && f->is_note && f->is_note(seen)) {
		row->is_note = 1;
		return NULL;
	}
	for (int i = 0; f->column[i].name; i++)
		if (f->column[i].required == 1 && !(seen & 1u << i))
			return trace_say(t, "no %s, which %s traces have",
					 f->column[i].name, f->name);
	return f->check ? f->check(t, seen, row) : NULL;
}

static int next_object(struct trace *t, struct trace_row *row)
{
	struct json_cursor j;
	const char *text;
	size_t n = 0;
	for (;;) {
		*row = (struct trace_row){.request.line = t->lines.line + 1,
					  .offset = t->lines.offset};
		if (t->is_record && row->offset >= t->end)
			return 0;
		int got = lines_next(&t->lines, &text, &n);
		if (got <= 0)
			return got < 0 ? trace_read_fault(t) : 0;
		jc_begin(&j, text, n);
		if (!jc_peek(&j)) /* a blank line */
			continue;
		t->why = object(t, &j, row);
		if (t->why)
			return -1;
		if (!row->is_note)
			break;
	}
	trace_record_cancel(t, row);
	return t->why ? -1 : 1;
}

/* ---- rows ---- */

static int next_item(struct trace *t, struct trace_row *row)
{
	row->request.line = 1;
	row->offset = t->item;
	int got = t->format->item(t, t->item, row, &t->why);
	t->item += got == 1;
	return got;
}

/* Checks the tokens of the row and copies them to its request. */
static const char *take_tokens(struct trace *t, struct trace_row *row)
{
	if (row->input_tokens < 1 || row->output_tokens < 1)
		return trace_say(t,
				 "%lld input and %lld output tokens: both must "
				 "be at least 1",
				 (long long)row->input_tokens,
				 (long long)row->output_tokens);
	if (row->input_tokens > TRACE_MAX_TOKENS - row->output_tokens)
		return trace_say(t,
				 "%lld input and %lld output tokens are over "
				 "2147483647",
				 (long long)row->input_tokens,
				 (long long)row->output_tokens);
	row->request.input_tokens = (uint32_t)row->input_tokens;
	row->request.output_tokens = (uint32_t)row->output_tokens;
	return NULL;
}

static int is_failed(const struct trace *t, const struct trace_row *row)
{
	return t->format->failed_rows &&
	       (row->input_tokens == 0 || row->output_tokens == 0);
}

int trace_next(struct trace *t, struct trace_row *row, struct problem *p)
{
	int got;
	if (t->next_cached)
		return t->next_cached(t, row, p);
	for (;;) {
		*row = (struct trace_row){0};
		t->why = NULL;
		switch (t->format->shape) {
		case TRACE_JSON_LINES:
			got = next_object(t, row);
			break;
		case TRACE_DOCUMENT:
			got = next_item(t, row);
			break;
		default: /* TRACE_CSV */
			got = trace_csv_next(t, row);
		}
		if (got < 0)
			return problem_at(p, t->path, row->request.line,
					  t->why);
		if (got == 0)
			return 0;
		if (!is_failed(t, row) || t->option.failed_is_error)
			break;
		t->n_failed++;
	}
	const char *why = take_tokens(t, row);
	if (!t->has_base && !t->format->absolute)
		t->base_ns = row->time_ns;
	t->has_base = 1;
	if (!why &&
	    __builtin_sub_overflow(row->time_ns, t->base_ns, &row->time_ns))
		why = "its time is over 292 years from the first row's";
	return why ? problem_at(p, t->path, row->request.line, why) : 1;
}

static void begin_csv(struct trace *t)
{
	csv_init(&t->csv, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
	csv_set_delim(&t->csv, (unsigned char)t->separator);
}

static int seek(struct trace *t, uint64_t offset, uint64_t line,
		struct problem *p)
{
	t->item = offset;
	if (t->next_cached || t->format->shape == TRACE_DOCUMENT)
		return 0;
	csv_free(&t->csv);
	begin_csv(t);
	if (lines_seek(&t->lines, offset, line) == 0)
		return 0;
	return problem_set(p, EXIT_USAGE, "%s: %s", t->path, strerror(errno));
}

/* A caller that knows an offset has read the header already. */
int trace_seek(struct trace *t, uint64_t offset, uint64_t line,
	       struct problem *p)
{
	t->has_header = 1;
	return seek(t, offset, line, p);
}

int trace_rewind(struct trace *t, struct problem *p)
{
	t->has_header = 0;
	t->n_failed = 0;
	int by_index = t->next_cached || t->format->shape == TRACE_DOCUMENT;
	return seek(t, by_index ? 0 : t->start, 1, p);
}

/* ---- opening ---- */

static int choose_format(struct trace *t, struct problem *p)
{
	char *head = malloc(HEAD);
	if (!head)
		return problem_no_memory(p);
	size_t n = fread(head, 1, HEAD, t->f);
	size_t bom = filetype_bom(head, n);
	t->start = bom;
	t->separator = trace_separator_of(head + bom, n - bom);
	const char *why = filetype_not_text(head, n);
	if (!why && n == bom)
		why = FILETYPE_EMPTY;
	if (!why)
		t->format =
		    trace_detect(t->option.format, head + bom, n - bom, &why);
	int rc = why ? problem_at(p, t->path, 1, why) : 0;
	free(head);
	return rc;
}

static int open_file(struct trace *t, struct problem *p)
{
	t->f = infile_open(t->path, p);
	inputs_note(INPUT_TRACE, (const char *const *)&t->path, t->f != NULL);
	if (!t->f || choose_format(t, p) < 0)
		return -1;
	t->has_times = t->format->has_times;
	t->lines.f = t->f;
	if (fseeko(t->f, (off_t)t->start, SEEK_SET) < 0)
		return problem_set(p, EXIT_USAGE, "%s: %s", t->path,
				   strerror(errno));
	if (t->format->shape != TRACE_DOCUMENT)
		return 0;
	return t->format->load(t, t->f, p);
}

static int sample(struct trace *t, struct problem *p)
{
	if (!t->format->sample)
		return 0;
	return trace_csv_sample(t, p) < 0 ? -1 : trace_rewind(t, p);
}

struct trace *trace_open(const char *path, const struct trace_options *o,
			 struct problem *p)
{
	struct trace *t = calloc(1, sizeof *t);
	if (!t || !(t->path = strdup(path))) {
		free(t);
		problem_no_memory(p);
		return NULL;
	}
	t->option = *o;
	begin_csv(t);
	if (open_file(t, p) == 0 && trace_rewind(t, p) == 0 &&
	    trace_record_read(t, p) == 0 && trace_rewind(t, p) == 0 &&
	    sample(t, p) == 0)
		return t;
	trace_free(t);
	return NULL;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	if (!t->next_cached && t->format && t->format->unload)
		t->format->unload(t);
	if (!t->next_cached)
		csv_free(&t->csv);
	if (t->f)
		fclose(t->f);
	map64_free(&t->cancel_ns);
	if (!t->next_cached)
		free(t->reset);
	lines_free(&t->lines);
	free(t->path), free(t->cells), free(t->cell);
	free(t->block), free(t->mm_item), free(t->text), free(t);
}

const char *trace_format_name(const struct trace *t)
{
	return t->format->name;
}

int trace_no_requests(const struct trace *t, struct problem *p)
{
	return problem_at(p, t->path, t->lines.line ? t->lines.line : 1,
			  t->n_failed ? "all requests failed" : "no requests");
}

int trace_has_times(const struct trace *t)
{
	return t->has_times;
}

int trace_takes_lengths(const struct trace *t)
{
	return t->format->takes_lengths;
}

int trace_has_trees(const struct trace *t)
{
	return t->format->has_trees;
}

int trace_is_record(const struct trace *t)
{
	return t->is_record;
}

size_t trace_resets(const struct trace *t, const struct workload_reset **reset)
{
	*reset = t->reset;
	return t->n_resets;
}

int trace_is_absolute(const struct trace *t)
{
	return t->format->absolute;
}

uint64_t trace_failed(const struct trace *t)
{
	return t->n_failed;
}

const char *trace_note(const struct trace *t)
{
	if (!t->next_cached && t->format->note)
		return t->format->note(t, t->state);
	return t->remark[0] ? t->remark : NULL;
}
