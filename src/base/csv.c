/* csv.c -- Reads and writes CSV through libcsv. */
#include "base/csv.h"
#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/filetype.h"
#include "base/text.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/utf8.h"

/* a longer row has a quote that is never closed */
enum { LONGEST_ROW_MIB = 16 };
/* what libcsv gives as the end of a row that has no end of line */
enum { END_OF_FILE = -1 };

const char *csv_fault(struct csv_parser *csv)
{
	return csv_error(csv) == CSV_EPARSE
		   ? "not CSV: a quote (\") in a cell that does not begin with "
		     "one, or text behind the closing one; if it is JSON, "
		     "write it as CSV"
		   : csv_strerror(csv_error(csv));
}

struct reader {
	csv_row_fn on_row;
	void *user;
	char *text; /* the cells of this row, each ends with NUL */
	size_t len, cap;
	char **cell;
	uint32_t n, n_cols;
	uint64_t row;
	size_t row_bytes;       /* of this row so far */
	unsigned at_line_start; /* 0 or 1 */
	const char *why;
};

/* "'=1+1" tells a spreadsheet that "=1+1" is a text and no formula.  A text
 * that begins like that itself gets one more quote, so that it reads back
 * unchanged. */
static int looks_like_formula(const char *s)
{
	s += strspn(s, "'");
	return *s && strchr("=+-@\t\r\n", *s);
}

static void on_field(void *s, size_t len, void *user)
{
	struct reader *r = user;
	const char *cell = s;
	if (r->why)
		return;
	if (strlen(cell) != len) {
		r->why = "has a NUL, so it is no text: name a CSV file";
		return;
	}
	if (*cell == '\'' && looks_like_formula(cell)) {
		cell++;
		len--;
	}
	if (r->len + len + 1 > r->cap) {
		size_t cap = 2 * (r->len + len + 1);
		char *text = realloc(r->text, cap);
		if (!text) {
			r->why = out_of_memory;
			return;
		}
		r->text = text;
		r->cap = cap;
	}
	memcpy(r->text + r->len, cell, len + 1);
	r->len += len + 1;
	r->n++;
}

static void on_row_end(int c, void *user)
{
	struct reader *r = user;
	int is_cut = c == END_OF_FILE;
	if (r->why)
		return;
	if (r->row == 0) {
		r->n_cols = r->n;
		r->cell = calloc(r->n, sizeof *r->cell);
		if (!r->cell)
			r->why = out_of_memory;
	} else if (r->n != r->n_cols) {
		r->why = r->n > r->n_cols ? "more cells than the header"
			 : is_cut ? "fewer cells than the header: the file is "
				    "cut short"
				  : "fewer cells than the header";
	}
	if (r->why)
		return;
	char *s = r->text;
	for (uint32_t i = 0; i < r->n; i++, s += strlen(s) + 1)
		r->cell[i] = s;
	r->why = r->on_row(r->user, r->row++, r->n, r->cell);
	r->row_bytes = 0;
	r->n = 0;
	r->len = 0;
}

/* Feeds libcsv line by line, because libcsv does not count lines: so *line is
 * right when a row ends.  Returns what is wrong, or NULL. */
static const char *read_block(struct reader *r, struct csv_parser *csv,
			      const char *s, size_t n, uint64_t *line)
{
	if (memchr(s, '\0', n))
		return "has a NUL, so it is no text: name a CSV file";
	while (n && !r->why) {
		const char *end = memchr(s, '\n', n);
		size_t part = end ? (size_t)(end + 1 - s) : n;
		*line += r->at_line_start;
		r->at_line_start = end != NULL;
		r->row_bytes += part;
		if (r->row_bytes > LONGEST_ROW_MIB << 20)
			return "a row of more than 16 MiB";
		if (csv_parse(csv, s, part, on_field, on_row_end, r) != part)
			return csv_fault(csv);
		s += part;
		n -= part;
	}
	return r->why;
}

static const char *read_all(struct reader *r, struct csv_parser *csv, FILE *f,
			    uint64_t *line)
{
	char block[1 << 13];
	size_t n = fread(block, 1, sizeof block, f);
	size_t bom = filetype_bom(block, n);
	*line = 1;
	r->at_line_start = 0;
	r->why = filetype_not_text(block, n);
	if (!r->why)
		r->why = read_block(r, csv, block + bom, n - bom, line);
	while (!r->why && (n = fread(block, 1, sizeof block, f)))
		r->why = read_block(r, csv, block, n, line);
	if (!r->why && !ferror(f) &&
	    csv_fini(csv, on_field, on_row_end, r) != 0)
		r->why = csv_fault(csv);
	if (!r->why && r->row == 0)
		r->why = FILETYPE_EMPTY;
	return r->why;
}

int csv_read_lines(FILE *f, const char *origin, csv_row_fn on_row, void *user,
		   uint64_t *line, struct problem *p)
{
	struct reader r = {.on_row = on_row, .user = user};
	struct csv_parser csv;
	csv_init(&csv, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
	errno = 0;
	const char *why = read_all(&r, &csv, f, line);
	if (ferror(f))
		problem_of_file(p, origin, errno), why = "not read";
	else if (why)
		problem_at(p, origin, *line, why);
	csv_free(&csv);
	free(r.text), free(r.cell);
	return why ? -1 : 0;
}

int csv_read(FILE *f, const char *origin, csv_row_fn on_row, void *user,
	     struct problem *p)
{
	uint64_t line;
	return csv_read_lines(f, origin, on_row, user, &line, p);
}

static int is_printable(const char *s)
{
	for (size_t n; *s; s += n) {
		n = utf8_length(s, 4);
		if (n == 0 || (*s != '\n' && *s != '\r' &&
			       !printable_is(utf8_value(s, n))))
			return 0;
	}
	return 1;
}

static void put_printable(FILE *f, const char *s)
{
	while (*s) {
		size_t line = strcspn(s, "\r\n");
		size_t ends = strspn(s + line, "\r\n");
		printable_line(f, s, line);
		fwrite(s + line, 1, ends, f);
		s += line + ends;
	}
}

static void put_cell(FILE *f, const char *s)
{
	size_t n = strlen(s);
	if (s[strcspn(s, "\",\r\n\t")] || *s == ' ' || (n && s[n - 1] == ' '))
		csv_fwrite(f, s, n);
	else
		fputs(s, f);
}

void csv_text(FILE *f, const char *s)
{
	if (!looks_like_formula(s) && is_printable(s)) {
		put_cell(f, s);
		return;
	}
	struct text t;
	FILE *m = text_begin(&t);
	if (!m)
		return;
	if (looks_like_formula(s))
		putc('\'', m);
	put_printable(m, s);
	if (fclose(m) == 0)
		put_cell(f, t.s);
	free(t.s);
}

void csv_number(FILE *f, double v)
{
	char s[NUMBER_SIZE];
	if (!isnan(v))
		fwrite(s, 1, (size_t)number_format(s, v), f);
}

void csv_next_text(FILE *f, const char *s)
{
	putc(',', f);
	csv_text(f, s);
}

void csv_next_number(FILE *f, double v)
{
	putc(',', f);
	csv_number(f, v);
}
