#include <config.h>
#include "csvtext.h"
#include <csv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include "number.h"

struct reader {
	csv_row_fn on_row;
	void *user;
	char *text; /* the cells of this row, each with its NUL */
	size_t len, cap;
	char **cell;
	uint32_t n, n_cols;
	uint64_t row;
	const char *why;
};

static void on_field(void *s, size_t len, void *user)
{
	struct reader *r = user;
	if (r->why)
		return;
	if (strlen(s) != len) {
		r->why = "has a NUL";
		return;
	}
	if (r->len + len + 1 > r->cap) {
		size_t cap = 2 * (r->len + len + 1);
		char *text = realloc(r->text, cap);
		if (!text) {
			r->why = "out of memory";
			return;
		}
		r->text = text;
		r->cap = cap;
	}
	memcpy(r->text + r->len, s, len + 1);
	r->len += len + 1;
	r->n++;
}

static void on_row_end(int c, void *user)
{
	struct reader *r = user;
	(void)c;
	if (r->why)
		return;
	if (r->row == 0) {
		r->n_cols = r->n;
		r->cell = calloc(r->n, sizeof *r->cell);
		if (!r->cell)
			r->why = "out of memory";
	} else if (r->n != r->n_cols) {
		r->why = r->n < r->n_cols ? "fewer cells than the header"
					  : "more cells than the header";
	}
	if (r->why)
		return;
	char *s = r->text;
	for (uint32_t i = 0; i < r->n; i++, s += strlen(s) + 1)
		r->cell[i] = s;
	r->why = r->on_row(r->user, r->row++, r->n, r->cell);
	r->n = 0;
	r->len = 0;
}

int csv_read(FILE *f, const char *origin, csv_row_fn on_row, void *user,
	     struct problem *p)
{
	struct reader r = {.on_row = on_row, .user = user};
	struct csv_parser csv;
	char *buf = NULL;
	size_t cap = 0;
	ssize_t n;
	uint64_t line = 0;

	/* By lines, so that a message can name one; libcsv does not count. */
	csv_init(&csv, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
	while (!r.why && (n = getline(&buf, &cap, f)) > 0) {
		line++;
		if (csv_parse(&csv, buf, (size_t)n, on_field, on_row_end, &r) !=
		    (size_t)n)
			r.why = csv_strerror(csv_error(&csv));
	}
	if (!r.why && ferror(f))
		r.why = "read error";
	if (!r.why && csv_fini(&csv, on_field, on_row_end, &r) != 0)
		r.why = csv_strerror(csv_error(&csv));
	if (!r.why && r.row == 0)
		r.why = "no header";
	if (r.why)
		problem_set(p, EXIT_INPUT, "%s:%llu: %s", origin,
			    (unsigned long long)line, r.why);
	csv_free(&csv);
	free(buf), free(r.text), free(r.cell);
	return r.why ? -1 : 0;
}

void csv_text(FILE *f, const char *s)
{
	if (s[strcspn(s, "\",\r\n")] || *s == ' ' ||
	    (*s && s[strlen(s) - 1] == ' '))
		csv_fwrite(f, s, strlen(s));
	else
		fputs(s, f);
}

void csv_number(FILE *f, double v)
{
	char s[NUMBER_SIZE];
	if (!isnan(v))
		fwrite(s, 1, (size_t)number_format(s, v), f);
}
