/* sweep_table.c -- Writes rows of a sweep, one after another. */
#include "report/sweep/sweep_table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/json/json_writer.h"
#include "base/names.h"
#include "base/number.h"
#include "sim/saturation.h"
#include "store/rows.h"

/* ---- rows ---- */

struct walk {
	const struct sweep_table *t;
	size_t place;
};

/* The same as reader_next(), but skips rows that were not chosen. */
static int next_row(struct walk *w, struct problem *p)
{
	int rc;
	while ((rc = reader_next(w->t->reader, p)) == 1)
		if (!w->t->chosen || w->t->chosen[w->place++])
			break;
	return rc;
}

/* ---- text ---- */

/* A column of the text table.  Its name is broken into lines at '.' and '_',
 * because names are longer than the cells below them. */
struct shown {
	size_t column;
	int lines; /* of its name */
	int width, is_constant, has_any;
	char first[32]; /* the first row's text, if it is short */
};
struct text_table {
	FILE *f;
	const struct reader *r;
	struct shown *shown;
	size_t n;
	/* columns; 0: there is none */
	size_t status, error, saturation, warning;
	struct names warnings; /* each once; rows refer to them as [1] … */
};

static int is_warning(const struct reader_head *h)
{
	return h->role == READER_TEXT && !strcmp(h->name, "warning");
}

static int is_shown(const struct reader_head *h)
{
	return h->role == READER_AXIS || h->role == READER_ARM ||
	       h->role == READER_SEED ||
	       (h->role == READER_NUMBER && h->is.headline) ||
	       (h->role == READER_TEXT && !is_warning(h));
}

static int is_status(const struct text_table *t, enum store_status status)
{
	const char *is = reader_cell(t->r, t->status)->text;
	return is && !strcmp(is, store_status_name[status]);
}

/* Marks a latency of an overloaded run: it grows with the length of the run. */
static const char *mark(const struct text_table *t, size_t column)
{
	const char *is =
	    t->saturation ? reader_cell(t->r, t->saturation)->text : NULL;
	return reader_head(t->r, column)->is.is_tail && is &&
		       !strcmp(is, saturation_name[SATURATION_OVERLOADED])
		   ? "!"
		   : "";
}

static void cell_text(const struct text_table *t, size_t column, char *buf,
		      size_t size)
{
	char plain[32];
	const struct value *v = reader_cell(t->r, column);
	if (reader_head(t->r, column)->role != READER_NUMBER)
		snprintf(buf, size, "%s", reader_text(t->r, column, plain));
	else if (isnan(v->number))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%s%s", number_short(plain, v->number),
			 mark(t, column));
}

/* Returns how many characters of a name go on its next line. */
static size_t line_of_name(const char *name)
{
	enum { MOST = 12 };
	size_t n = strlen(name), cut = 0;
	if (n <= MOST)
		return n;
	for (size_t i = 1; i < n && (i <= MOST || !cut); i++)
		if (name[i - 1] == '_' || name[i - 1] == '.')
			cut = i;
	return cut ? cut : n;
}

static void measure_name(struct shown *s, const char *name)
{
	for (s->lines = 0; *name; s->lines++) {
		size_t n = line_of_name(name);
		s->width = (int)n > s->width ? (int)n : s->width;
		name += n;
	}
}

static void find_columns(struct text_table *t)
{
	for (size_t i = 0; i < reader_n_columns(t->r); i++) {
		const struct reader_head *h = reader_head(t->r, i);
		if (is_shown(h)) {
			t->shown[t->n] =
			    (struct shown){.column = i, .is_constant = 1};
			measure_name(&t->shown[t->n++], h->name);
		}
		if (h->role == READER_STATUS)
			t->status = i;
		if (h->role == READER_ERROR)
			t->error = i;
		if (h->role == READER_TEXT && !strcmp(h->name, "saturation"))
			t->saturation = i;
		if (is_warning(h))
			t->warning = i;
	}
}

/* Returns 1 for a column that only rows without an error have. */
static int is_figure(const struct reader_head *h)
{
	return h->role == READER_NUMBER || h->role == READER_TEXT;
}

static void measure_row(struct text_table *t, int is_first)
{
	char text[300];
	for (size_t k = 0; k < t->n; k++) {
		struct shown *s = &t->shown[k];
		const struct reader_head *h = reader_head(t->r, s->column);
		if (is_figure(h) && !is_status(t, STATUS_OK))
			continue;
		cell_text(t, s->column, text, sizeof text);
		int n = (int)strlen(text);
		s->width = n > s->width ? n : s->width;
		s->has_any |= n && strcmp(text, "-");
		if (is_first)
			snprintf(s->first, sizeof s->first, "%.31s", text);
		s->is_constant &= !strncmp(s->first, text, sizeof s->first - 1);
	}
}

static int is_remark(const struct reader_head *h)
{
	return h->role == READER_SEED || h->role == READER_TEXT;
}

/* Drops columns that tell nothing: no row has them, or all rows have the same
 * seed. */
static void drop_columns(struct text_table *t)
{
	size_t n = 0;
	for (size_t k = 0; k < t->n; k++) {
		const struct reader_head *h =
		    reader_head(t->r, t->shown[k].column);
		int drop = (is_figure(h) && !t->shown[k].has_any) ||
			   (is_remark(h) && t->shown[k].is_constant);
		if (!drop)
			t->shown[n++] = t->shown[k];
	}
	t->n = n;
}

static int is_left(const struct reader_head *h)
{
	return h->role == READER_ARM || h->role == READER_TEXT;
}

static void write_cell(const struct text_table *t, size_t k, const char *text)
{
	const struct shown *s = &t->shown[k];
	const char *gap = k ? "  " : "";
	if (is_left(reader_head(t->r, s->column)))
		fprintf(t->f, "%s%-*s", gap, s->width, text);
	else
		fprintf(t->f, "%s%*s", gap, s->width, text);
}

