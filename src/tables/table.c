/* table.c -- Holds the columns and rows of a table. */
#include "tables/table.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/problem.h"

int table_column(const struct table *t, const char *name)
{
	for (uint32_t i = 0; i < t->view.n_cols; i++)
		if (!strcmp(t->head[i], name))
			return (int)i;
	return -1;
}

const char *table_set_columns(struct table *t, uint32_t n,
			      const char *const *name)
{
	t->head = calloc(n, sizeof *t->head);
	t->col = calloc(n, sizeof *t->col);
	t->text = calloc(n, sizeof *t->text);
	if (!t->head || !t->col || !t->text)
		return out_of_memory;
	for (uint32_t i = 0; i < n; i++) {
		if (table_column(t, name[i]) >= 0)
			return "a column twice";
		if (!(t->head[i] = strdup(name[i])))
			return out_of_memory;
		t->view.n_cols++;
	}
	return NULL;
}

/* Grows the columns; the first row decides what each column holds. */
static int grow(struct table *t, const struct table_cell *first)
{
	uint64_t cap = t->cap ? 2 * t->cap : 64;
	uint64_t *line = realloc(t->line, cap * sizeof *line);
	if (!line)
		return -1;
	t->line = line;
	for (uint32_t i = 0; i < t->view.n_cols; i++) {
		if (t->cap ? t->text[i] != NULL : first[i].words != NULL) {
			char **w = realloc(t->text[i], cap * sizeof *w);
			if (!w)
				return -1;
			t->text[i] = w;
		} else {
			double *d = realloc(t->col[i], cap * sizeof *d);
			if (!d)
				return -1;
			t->col[i] = d;
		}
	}
	t->cap = cap;
	return 0;
}

/* Returns the table's own copy of the words, from those that it took recently,
 * or a new one.  above: the cell in the row before, or NULL. */
static char *keep_text(struct table *t, const char *words, char *above)
{
	enum { LATELY = 100 };
	if (above && !strcmp(above, words))
		return above;
	for (size_t i = t->n_words; i-- > 0 && i + LATELY >= t->n_words;)
		if (!strcmp(t->word[i], words))
			return t->word[i];
	if (!MAKE_ROOM(t->word, t->n_words, t->cap_words))
		return NULL;
	char *own = strdup(words);
	if (own)
		t->word[t->n_words++] = own;
	return own;
}

int table_append(struct table *t, uint64_t line, const struct table_cell *cell)
{
	uint64_t r = t->view.n_rows;
	if (r == t->cap && grow(t, cell) < 0)
		return -1;
	t->line[r] = line;
	for (uint32_t i = 0; i < t->view.n_cols; i++) {
		if (!t->text[i]) {
			t->col[i][r] = cell[i].number;
			continue;
		}
		t->text[i][r] =
		    keep_text(t, cell[i].words, r ? t->text[i][r - 1] : NULL);
		if (!t->text[i][r])
			return -1;
	}
	t->view.n_rows++;
	return 0;
}

void table_show(struct table *t)
{
	t->view.size = sizeof t->view;
	t->view.op = t->op;
	t->view.origin = t->origin;
	t->view.col_name = (const char *const *)t->head;
	t->view.col = (const double *const *)t->col;
	t->view.text = (const char *const *const *)t->text;
}

void table_free(struct table *t)
{
	for (uint32_t i = 0; i < t->view.n_cols; i++)
		free(t->head[i]), free(t->col[i]), free(t->text[i]);
	free(t->line);
	for (size_t i = 0; i < t->n_words; i++)
		free(t->word[i]);
	free(t->head), free(t->col), free(t->text), free(t->word);
	free(t->origin), free(t->op);
	*t = (struct table){0};
}
