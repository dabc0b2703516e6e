#include <config.h>
#include "workload/trace.h"
#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "base/decimal.h"
#include "base/lines.h"
#include "base/filetype.h"
#include "base/hash.h"

enum { HEAD = 1 << 16 };

struct trace {
	char *path;
	struct trace_options option;
	const struct trace_format *format;
	FILE *f;
	struct lines lines;
	uint64_t item; /* TRACE_DOCUMENT: the next one's index */
	uint64_t n_failed;
	uint64_t start; /* of the text: after a byte order mark              */
	int has_base, has_times;
	int64_t base_ns;
	void *state;
	/* CSV */
	struct csv_parser csv;
	int has_header;
	char *cells; /* of this row, each with its NUL                       */
	size_t cells_len, cells_cap;
	struct span *cell;
	uint32_t n_cells, cell_cap, n_columns;
	struct span
	    known[TRACE_MAX_COLUMNS]; /* the row, by the format's columns */
	int *column_of_cell;          /* -1: one that is not used      */
	int row_ended;
	uint64_t *block;
	uint32_t block_cap;
	const char *why;
	char said[400], remark[400];
};

const char *trace_say(struct trace *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(t->said, sizeof t->said, fmt, ap);
	va_end(ap);
	return t->said;
}

void trace_remark(struct trace *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (!t->remark[0])
		vsnprintf(t->remark, sizeof t->remark, fmt, ap);
	va_end(ap);
}

static int input_fault(const struct trace *t, uint64_t line, const char *why,
		       struct problem *p)
{
	return problem_set(p, EXIT_INPUT, "%s:%llu: %s", t->path,
			   (unsigned long long)line, why);
}

/* ---- CSV: libcsv does 270 MB/s of CPU time on an Azure trace --------------
 */

static void on_cell(void *s, size_t n, void *user)
{
	struct trace *t = user;
	if (t->why)
		return;
	if (t->n_cells == t->cell_cap) {
		uint32_t cap = t->cell_cap ? 2 * t->cell_cap : 32;
		struct span *cell = realloc(t->cell, cap * sizeof *cell);
		if (!cell) {
			t->why = "out of memory";
			return;
		}
		t->cell = cell;
		t->cell_cap = cap;
	}
	if (t->cells_len + n + 1 > t->cells_cap) {
		size_t cap = 2 * (t->cells_len + n + 1);
		char *cells = realloc(t->cells, cap);
		if (!cells) {
			t->why = "out of memory";
			return;
		}
		t->cells = cells;
		t->cells_cap = cap;
	}
	memcpy(t->cells + t->cells_len, s, n + 1);
	t->cell[t->n_cells++].n = n;
	t->cells_len += n + 1;
}

static void on_row(int c, void *user)
{
	struct trace *t = user;
	(void)c;
	t->row_ended = 1;
}

static int read_fault(struct trace *t)
{
	t->why = strerror(errno);
	return -1;
}

/* A line that libcsv passes over. */
static int is_blank(const char *s, size_t n)
{
	while (n && strchr(" \t\r\n", *s) && *s)
		s++, n--;
	return n == 0;
}

/* Reads one row, which begins at *line.  1, 0: the end, -1: t->why. */
static int next_cells(struct trace *t, uint64_t *line, uint64_t *offset)
{
	const char *text;
	size_t n = 0;
	int got = 0, begun = 0;
	t->row_ended = 0;
	t->n_cells = 0;
	t->cells_len = 0;
	while (!t->row_ended && !t->why) {
		uint64_t at = t->lines.offset;
		got = lines_next(&t->lines, &text, &n);
		if (got < 0)
			return read_fault(t);
		if (got == 0)
			break;
		if (!begun) {
			*offset = at;
			*line = t->lines.line;
		}
		begun |= !is_blank(text, n);
		if (memchr(text, '\0', n))
			t->why = "has a NUL";
		else if (csv_parse(&t->csv, text, n, on_cell, on_row, t) != n)
			t->why = csv_strerror(csv_error(&t->csv));
	}
	if (!t->why && got == 0 && csv_fini(&t->csv, on_cell, on_row, t) != 0)
		t->why = csv_strerror(csv_error(&t->csv));
	if (t->why)
		return -1;
	char *s = t->cells;
	for (uint32_t i = 0; i < t->n_cells; i++) {
		t->cell[i].s = s;
		s += t->cell[i].n + 1;
	}
	return t->row_ended;
}

