/* What a document has, for tests. */
#pragma once
#include <string.h>
#include "report/document.h"

/* Returns the first table with this label in its head; NULL: there is none. */
__attribute__((unused)) static const struct columns *
document_find(const struct document *d, const char *label)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct columns *c = &d->part[i].table;
		if (c->n_rows && columns_at(c, 0)->text &&
		    !strcmp(columns_at(c, 0)->text, label))
			return c;
	}
	return NULL;
}

static int document_part_says(const struct document_part *x, const char *text)
{
	for (size_t i = 0; i < x->table.n_rows * columns_width(&x->table); i++)
		if (x->table.cell[i].text &&
		    strstr(x->table.cell[i].text, text))
			return 1;
	return x->text && strstr(x->text, text);
}

/* Returns 1 if a sentence or a part shown there has this text. */
__attribute__((unused)) static int document_says(const struct document *d,
						 unsigned in, const char *text)
{
	for (size_t i = 0; i < d->answer.n; i++)
		if (strstr(d->answer.item[i], text))
			return 1;
	for (size_t i = 0; i < d->n; i++)
		if (d->part[i].in & in && document_part_says(&d->part[i], text))
			return 1;
	return 0;
}
