/* check_other_sets.c -- Compares a table with the tables of other sets. */
#include "tables/check_other_sets.h"
#include <stdlib.h>
#include <string.h>
#include "math/statistics.h"
#include "tables/choice.h"
#include "tables/row_groups.h"

/* ---- the other sets ---- */

static const char *gpu_of(const struct table_set *s)
{
	const char *gpu = ini_get(&s->manifest, "", "gpu");
	return gpu ? gpu : s->name;
}

/* Returns 1 also for "H100 SXM 80GB" and "H100 SXM". */
static int are_of_one_gpu(const struct table_set *a, const struct table_set *b)
{
	return set_is_of_gpu(gpu_of(a), gpu_of(b)) ||
	       set_is_of_gpu(gpu_of(b), gpu_of(a));
}

int other_sets_find(struct other_sets *s, struct library *l, const char *path,
		    const struct table_set *self)
{
	const struct library_folder *f = library_folder(l, path, KERNEL_OF_ANY);
	*s = (struct other_sets){.self = self};
	if (!f || !(s->other = calloc(f->set.n + 1, sizeof *s->other)) ||
	    !(s->same_gpu = calloc(f->set.n + 1, sizeof *s->same_gpu)))
		return -1;
	for (size_t i = 0; i < f->set.n; i++) {
		struct problem why;
		const struct table_set *o =
		    strcmp(f->set.item[i], self->name)
			? library_set(l, path, f->set.item[i], KERNEL_OF_ANY,
				      &why)
			: NULL;
		if (!o)
			continue;
		s->same_gpu[s->n] = are_of_one_gpu(o, self);
		s->other[s->n++] = o;
	}
	return 0;
}

void other_sets_free(struct other_sets *s)
{
	free(s->other), free(s->same_gpu);
	*s = (struct other_sets){0};
}

/* ---- points ---- */

/* What a row measured; the kernel does not matter. */
enum { MAX_PARTS = KERNEL_MAX_KEYS + KERNEL_MAX_AXES };
struct point {
	double size[MAX_PARTS];
	const char *word[MAX_PARTS];
	double us;
};
struct columns {
	int at[MAX_PARTS]; /* -1: not in the table */
	int n;
};

static void add_columns(struct columns *k, const struct table *t,
			const struct kernel_axis *a)
{
	for (; a->name; a++) {
		int at = table_column(t, a->name);
		if (at < 0 && a->other_name)
			at = table_column(t, a->other_name);
		if (strcmp(a->name, "kernel"))
			k->at[k->n++] = at;
	}
}

static struct columns find_columns(const struct kernel_op *kind,
				   const struct table *t)
{
	struct columns k = {.n = 0};
	add_columns(&k, t, kind->key);
	add_columns(&k, t, kind->axis);
	return k;
}

static struct point point_of(const struct columns *k, const struct table *t,
			     uint64_t row, double us)
{
	struct point p = {.us = us};
	for (int i = 0; i < k->n; i++) {
		int at = k->at[i];
		if (at >= 0 && t->text[at])
			p.word[i] = t->text[at][row];
		else
			p.size[i] = at >= 0 ? t->col[at][row] : 1;
	}
	return p;
}