static int column_of(const struct trace_format *f, const char *name, size_t n)
{
	for (int i = 0; f->column[i].name; i++)
		if (span_is((struct span){name, n}, f->column[i].name))
			return i;
	return -1;
}

static const char *on_header(struct trace *t)
{
	const struct trace_format *f = t->format;
	t->n_columns = t->n_cells;
	int *column_of_cell =
	    realloc(t->column_of_cell, (t->n_cells + 1) * sizeof(int));
	if (!column_of_cell)
		return "out of memory";
	t->column_of_cell = column_of_cell;
	memset(t->known, 0, sizeof t->known);
	for (uint32_t i = 0; i < t->n_cells; i++) {
		int c = column_of(f, t->cell[i].s, t->cell[i].n);
		if (c < 0 && f->only_these)
			return trace_say(t, "column '%.60s' is unknown",
					 t->cell[i].s);
		if (c >= 0 && f->column[c].required == TRACE_RESERVED)
			return trace_say(t, "column '%s' is reserved for later",
					 f->column[c].name);
		if (c >= 0 && t->known[c].s)
			return trace_say(t, "column %s stands twice",
					 f->column[c].name);
		t->column_of_cell[i] = c;
		if (c >= 0)
			t->known[c] = t->cell[i];
	}
	for (int c = 0; f->column[c].name; c++)
		if (f->column[c].required == 1 && !t->known[c].s)
			return trace_say(t,
					 "no column %s, which %s traces have",
					 f->column[c].name, f->name);
	return NULL;
}

static int next_csv(struct trace *t, struct trace_row *row)
{
	int got = next_cells(t, &row->line, &row->offset);
	if (got == 1 && !t->has_header) {
		t->has_header = 1;
		t->why = on_header(t);
		if (!t->why)
			got = next_cells(t, &row->line, &row->offset);
	}
	if (t->why)
		return -1;
	if (got == 0)
		return 0;
	if (t->n_cells != t->n_columns) {
		t->why = trace_say(t, "%u cells, but the header has %u",
				   t->n_cells, t->n_columns);
		return -1;
	}
	for (uint32_t i = 0; i < t->n_cells; i++)
		if (t->column_of_cell[i] >= 0)
			t->known[t->column_of_cell[i]] = t->cell[i];
	t->why = t->format->row(t, t->known, row);
	return t->why ? -1 : 1;
}

/* ---- JSON lines ---------------------------------------------------------- */

static const char *object(struct trace *t, struct jsonline *j,
			  struct trace_row *row)
{
	const struct trace_format *f = t->format;
	unsigned seen = 0;
	struct span key;
	const char *why = NULL;
	jl_enter(j, '{');
	while (!why && jl_key(j, &key)) {
		int i = column_of(f, key.s, key.n);
		if (i < 0 && f->only_these)
			return trace_say(t, "key '%.*s' is unknown",
					 (int)(key.n < 60 ? key.n : 60), key.s);
		if (i < 0) {
			jl_skip(j);
			continue;
		}
		if (seen & 1u << i)
			return trace_say(t, "key %s stands twice",
					 f->column[i].name);
		seen |= 1u << i;
		why = f->value(t, i, j, row);
	}
	if (!why)
		jl_end(j);
	if (why || j->why)
		return why ? why : j->why;
	for (int i = 0; f->column[i].name; i++)
		if (f->column[i].required == 1 && !(seen & 1u << i))
			return trace_say(t, "no %s, which %s traces have",
					 f->column[i].name, f->name);
	return f->check ? f->check(t, seen, row) : NULL;
}

static int next_object(struct trace *t, struct trace_row *row)
{
	struct jsonline j;
	const char *text;
	size_t n = 0;
	for (;;) {
		row->offset = t->lines.offset;
		int got = lines_next(&t->lines, &text, &n);
		if (got <= 0)
			return got < 0 ? read_fault(t) : 0;
		jl_begin(&j, text, n);
		row->line = t->lines.line;
		if (jl_peek(&j)) /* not a blank line */
			break;
	}
	t->why = object(t, &j, row);
	return t->why ? -1 : 1;
}

/* ---- rows ---------------------------------------------------------------- */

