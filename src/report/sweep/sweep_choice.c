/* sweep_choice.c -- Finds the point that each arm would choose. */
#include "report/sweep/sweep_choice.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/number.h"
#include "draw/html.h"

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
	char **cell; /* [n_rows][arms + 2] */
	size_t n_rows, n_differ;
};

static char *part_text(const struct sweep_data *d, struct part part)
{
	char *text;
	if (part.axis == d->n_axes)
		return strdup("all points");
	return asprintf(&text, "%s %s", sweep_axis_label(d, part.axis),
			d->axis[part.axis].value.item[part.value]) < 0
		   ? NULL
		   : text;
}

static void add_row(struct choice_table *t, struct part part)
{
	const struct sweep_data *d = t->d;
	const struct sweep_row *first = NULL;
	char **cell = t->cell + t->n_rows++ * (d->arm.n + 2);
	int differ = 0;
	cell[0] = part_text(d, part);
	for (uint32_t arm = 0; arm < d->arm.n; arm++) {
		const struct sweep_row *best =
		    cheapest(d, arm, t->expense, part, first);
		cell[1 + arm] =
		    best ? point_text(d, best, part, best->v[t->expense])
			 : strdup("none");
		if (best && first)
			differ |=
			    !is_same_point(d, best, first) &&
			    !is_as_cheap(d, t->expense, part, first, best);
		first = first ? first : best;
	}
	cell[1 + d->arm.n] = strdup(differ ? "different" : "alike");
	t->n_differ += (size_t)differ;
}

static size_t count_parts(const struct sweep_data *d)
{
	size_t n = 1;
	for (size_t a = 0; a < d->n_axes; a++)
		n += d->axis[a].value.n > 1 ? d->axis[a].value.n : 0;
	return n;
}

static void fill(struct choice_table *t)
{
	const struct sweep_data *d = t->d;
	add_row(t, (struct part){d->n_axes, 0});
	for (size_t a = 0; a < d->n_axes; a++)
		for (uint32_t v = 0;
		     d->axis[a].value.n > 1 && v < d->axis[a].value.n; v++)
			add_row(t, (struct part){a, v});
}

static void write_table(FILE *f, const struct choice_table *t, const char *name)
{
	size_t n = t->d->arm.n;
	struct html_column *column = calloc(n + 2, sizeof *column);
	char text[400];
	size_t unserved = 0;
	for (size_t i = 0; i < t->d->n; i++)
		unserved += !t->d->row[i].is_served;
	if (!column)
		return;
	column[0].name = "among";
	for (size_t i = 0; i < n; i++)
		column[1 + i].name = t->d->arm.item[i];
	column[1 + n].name = "arms choose";
	snprintf(text, sizeof text,
		 "The point with the least %s under each arm, and that value "
		 "in brackets; arms choose differently in %zu of %zu cases. "
		 "Points that are overloaded or complete nothing are not "
		 "chosen (%zu of %zu rows).",
		 name, t->n_differ, t->n_rows, unserved, t->d->n);
	html_heading(f, "The choice of each arm");
	html_paragraph(f, text);
	const struct html_arms arms = {(const char *const *)t->d->arm.item, n};
	html_table(f, &arms, NULL, column, n + 2, (const char *const *)t->cell,
		   t->n_rows);
	free(column);
}

void sweep_choices(FILE *f, const struct sweep_data *d,
		   const struct sweep_choice *c)
{
	size_t n = count_parts(d), width = d->arm.n + 2;
	struct choice_table t = {.d = d, .expense = c->expense};
	t.cell = calloc(n * width + 1, sizeof *t.cell);
	if (!t.cell || !d->n)
		n = 0;
	if (n) {
		fill(&t);
		write_table(f, &t, c->name);
	}
	for (size_t i = 0; i < n * width; i++)
		free(t.cell[i]);
	free(t.cell);
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