static int compare_text(const char *a, const char *b)
{
	return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int by_point(const void *a, const void *b)
{
	const struct point *p = a, *q = b;
	int d = 0;
	for (int i = 0; d == 0 && i < MAX_PARTS; i++) {
		d = (p->size[i] > q->size[i]) - (p->size[i] < q->size[i]);
		if (d == 0)
			d = compare_text(p->word[i], q->word[i]);
	}
	return d;
}

/* ---- tables of the same points ---- */

static int same_columns(const struct kernel_axis *a,
			const struct kernel_axis *b)
{
	while (a->name && b->name && !strcmp(a->name, b->name))
		a++, b++;
	return !a->name && !b->name;
}

static int same_points(const struct kernel_op *a, const struct kernel_op *b)
{
	return a && same_columns(a->key, b->key) &&
	       same_columns(a->axis, b->axis) && a->part[0][0] == NULL;
}

struct measured {
	struct point *item;
	size_t n;
};

static int add_table(struct measured *m, const struct kernel_op *kind,
		     const struct table *t)
{
	int us = table_column(t, "latency_us");
	if (us < 0 || !same_points(kernel_table_find(t->op), kind))
		return 0;
	struct columns k = find_columns(kind, t);
	struct point *item =
	    realloc(m->item, (m->n + t->view.n_rows) * sizeof *item);
	if (!item)
		return -1;
	m->item = item;
	for (uint64_t r = 0; r < t->view.n_rows; r++)
		m->item[m->n++] = point_of(&k, t, r, t->col[us][r]);
	return 0;
}

static int measure(struct measured *m, const struct kernel_op *kind,
		   const struct other_sets *s)
{
	*m = (struct measured){0};
	for (size_t i = 0; i < s->n; i++)
		for (uint32_t k = 0; s->same_gpu[i] && k < s->other[i]->n; k++)
			if (add_table(m, kind, s->other[i]->table[k]) < 0)
				return -1;
	if (m->n)
		qsort(m->item, m->n, sizeof *m->item, by_point);
	return 0;
}

/* Returns the fastest row at a point, or 0 if the point was not measured. */
static double fastest(const struct measured *m, const struct point *p)
{
	const struct point *at =
	    m->n ? bsearch(p, m->item, m->n, sizeof *p, by_point) : NULL;
	double us = 0;
	if (!at)
		return 0;
	while (at > m->item && by_point(at - 1, p) == 0)
		at--;
	for (; at < m->item + m->n && by_point(at, p) == 0; at++)
		us = us > 0 && us < at->us ? us : at->us;
	return us;
}

/* ---- the findings ---- */

/* Tables of different engines differ by 10 to 30 %. */
static const double much_slower = 2.5;
enum { ENOUGH_POINTS = 16 };

static void check_group(const struct checked_table *c,
			const struct row_groups *g, uint32_t group,
			const double *ratio, double *of_group)
{
	char words[ROW_WORDS];
	size_t n = 0;
	for (uint64_t r = 0; r < c->t.view.n_rows; r++)
		if (g->of[r] == group && ratio[r] > 0)
			of_group[n++] = ratio[r];
	if (n < ENOUGH_POINTS)
		return;
	stats_sort(of_group, n);
	double median = stats_percentile(of_group, n, 0.5);
	if (median >= much_slower)
		checked_tell(c, (int64_t)g->first[group], "not_tuned", 0,
			     "%s%.1f times what other sets of this GPU take, "
			     "in the median of %zu points: a kernel that was "
			     "not tuned, or time of the host",
			     row_text(c, g->first[group], words), median, n);
}

static int check_tuning(const struct checked_table *c,
			const struct other_sets *s)
{
	struct row_groups g;
	struct measured m;
	struct columns k = find_columns(c->kind, &c->t);
	double *ratio = calloc(2 * c->t.view.n_rows, sizeof *ratio);
	int rc = row_groups_make(&g, c);
	if (measure(&m, c->kind, s) < 0 || !ratio)
		rc = -1;
	for (uint64_t r = 0; rc == 0 && r < c->t.view.n_rows; r++) {
		struct point p = point_of(&k, &c->t, r, c->latency[r]);
		double us = fastest(&m, &p);
		ratio[r] = us > 0 ? p.us / us : 0;
	}
	for (uint32_t i = 0; rc == 0 && i < g.n; i++)
		check_group(c, &g, i, ratio, ratio + c->t.view.n_rows);
	row_groups_free(&g);
	free(ratio), free(m.item);
	return rc;
}

static void check_copies(const struct checked_table *c,
			 const struct table_file *of,
			 const struct other_sets *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (uint32_t k = 0; k < s->other[i]->n_files; k++)
			if (!s->same_gpu[i] &&
			    !strcmp(of->sha256, s->other[i]->file[k].sha256))
				checked_tell(
				    c, -1, "same_file", 0,
				    "the same bytes as %s, which is of another "
				    "GPU: %s",
				    s->other[i]->file[k].name,
				    gpu_of(s->other[i]));
}

int tables_check_other_sets(const struct checked_table *c,
			    const struct table_file *of,
			    const struct other_sets *s, struct problem *p)
{
	check_copies(c, of, s);
	if (!c->kind->key[0].name || check_tuning(c, s) == 0)
		return 0;
	return problem_no_memory(p);
}
