/* grid.c -- Makes rows of texts from files and lists. */
#include "experiment/grid.h"
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"

/* Adds a row that csv_read() passes: row 0 is the header. */
static const char *add_row(void *user, uint64_t row, uint32_t n,
			   char *const *cell)
{
	struct grid *g = user;
	char ***to = row ? &g->cell : &g->head;
	size_t at = row ? g->n_rows * n : 0;
	char **more = realloc(*to, (at + n) * sizeof *more);
	int whole = 1;
	if (!more)
		return out_of_memory;
	*to = more;
	for (uint32_t i = 0; i < n; i++) {
		more[at + i] = strdup(cell[i]);
		whole &= more[at + i] != NULL;
	}
	if (row)
		g->n_rows = row;
	else
		g->n_cols = n;
	return whole ? NULL : out_of_memory;
}

int grid_read(struct grid *g, FILE *f, const char *origin, struct problem *p)
{
	return csv_read(f, origin, add_row, g, p);
}

int grid_words(struct grid *g, const char *name, const char *words)
{
	char *list = strdup(words), *rest = list, *word;
	int ok = list != NULL;
	if (!g->n_cols && ok) {
		char *const head[] = {strdup(name)};
		ok = head[0] && !add_row(g, 0, 1, head);
		free(head[0]);
	}
	while (ok && (word = strsep(&rest, ","))) {
		word += strspn(word, " \t");
		word[strcspn(word, " \t")] = '\0';
		ok = !add_row(g, g->n_rows + 1, 1, &word);
	}
	free(list);
	return ok ? 0 : -1;
}

int grid_cross(struct grid *g, const struct grid *with)
{
	struct grid new = {0};
	size_t n = g->n_cols + 1, n_old = g->n_cols ? g->n_rows : 1;
	char **line = calloc(n, sizeof *line);
	int ok = line != NULL;
	for (size_t k = 0; ok && k < n; k++)
		line[k] = k < g->n_cols ? g->head[k] : with->head[0];
	ok = ok && !add_row(&new, 0, (uint32_t)n, line);
	for (size_t i = 0; ok && i < n_old * with->n_rows; i++) {
		for (size_t k = 0; k < g->n_cols; k++)
			line[k] = g->cell[i / with->n_rows * g->n_cols + k];
		line[n - 1] = with->cell[i % with->n_rows];
		ok = !add_row(&new, new.n_rows + 1, (uint32_t)n, line);
	}
	free(line);
	grid_free(ok ? g : &new);
	if (ok)
		*g = new;
	return ok ? 0 : -1;
}

void grid_drop_row(struct grid *g, size_t row)
{
	char **at = g->cell + row * g->n_cols;
	for (size_t k = 0; k < g->n_cols; k++)
		free(at[k]);
	g->n_rows--;
	memmove(at, at + g->n_cols, (g->n_rows - row) * g->n_cols * sizeof *at);
}

int grid_column(const struct grid *g, const char *name)
{
	for (size_t i = 0; i < g->n_cols; i++)
		if (!strcmp(g->head[i], name))
			return (int)i;
	return -1;
}

const char *grid_cell(const struct grid *g, size_t row, size_t column)
{
	return g->cell[row * g->n_cols + column];
}

void grid_free(struct grid *g)
{
	for (size_t i = 0; i < g->n_cols; i++)
		free(g->head[i]);
	for (size_t i = 0; i < g->n_cols * g->n_rows; i++)
		free(g->cell[i]);
	free(g->head);
	free(g->cell);
	*g = (struct grid){0};
}
