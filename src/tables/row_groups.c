/* row_groups.c -- Groups the rows of a table by their strings. */
#include "tables/row_groups.h"
#include <stdio.h>
#include <stdlib.h>

/* A table keeps equal strings once, so comparing pointers is enough. */
static int same_text(const struct checked_table *c, uint64_t a, uint64_t b)
{
	for (uint32_t i = 0; i < c->n_keys; i++) {
		char *const *words = c->t.text[c->key[i]];
		if (words && words[a] != words[b])
			return 0;
	}
	return 1;
}

int row_groups_make(struct row_groups *g, const struct checked_table *c)
{
	uint64_t n = c->t.view.n_rows;
	*g = (struct row_groups){.of = calloc(n + 1, sizeof *g->of),
				 .first = calloc(n + 1, sizeof *g->first)};
	if (!g->of || !g->first)
		return -1;
	uint32_t last = 0;
	for (uint64_t r = 0; r < n; r++) {
		uint32_t i = last;
		if (i == g->n || !same_text(c, g->first[i], r))
			for (i = 0; i < g->n; i++)
				if (same_text(c, g->first[i], r))
					break;
		if (i == g->n)
			g->first[g->n++] = r;
		g->of[r] = last = i;
	}
	return 0;
}

void row_groups_free(struct row_groups *g)
{
	free(g->of), free(g->first);
	*g = (struct row_groups){0};
}

const char *row_text(const struct checked_table *c, uint64_t row,
		     char buf[ROW_WORDS])
{
	size_t n = 0;
	buf[0] = '\0';
	for (uint32_t i = 0; i < c->n_keys && n < ROW_WORDS; i++) {
		char *const *words = c->t.text[c->key[i]];
		if (words)
			n += (size_t)snprintf(buf + n, ROW_WORDS - n, "%s%s",
					      n ? " " : "", words[row]);
	}
	if (n > 0 && n + 2 < ROW_WORDS)
		snprintf(buf + n, ROW_WORDS - n, ": ");
	return buf;
}