static int next_item(struct trace *t, struct trace_row *row)
{
	row->line = 1;
	row->offset = t->item;
	int got = t->format->item(t, t->item, row, &t->why);
	t->item += got == 1;
	return got;
}

static const char *check_tokens(struct trace *t, const struct trace_row *row)
{
	if (row->input_tokens < 1 || row->output_tokens < 1)
		return trace_say(t,
				 "%lld input and %lld output tokens: both are "
				 "at least 1",
				 (long long)row->input_tokens,
				 (long long)row->output_tokens);
	if (row->input_tokens > TRACE_MAX_TOKENS - row->output_tokens)
		return trace_say(t,
				 "%lld input and %lld output tokens are over "
				 "2147483647",
				 (long long)row->input_tokens,
				 (long long)row->output_tokens);
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
		case TRACE_CSV:
		default:
			got = next_csv(t, row);
		}
		if (got < 0)
			return input_fault(t, row->line, t->why, p);
		if (got == 0)
			return 0;
		if (!is_failed(t, row) || t->option.failed_is_error)
			break;
		t->n_failed++;
	}
	const char *why = check_tokens(t, row);
	if (!t->has_base && !t->format->absolute)
		t->base_ns = row->time_ns;
	t->has_base = 1;
	if (!why &&
	    __builtin_sub_overflow(row->time_ns, t->base_ns, &row->time_ns))
		why = "its time is over 292 years from the first row's";
	return why ? input_fault(t, row->line, why, p) : 1;
}

static int seek(struct trace *t, uint64_t offset, uint64_t line,
		struct problem *p)
{
	t->item = offset;
	if (t->format->shape == TRACE_DOCUMENT)
		return 0;
	csv_free(&t->csv);
	csv_init(&t->csv, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
	if (lines_seek(&t->lines, offset, line) == 0)
		return 0;
	return problem_set(p, EXIT_USAGE, "%s: %s", t->path, strerror(errno));
}

/* The header has been read, or there would be no place to go to. */
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
	return seek(t, t->format->shape == TRACE_DOCUMENT ? 0 : t->start, 1, p);
}

/* ---- opening ------------------------------------------------------------- */

static int choose_format(struct trace *t, struct problem *p)
{
	char *head = malloc(HEAD);
	if (!head)
		return problem_set(p, EXIT_USAGE, "out of memory");
	size_t n = fread(head, 1, HEAD, t->f);
	size_t bom = magic_bom(head, n);
	t->start = bom;
	const char *why = magic_not_text(head, n);
	if (!why && n == bom)
		why = "is empty";
	if (!why)
		t->format =
		    trace_detect(t->option.format, head + bom, n - bom, &why);
	int rc = why ? input_fault(t, 1, why, p) : 0;
	free(head);
	return rc;
}