/* Writes one line of a name that ends at the bottom of `lines` lines. */
static void head_cell(const struct text_table *t, size_t k, int line, int lines)
{
	const struct shown *s = &t->shown[k];
	const char *name = reader_head(t->r, s->column)->name;
	char text[64] = "";
	int skip = line - (lines - s->lines);
	for (; skip > 0; skip--)
		name += line_of_name(name);
	if (skip == 0)
		snprintf(text, sizeof text, "%.*s", (int)line_of_name(name),
			 name);
	write_cell(t, k, text);
}

static void write_head(const struct text_table *t)
{
	int lines = 0;
	for (size_t k = 0; k < t->n; k++)
		lines = t->shown[k].lines > lines ? t->shown[k].lines : lines;
	for (int line = 0; line < lines; line++) {
		for (size_t k = 0; k < t->n; k++)
			head_cell(t, k, line, lines);
		fputc('\n', t->f);
	}
}

/* Writes " [1]": the number of the row's warning.  Its text comes below the
 * table. */
static void write_mark(struct text_table *t)
{
	const char *is =
	    t->warning ? reader_cell(t->r, t->warning)->text : NULL;
	size_t k = 0;
	if (!is || !*is || names_add_new(&t->warnings, is) < 0)
		return;
	while (strcmp(t->warnings.item[k], is) != 0)
		k++;
	fprintf(t->f, "  [%zu]", k + 1);
}

static void write_warnings(const struct text_table *t)
{
	for (size_t i = 0; i < t->warnings.n; i++)
		fprintf(t->f, "[%zu] warning: %s\n", i + 1,
			t->warnings.item[i]);
}

static void write_row(struct text_table *t)
{
	char text[300];
	int ok = is_status(t, STATUS_OK);
	for (size_t k = 0; k < t->n; k++) {
		if (!ok && is_figure(reader_head(t->r, t->shown[k].column)))
			break;
		cell_text(t, t->shown[k].column, text, sizeof text);
		write_cell(t, k, text);
	}
	if (!ok)
		fprintf(t->f, "  %s: %s", reader_cell(t->r, t->status)->text,
			reader_text(t->r, t->error, text));
	write_mark(t);
	fputc('\n', t->f);
}

static int text_rows(struct text_table *t, const struct sweep_table *of,
		     struct problem *p)
{
	struct walk measured = {.t = of}, written = {.t = of};
	int rc, is_first = 1;
	for (; (rc = next_row(&measured, p)) == 1; is_first = 0)
		measure_row(t, is_first);
	if (rc < 0)
		return -1;
	if (is_first) {
		fputs("no rows\n", t->f);
		return 0;
	}
	drop_columns(t);
	write_head(t);
	while ((rc = next_row(&written, p)) == 1)
		write_row(t);
	write_warnings(t);
	return rc;
}

static int write_text(FILE *f, const struct sweep_table *of, struct problem *p)
{
	struct text_table t = {.f = f, .r = of->reader};
	t.shown = calloc(reader_n_columns(t.r) + 1, sizeof *t.shown);
	if (!t.shown)
		return problem_no_memory(p);
	find_columns(&t);
	int rc = text_rows(&t, of, p);
	names_free(&t.warnings);
	free(t.shown);
	return rc;
}

/* ---- CSV and JSON have every column ---- */

static int write_csv(FILE *f, const struct sweep_table *of, struct problem *p)
{
	const struct reader *r = of->reader;
	struct walk w = {.t = of};
	size_t n = reader_n_columns(r);
	int rc;
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", f);
		csv_text(f, reader_head(r, i)->name);
	}
	fputc('\n', f);
	while ((rc = next_row(&w, p)) == 1) {
		for (size_t i = 0; i < n; i++) {
			const struct value *v = reader_cell(r, i);
			fputs(i ? "," : "", f);
			if (v->text)
				csv_text(f, v->text);
			else
				csv_number(f, v->number);
		}
		fputc('\n', f);
	}
	return rc;
}

static void json_head(struct jw *j, const struct sweep_table *of)
{
	const struct store_study *s = store_study(of->store);
	jw_int(j, "schema", STORE_SCHEMA);
	jw_text(j, "stepcost", s->stepcost);
	jw_text(j, "command", of->command);
	jw_text(j, "mode", store_mode_name[s->mode]);
	jw_literal(j, "plan", s->axes);
	jw_literal(j, "options", s->options);
	jw_int(j, "points", s->points);
	if (s->shards) {
		jw_int(j, "shard", s->shard);
		jw_int(j, "shards", s->shards);
	}
}

static int write_json(FILE *f, const struct sweep_table *of, struct problem *p)
{
	const struct reader *r = of->reader;
	struct walk w = {.t = of};
	int rc;
	struct jw j = jw_document(f);
	json_head(&j, of);
	jw_array(&j, "results");
	while ((rc = next_row(&w, p)) == 1) {
		jw_flat_object(&j, NULL);
		for (size_t i = 0; i < reader_n_columns(r); i++) {
			const struct value *v = reader_cell(r, i);
			const char *name = reader_head(r, i)->name;
			if (v->text)
				jw_text(&j, name, v->text);
			else
				jw_number(&j, name, v->number);
		}
		jw_end(&j);
	}
	jw_finish(&j);
	return rc;
}

int sweep_table_write(FILE *f, int format, const struct sweep_table *t,
		      struct problem *p)
{
	return format == FORMAT_JSON  ? write_json(f, t, p)
	       : format == FORMAT_CSV ? write_csv(f, t, p)
				      : write_text(f, t, p);
}
