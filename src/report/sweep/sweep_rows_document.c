/* sweep_rows_document.c -- Chooses the columns that say something, and fills
 * in the rows. */
#include "report/sweep/sweep_rows_document.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "base/number.h"
#include "base/text.h"
#include "sim/saturation.h"
#include "store/rows.h"

struct shown_column {
	size_t column; /* of the reader */
	int is_constant, has_any;
	char *first; /* the cell of the first row */
};
struct rows {
	struct reader *r;
	struct shown_column *shown;
	size_t n;
	/* columns; 0: there is none */
	size_t status, error, saturation, warning;
	struct names warnings; /* each once; rows refer to them as [1] ... */
	struct columns table;
};

/* ---- which columns ---- */

static int is_warning(const struct reader_head *h)
{
	return h->role == READER_TEXT && !strcmp(h->name, "warning");
}

/* Returns 1 for a column that says what a row is about. */
static int is_subject(const struct reader_head *h)
{
	return h->role == READER_AXIS || h->role == READER_ARM ||
	       h->role == READER_SEED;
}

static int is_shown(const struct reader_head *h)
{
	return is_subject(h) || (h->role == READER_NUMBER && h->is.headline) ||
	       (h->role == READER_TEXT && !is_warning(h));
}

/* Returns 1 for a column that only rows without an error have. */
static int is_figure(const struct reader_head *h)
{
	return h->role == READER_NUMBER || h->role == READER_TEXT;
}

static const struct reader_head *head_of(const struct rows *t, size_t k)
{
	return reader_head(t->r, t->shown[k].column);
}

static int is_ok(const struct rows *t)
{
	const char *is = reader_cell(t->r, t->status)->text;
	return is && !strcmp(is, store_status_name[STATUS_OK]);
}

