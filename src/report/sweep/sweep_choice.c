/* sweep_choice.c -- Finds the point that each arm would choose. */
#include "report/sweep/sweep_choice.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/number.h"

/* The rows that take part: those with this value on this axis; all rows if axis
 * is n_axes. */
struct part {
	size_t axis;
	uint32_t value;
};

static int takes_part(const struct sweep_data *d, const struct sweep_row *row,
		      struct part part)
{
	return part.axis == d->n_axes || row->at[part.axis] == part.value;
}

static int is_same_point(const struct sweep_data *d, const struct sweep_row *a,
			 const struct sweep_row *b)
{
	return !memcmp(a->at, b->at, d->n_axes * sizeof *a->at);
}

/* Returns the cheapest row of an arm; of several the one at the point of
 * `like`, which may be NULL.  An overloaded one serves no workload, so it is
 * never chosen.  NULL: the arm has no other row with a known cost. */
static const struct sweep_row *cheapest(const struct sweep_data *d,
					uint32_t arm, size_t expense,
					struct part part,
					const struct sweep_row *like)
{
	const struct sweep_row *best = NULL;
	for (size_t i = 0; i < d->n; i++) {
		const struct sweep_row *row = &d->row[i];
		if (row->arm == arm && takes_part(d, row, part) &&
		    row->is_served && isfinite(row->v[expense]) &&
		    (!best || row->v[expense] < best->v[expense] ||
		     (row->v[expense] <= best->v[expense] && like &&
		      is_same_point(d, row, like))))
			best = row;
	}
	return best;
}

/* Returns the values of the axes that are still open; the caller frees the
 * text. */
static char *point_text(const struct sweep_data *d, const struct sweep_row *row,
			struct part part, double expense)
{
	const char *comma = "";
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	for (size_t a = 0; a < d->n_axes; a++)
		if (a != part.axis && d->axis[a].value.n > 1) {
			fprintf(f, "%s%s %s", comma, sweep_axis_label(d, a),
				d->axis[a].value.item[row->at[a]]);
			comma = ", ";
		}
	char number[NUMBER_SIZE];
	fprintf(f, " (%s)", number_short(number, expense));
	return text_end(&t);
}

/* Returns 1 if the arm that chose `own` finds the point of `other` as cheap. */
static int is_as_cheap(const struct sweep_data *d, size_t expense,
		       struct part part, const struct sweep_row *own,
		       const struct sweep_row *other)
{
	return is_same_point(d, cheapest(d, own->arm, expense, part, other),
			     other);
}

struct choice_table {
	const struct sweep_data *d;
	size_t expense;
	struct columns table;
	size_t n_differ;
};

static void begin_row(struct choice_table *t, struct part part)
{
	const struct sweep_data *d = t->d;
	if (part.axis == d->n_axes)
		columns_row(&t->table, "all points");
	else
		columns_row(&t->table, "%s %s", sweep_axis_label(d, part.axis),
			    d->axis[part.axis].value.item[part.value]);
}

static void set_choice(struct choice_table *t, const struct sweep_row *best,
		       uint32_t arm, struct part part)
{
	char *text =
	    best ? point_text(t->d, best, part, best->v[t->expense]) : NULL;
	t->table.failed |= best && !text;
	columns_cell(&t->table, 0, arm, "%s", best && text ? text : "none");
	free(text);
}

static void add_row(struct choice_table *t, struct part part)
{
	const struct sweep_data *d = t->d;
	const struct sweep_row *first = NULL;
	int differ = 0;
	begin_row(t, part);
	for (uint32_t arm = 0; arm < d->arm.n; arm++) {
		const struct sweep_row *best =
		    cheapest(d, arm, t->expense, part, first);
		set_choice(t, best, arm, part);
		if (best && first)
			differ |=
			    !is_same_point(d, best, first) &&
			    !is_as_cheap(d, t->expense, part, first, best);
		first = first ? first : best;
	}
	columns_cell(&t->table, 0, d->arm.n, differ ? "different" : "alike");
	t->n_differ += (size_t)differ;
}

static void fill(struct choice_table *t)
{
	const struct sweep_data *d = t->d;
	columns_row(&t->table, "among");
	for (size_t i = 0; i < d->arm.n; i++)
		columns_cell(&t->table, 0, i, "%s", d->arm.item[i]);
	columns_cell(&t->table, 0, d->arm.n, "arms choose");
	add_row(t, (struct part){d->n_axes, 0});
	for (size_t a = 0; a < d->n_axes; a++)
		for (uint32_t v = 0;
		     d->axis[a].value.n > 1 && v < d->axis[a].value.n; v++)
			add_row(t, (struct part){a, v});
}

static size_t count_unserved(const struct sweep_data *d)
{
	size_t n = 0;
	for (size_t i = 0; i < d->n; i++)
		n += !d->row[i].is_served;
	return n;
}

void sweep_choices(struct document *to, const struct sweep_data *d,
		   const struct sweep_choice *c)
{
	struct choice_table t = {
	    .d = d,
	    .expense = c->expense,
	    .table = {.n_groups = 1, .per_group = d->arm.n + 1}};
	if (!d->n)
		return;
	fill(&t);
	document_heading(to, "The choice of each arm");
	document_say(to,
		     "The point with the least %s under each arm, and that "
		     "value in brackets; arms choose differently in %zu of %zu "
		     "cases. Points that are overloaded or complete nothing "
		     "are not chosen (%zu of %zu rows).",
		     c->name, t.n_differ, t.table.n_rows - 1, count_unserved(d),
		     d->n);
	document_table(to, &t.table);
}

/* ---- the headline ---- */

/* Writes one arm's choice. */
static void say_choice(FILE *f, const struct sweep_data *d,
		       const struct sweep_row *best, double expense)
{
	char *point = point_text(d, best, (struct part){d->n_axes, 0}, expense);
	fprintf(f, "%s: %s", d->arm.item[best->arm], point ? point : "");
	free(point);
}

char *sweep_headline(const struct sweep_data *d, const struct sweep_choice *c)
{
	const struct part all = {d->n_axes, 0};
	size_t n = 0;
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	for (uint32_t arm = 0; arm < d->arm.n; arm++) {
		const struct sweep_row *best =
		    cheapest(d, arm, c->expense, all, NULL);
		if (!best)
			continue;
		if (n++ == 0)
			fprintf(f, "Least %s — ", c->name);
		else
			fputs("; ", f);
		say_choice(f, d, best, best->v[c->expense]);
	}
	fputs(n ? "." : "No point serves the load.", f);
	return text_end(&t);
}
