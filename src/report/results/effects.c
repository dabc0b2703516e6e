/* effects.c -- Writes effects of switches. */
#include "report/results/effects.h"
#include <math.h>
#include <stdlib.h>
#include "base/text.h"

enum { MOST_IN_SHORT = 10 }; /* rows of the table in the short text */
/* Cells behind the name of a row. */
enum { EFFECT, FROM, TO, P, N_CELLS };

/* Returns the names of the switches in `set`, as "a x b", which the caller
 * frees.  Returns NULL if memory is out. */
static char *name_of(const struct effects_of *e, unsigned set)
{
	const char *before = "";
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	for (unsigned j = 0; j < e->k; j++)
		if (set >> j & 1) {
			fprintf(f, "%s%s", before, e->factor[j]);
			before = " x ";
		}
	return text_end(&t);
}

static void row(const struct effects_of *e, const struct effect *x,
		struct columns *c)
{
	char *name = name_of(e, x->set);
	columns_row(c, "%s", name ? name : "");
	free(name);
	columns_cell(c, 0, EFFECT, "%+.*f", e->decimals, x->effect);
	columns_value(c, 0, EFFECT, x->effect);
	if (isnan(x->low))
		return;
	columns_cell(c, 0, FROM, "%+.*f", e->decimals, x->low);
	columns_cell(c, 0, TO, "%+.*f", e->decimals, x->high);
	columns_cell(c, 0, P, "%.2g", x->p_adjusted);
}

static void table(const struct effects_of *e, size_t n, struct document *d)
{
	static const char *const head[N_CELLS] = {"effect", "from", "to", "p"};
	struct columns c =
	    columns_begin(head, N_CELLS, "%s%s%s", e->metric,
			  e->group ? ", " : "", e->group ? e->group : "");
	for (size_t i = 0; i < n; i++)
		row(e, &e->item[i], &c);
	document_table(d, &c);
}

void effects_table(const struct effects_of *e, struct document *d)
{
	unsigned in = d->in;
	d->in = in & IN_SHORT;
	table(e, e->n < MOST_IN_SHORT ? e->n : MOST_IN_SHORT, d);
	d->in = in & IN_DETAILS;
	table(e, e->n, d);
	d->in = in;
}

void effects_json(const struct effects_of *e, struct jw *j)
{
	for (size_t i = 0; i < e->n; i++) {
		const struct effect *x = &e->item[i];
		jw_flat_object(j, NULL);
		jw_flat_array(j, "factors");
		for (unsigned k = 0; k < e->k; k++)
			if (x->set >> k & 1)
				jw_text(j, NULL, e->factor[k]);
		jw_end(j);
		jw_text(j, "metric", e->metric);
		if (e->group)
			jw_text(j, "group", e->group);
		jw_number(j, "effect", x->effect);
		jw_number(j, "low", x->low);
		jw_number(j, "high", x->high);
		jw_number(j, "p", x->p);
		jw_number(j, "p_adjusted", x->p_adjusted);
		jw_end(j);
	}
}