static void find_columns(struct rows *t)
{
	for (size_t i = 0; i < reader_n_columns(t->r); i++) {
		const struct reader_head *h = reader_head(t->r, i);
		if (is_shown(h))
			t->shown[t->n++] = (struct shown_column){.column = i};
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

/* Notes for each column whether this row has something, and the same as the
 * rows before.  Returns 0, or -1 if memory is out. */
static int look_at_row(struct rows *t)
{
	char buf[32];
	for (size_t k = 0; k < t->n; k++) {
		struct shown_column *s = &t->shown[k];
		if (is_figure(head_of(t, k)) && !is_ok(t))
			continue;
		const char *text = reader_text(t->r, s->column, buf);
		s->has_any |= *text != '\0';
		if (!s->first) {
			s->first = strdup(text);
			s->is_constant = 1;
		}
		if (!s->first)
			return -1;
		s->is_constant &= !strcmp(s->first, text);
	}
	return 0;
}

/* Drops columns that say nothing: no row has them, or all rows have the same
 * seed or the same text. */
static void drop_columns(struct rows *t)
{
	size_t n = 0;
	for (size_t k = 0; k < t->n; k++) {
		const struct shown_column s = t->shown[k];
		const struct reader_head *h = head_of(t, k);
		int is_remark =
		    h->role == READER_SEED || h->role == READER_TEXT;
		free(s.first);
		if ((!is_figure(h) || s.has_any) &&
		    !(is_remark && s.is_constant))
			t->shown[n++] =
			    (struct shown_column){.column = s.column};
	}
	for (size_t k = n; k < t->n; k++)
		t->shown[k] = (struct shown_column){0};
	t->n = n;
}

/* ---- the table ---- */

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

/* Returns a name in lines, because names are longer than the cells below them;
 * the caller frees it.  NULL: memory is out. */
static char *name_in_lines(const char *name)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	for (size_t n; *name; name += n) {
		n = line_of_name(name);
		fprintf(f, "%.*s%s", (int)n, name, name[n] ? "\n" : "");
	}
	return text_end(&t);
}

/* Sets the cell of the k-th shown column; the first is the label of its row. */
static void set_cell(struct rows *t, size_t k, const char *text)
{
	const struct reader_head *h = head_of(t, k);
	if (k == 0)
		columns_row(&t->table, "%s", text);
	else if (h->role == READER_ARM || h->role == READER_TEXT)
		columns_words(&t->table, 0, k - 1, "%s", text);
	else
		columns_cell(&t->table, 0, k - 1, "%s", text);
}

/* Returns 0, or -1 if memory is out. */
static int add_head(struct rows *t)
{
	t->table = (struct columns){.n_groups = 1,
				    .per_group = t->n,
				    .are_labels_right =
					head_of(t, 0)->role == READER_AXIS};
	for (size_t k = 0; k < t->n; k++) {
		char *name = name_in_lines(head_of(t, k)->name);
		if (!name)
			return -1;
		set_cell(t, k, name);
		t->table.n_repeated += k && is_subject(head_of(t, k));
		free(name);
	}
	return 0;
}

/* Returns a mark for a latency of an overloaded run, which grows with the
 * length of the run. */
static const char *mark(const struct rows *t, const struct reader_head *h)
{
	const char *is =
	    t->saturation ? reader_cell(t->r, t->saturation)->text : NULL;
	return h->is.is_tail && is &&
		       !strcmp(is, saturation_name[SATURATION_OVERLOADED])
		   ? "!"
		   : "";
}

static void add_cell(struct rows *t, size_t k)
{
	const struct reader_head *h = head_of(t, k);
	double v = reader_cell(t->r, t->shown[k].column)->number;
	char buf[32];
	if (h->role != READER_NUMBER) {
		set_cell(t, k, reader_text(t->r, t->shown[k].column, buf));
		return;
	}
	/* A number is not the first column: the arm comes before. */
	columns_cell(&t->table, 0, k - 1, "%s%s",
		     isnan(v) ? "-" : number_short(buf, v),
		     isnan(v) ? "" : mark(t, h));
	columns_value(&t->table, 0, k - 1, v);
}

/* Sets *number to the number of the row's warning, 0 for none.  Returns 0, or
 * -1 if memory is out. */
static int find_warning(struct rows *t, size_t *number)
{
	const char *is =
	    t->warning ? reader_cell(t->r, t->warning)->text : NULL;
	*number = 0;
	if (!is || !*is)
		return 0;
	if (names_add_new(&t->warnings, is) < 0)
		return -1;
	while (strcmp(t->warnings.item[(*number)++], is) != 0)
		;
	return 0;
}

/* Returns 0, or -1 if memory is out. */
static int add_row(struct rows *t)
{
	char mark_of_warning[32] = "";
	size_t warning;
	if (find_warning(t, &warning) < 0)
		return -1;
	if (warning)
		snprintf(mark_of_warning, sizeof mark_of_warning, "[%zu]",
			 warning);
	size_t k = 0;
	for (; k < t->n && (is_ok(t) || !is_figure(head_of(t, k))); k++)
		add_cell(t, k);
	if (is_ok(t))
		columns_words(&t->table, 0, k - 1, "%s", mark_of_warning);
	else
		columns_remark(&t->table, 0, k - 1, "%s: %s%s%s",
			       reader_cell(t->r, t->status)->text,
			       reader_cell(t->r, t->error)->text,
			       warning ? "  " : "", mark_of_warning);
	return 0;
}

/* ---- the document ---- */

/* Reads the rows once to choose the columns, and once to fill them in.  Sets
 * *n to the number of rows.  Returns 0, or -1 with *p filled in. */
static int fill(struct rows *t, size_t *n, struct problem *p)
{
	int rc;
	for (*n = 0; (rc = reader_next(t->r, p)) == 1; ++*n)
		if (look_at_row(t) < 0)
			return problem_no_memory(p);
	if (rc < 0 || !*n)
		return rc;
	drop_columns(t);
	if (add_head(t) < 0)
		return problem_no_memory(p);
	while ((rc = reader_next(t->r, p)) == 1)
		if (add_row(t) < 0)
			return problem_no_memory(p);
	return rc;
}

static void add_parts(struct document *d, struct rows *t, size_t n)
{
	d->in = IN_TEXT;
	if (n)
		document_table(d, &t->table);
	else
		document_say(d, "no rows");
	for (size_t i = 0; i < t->warnings.n; i++)
		document_say(d, "[%zu] warning: %s", i + 1,
			     t->warnings.item[i]);
}

int sweep_rows_document(struct document *d, struct reader *r, struct problem *p)
{
	struct rows t = {.r = r};
	size_t n_columns = reader_n_columns(t.r), n;
	t.shown = calloc(n_columns + 1, sizeof *t.shown);
	if (!t.shown)
		return problem_no_memory(p);
	find_columns(&t);
	int rc = fill(&t, &n, p);
	if (rc == 0)
		add_parts(d, &t, n);
	for (size_t k = 0; k < n_columns; k++)
		free(t.shown[k].first);
	free(t.shown);
	columns_free(&t.table);
	names_free(&t.warnings);
	return rc == 0 && d->failed ? problem_no_memory(p) : rc;
}