static int open_file(struct trace *t, struct problem *p)
{
	struct stat st;
	t->f = fopen(t->path, "r");
	if (!t->f || fstat(fileno(t->f), &st) < 0)
		return problem_set(p, EXIT_USAGE, "%s: %s", t->path,
				   strerror(errno));
	if (!S_ISREG(st.st_mode))
		return problem_set(p, EXIT_USAGE,
				   "%s: is not a regular file: a trace is read "
				   "more than once",
				   t->path);
	if (choose_format(t, p) < 0)
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

struct trace *trace_open(const char *path, const struct trace_options *o,
			 struct problem *p)
{
	struct trace *t = calloc(1, sizeof *t);
	if (!t || !(t->path = strdup(path))) {
		free(t);
		problem_set(p, EXIT_USAGE, "out of memory");
		return NULL;
	}
	t->option = *o;
	csv_init(&t->csv, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
	if (open_file(t, p) == 0 && trace_rewind(t, p) == 0)
		return t;
	trace_free(t);
	return NULL;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	if (t->format && t->format->unload)
		t->format->unload(t);
	csv_free(&t->csv);
	if (t->f)
		fclose(t->f);
	lines_free(&t->lines);
	free(t->path), free(t->cells), free(t->cell);
	free(t->column_of_cell);
	free(t->block), free(t);
}

const char *trace_format_name(const struct trace *t)
{
	return t->format->name;
}

const char *trace_path(const struct trace *t)
{
	return t->path;
}

int trace_no_requests(const struct trace *t, struct problem *p)
{
	return input_fault(
	    t, t->lines.line ? t->lines.line : 1,
	    t->n_failed ? "no requests but failed ones" : "no requests", p);
}

int trace_has_times(const struct trace *t)
{
	return t->has_times;
}

int trace_takes_lengths(const struct trace *t)
{
	return t->format->takes_lengths;
}

int trace_is_absolute(const struct trace *t)
{
	return t->format->absolute;
}

uint32_t trace_block_tokens(const struct trace *t)
{
	return t->format->block_tokens && t->option.block_tokens
		   ? t->option.block_tokens
		   : t->format->block_tokens;
}

uint64_t trace_failed(const struct trace *t)
{
	return t->n_failed;
}

const char *trace_note(const struct trace *t)
{
	return t->remark[0] ? t->remark : NULL;
}

/* ---- for the readers ----------------------------------------------------- */

const struct trace_options *trace_options(const struct trace *t)
{
	return &t->option;
}

void **trace_state(struct trace *t)
{
	return &t->state;
}

static int shown(struct span s)
{
	return s.n < 60 ? (int)s.n : 60;
}

const char *trace_whole(struct trace *t, struct span s, const char *what,
			int64_t *out)
{
	if (decimal_whole(s.s, s.n, out) == 0)
		return NULL;
	if (s.n == 0)
		return trace_say(t, "%s is empty", what);
	return trace_say(t, "%s = %.*s: not a whole number of at least 0", what,
			 shown(s), s.s);
}

const char *trace_time(struct trace *t, struct span s, const char *what,
		       int power, int64_t *out)
{
	if (decimal_scaled(s.s, s.n, power, out) == 0 && *out >= 0)
		return NULL;
	return trace_say(t, "%s = %.*s: not a time of at least 0", what,
			 shown(s), s.s);
}

const char *trace_add_block(struct trace *t, struct trace_row *row, uint64_t id)
{
	if (row->n_blocks == t->block_cap) {
		uint32_t cap = t->block_cap ? 2 * t->block_cap : 256;
		uint64_t *block = realloc(t->block, cap * sizeof *block);
		if (!block)
			return "out of memory";
		t->block = block;
		t->block_cap = cap;
	}
	t->block[row->n_blocks++] = id;
	row->block = t->block;
	return NULL;
}

/* Ids beyond int64 are known by their digits. */
static uint64_t block_id(struct span s)
{
	int64_t v;
	return decimal_whole(s.s, s.n, &v) == 0 ? (uint64_t)v
						: trace_text_id(s.s, s.n);
}

const char *trace_blocks(struct trace *t, struct jsonline *j,
			 struct trace_row *row)
{
	struct span s;
	const char *why = NULL;
	jl_enter(j, '[');
	while (!why && jl_element(j)) {
		if (jl_peek(j) == '"' ? !jl_string(j, &s) : !jl_number(j, &s))
			return j->why;
		why = trace_add_block(t, row, block_id(s));
	}
	return why ? why : j->why;
}

uint64_t trace_text_id(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a, then scattered */
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	h = hash_mix(h ^ n);
	return h ? h : 1;
}

const char *trace_check_blocks(struct trace *t, const struct trace_row *row)
{
	int64_t size = trace_block_tokens(t);
	int64_t want = (row->input_tokens + size - 1) / size;
	if (row->n_blocks == 0 || row->n_blocks == want)
		return NULL;
	return trace_say(t,
			 "%u hash_ids, but %lld tokens are %lld blocks of %lld",
			 row->n_blocks, (long long)row->input_tokens,
			 (long long)want, (long long)size);
}

int64_t trace_text_tokens(struct trace *t, struct span text)
{
	int64_t chars = 0;
	for (size_t i = 0; i < text.n; i++, chars++) {
		if (text.s[i] == '\\') /* an escape is one character */
			i += text.s[i + 1] == 'u' ? 5 : 1;
		while (i + 1 < text.n &&
		       ((unsigned char)text.s[i + 1] & 0xc0) == 0x80)
			i++;
	}
	trace_remark(t,
		     "holds text: its lengths are estimated, %g characters a "
		     "token (chars_per_token)",
		     t->option.chars_per_token);
	return (int64_t)ceil((double)chars / t->option.chars_per_token);
}

void trace_set_times(struct trace *t, int has_times)
{
	t->has_times = has_times;
}

int trace_has_column(const struct trace *t, int i)
{
	return t->known[i].s != NULL;
}
