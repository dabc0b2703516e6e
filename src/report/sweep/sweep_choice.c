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

/* Writes the values of the axes that are still open. */
static void write_point(FILE *f, const struct sweep_data *d,
			const struct sweep_row *row, struct part part)
{
	const char *comma = "";
	for (size_t a = 0; a < d->n_axes; a++)
		if (a != part.axis && d->axis[a].value.n > 1) {
			fprintf(f, "%s%s %s", comma, sweep_axis_label(d, a),
				d->axis[a].value.item[row->at[a]]);
			comma = ", ";
		}
}

/* Returns the point and its cost; the caller frees the text. */
static char *point_text(const struct sweep_data *d, const struct sweep_row *row,
			struct part part, double expense)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	char number[NUMBER_SIZE];
	write_point(f, d, row, part);
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

/* ---- the answer ---- */

enum { FEW = 4 };

/* What the arms choose among all points. */
struct chosen {
	const struct sweep_data *d;
	const struct sweep_row **best; /* of the arms that choose a point */
	size_t n;
	size_t n_axes, n_agreed; /* axes with several values */
};

static int is_agreed(const struct chosen *x, size_t axis)
{
	for (size_t i = 1; i < x->n; i++)
		if (x->best[i]->at[axis] != x->best[0]->at[axis])
			return 0;
	return 1;
}

/* Chooses the cheapest point for each arm.  Among equally cheap ones an arm
 * takes that of the first arm, so that arms agree where they can. */
static void choose(struct chosen *x, size_t expense)
{
	const struct sweep_data *d = x->d;
	const struct part all = {d->n_axes, 0};
	for (uint32_t arm = 0; arm < d->arm.n; arm++) {
		const struct sweep_row *first = x->n ? x->best[0] : NULL;
		const struct sweep_row *best =
		    cheapest(d, arm, expense, all, first);
		if (best && first)
			x->best[0] = cheapest(
			    d, first->arm, expense, all,
			    is_as_cheap(d, expense, all, first, best) ? best
								      : first);
		if (best)
			x->best[x->n++] = best;
	}
	for (size_t a = 0; x->n && a < d->n_axes; a++)
		if (d->axis[a].value.n > 1) {
			x->n_axes++;
			x->n_agreed += (size_t)is_agreed(x, a);
		}
}

static void write_who(FILE *f, const struct chosen *x)
{
	if (x->n == 1)
		fprintf(f, "%s chooses", x->d->arm.item[x->best[0]->arm]);
	else if (x->n < x->d->arm.n)
		fprintf(f, "%zu of %zu arms choose", x->n, x->d->arm.n);
	else if (x->n == 2)
		fputs("Both arms choose", f);
	else
		fprintf(f, "All %zu arms choose", x->n);
}

/* Writes the axes on which the arms agree, with their values, or the others. */
static void write_axes(FILE *f, const struct chosen *x, int agreed)
{
	const struct sweep_data *d = x->d;
	const char *comma = "";
	for (size_t a = 0; a < d->n_axes; a++) {
		if (d->axis[a].value.n < 2 || is_agreed(x, a) != agreed)
			continue;
		fprintf(f, "%s%s", comma, sweep_axis_label(d, a));
		if (agreed)
			fprintf(f, " %s",
				d->axis[a].value.item[x->best[0]->at[a]]);
		comma = ", ";
	}
}

static void write_headline(FILE *f, const struct chosen *x)
{
	if (x->n_agreed == x->n_axes) {
		write_who(f, x);
		fputc(' ', f);
	} else if (x->n_agreed)
		fputs("The arms agree on ", f);
	write_axes(f, x, 1);
	if (x->n_agreed < x->n_axes) {
		fputs(x->n_agreed ? "; they differ in " : "The arms differ in ",
		      f);
		write_axes(f, x, 0);
	}
	fputc('.', f);
}

/* Adds the sentence without names and values if it is too long with them. */
static void say_headline(struct document *to, const struct chosen *x)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (f)
		write_headline(f, x);
	char *full = f ? text_end(&t) : NULL;
	to->failed |= !full;
	if (full && strlen(full) <= SWEEP_HEADLINE)
		document_answer(to, "%s", full);
	else if (x->n == 1)
		document_answer(to, "One point costs least.");
	else if (x->n_agreed == x->n_axes)
		document_answer(to, "%zu of %zu arms choose the same point.",
				x->n, x->d->arm.n);
	else
		document_answer(to, "The %zu arms agree on %zu of %zu axes.",
				x->n, x->n_agreed, x->n_axes);
	free(full);
}

/* Adds the point and the cost of each arm. */
static void say_each(struct document *to, const struct chosen *x,
		     const struct sweep_choice *c)
{
	const struct part all = {x->d->n_axes, 0};
	char number[NUMBER_SIZE];
	for (size_t i = 0; i < x->n; i++) {
		const struct sweep_row *best = x->best[i];
		FILE *f = document_write(to);
		if (!f)
			return;
		fprintf(f, "%s: ", x->d->arm.item[best->arm]);
		write_point(f, x->d, best, all);
		fprintf(f, "%s%s %s.", x->n_axes ? ", at " : "",
			number_short(number, best->v[c->expense]), c->name);
		document_answered(to);
	}
}

void sweep_answer(struct document *to, const struct sweep_data *d,
		  const struct sweep_choice *c)
{
	struct chosen x = {.d = d,
			   .best = calloc(d->arm.n + 1, sizeof *x.best)};
	to->failed |= !x.best;
	if (x.best)
		choose(&x, c->expense);
	if (!x.n)
		document_answer(to, "No point serves the load.");
	else if (!x.n_axes)
		document_answer(to, "There is one point, and no choice.");
	else
		say_headline(to, &x);
	if (x.n <= FEW)
		say_each(to, &x, c);
	else
		document_answer(to, "The table of choices names the point and "
				    "the cost of each arm.");
	free(x.best);
}
