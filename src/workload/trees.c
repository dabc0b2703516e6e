/* trees.c -- Finds which rows of a trace wait for which, and frees them as
 * others end. */
#include "workload/trees.h"
#include <math.h>
#include <stdlib.h>
#include "base/grow.h"
#include "base/map64.h"
#include "workload/trace/trace_reader.h"

/* `row` is after the request with that id, the place-th of its list. */
struct wait {
	uint64_t id;
	uint32_t row, place;
};
struct reading {
	struct trees *s;
	struct trace *t;
	struct map64 rows; /* id -> 1 + row */
	struct wait *wait;
	size_t n, cap;
	struct problem *p;
};

/* ---- reading ---- */

static int fault(struct reading *r, uint32_t row, const char *why)
{
	return problem_at(r->p, trace_path(r->t), r->s->row[row].line, why);
}

static int add_wait(struct reading *r, struct wait w)
{
	if (!MAKE_ROOM(r->wait, r->n, r->cap))
		return problem_no_memory(r->p);
	r->wait[r->n++] = w;
	return 0;
}

static int add_row(struct reading *r, const struct trace_row *row)
{
	uint32_t i = r->s->n++;
	char why[120];
	r->s->row[i] =
	    (struct tree_row){.offset = row->offset,
			      .line = row->request.line,
			      .ns = row->n_after ? row->delay_ns : row->time_ns,
			      .ready_ns = INT64_MIN,
			      .n_waits = row->n_after,
			      .is_root = row->n_after == 0,
			      .next_root = TREES_NONE,
			      .tree = i};
	uint64_t *at = map64_at(&r->rows, row->id, NULL);
	if (!at)
		return problem_no_memory(r->p);
	if (*at) {
		snprintf(why, sizeof why,
			 "its request_id comes twice, first in line %llu",
			 (unsigned long long)r->s->row[*at - 1].line);
		return fault(r, i, why);
	}
	*at = i + 1u;
	for (uint32_t k = 0; k < row->n_after; k++)
		if (add_wait(r, (struct wait){row->after[k], i, k}) < 0)
			return -1;
	return 0;
}

static int read_rows(struct reading *r, uint64_t n)
{
	struct trace_row row;
	int got = 1;
	if (n >= TREES_NONE)
		return problem_set(r->p, EXIT_INPUT,
				   "%s: sessions as trees have at most %lu "
				   "rows",
				   trace_path(r->t),
				   (unsigned long)TREES_NONE - 1);
	r->s->row = calloc(n + 1, sizeof *r->s->row);
	if (!r->s->row)
		return problem_no_memory(r->p);
	while (r->s->n < n && (got = trace_next(r->t, &row, r->p)) == 1)
		if (add_row(r, &row) < 0)
			return -1;
	return got < 0 ? -1 : trace_rewind(r->t, r->p);
}

/* ---- which row waits for which ---- */

/* Replaces the ids by rows. */
static int find_ids(struct reading *r)
{
	char why[120];
	for (size_t i = 0; i < r->n; i++) {
		struct wait *w = &r->wait[i];
		const uint64_t *at = map64_at(&r->rows, w->id, NULL);
		if (!at)
			return problem_no_memory(r->p);
		snprintf(why, sizeof why,
			 "after: entry %u is no request_id of the rows that "
			 "are read",
			 w->place + 1);
		if (!*at)
			return fault(r, w->row, why);
		w->id = *at - 1;
		if (w->id == w->row)
			return fault(r, w->row, "after: it waits for itself");
	}
	return 0;
}

/* Sorts the waits by the row that is waited for, by counting: edges becomes how
 * many, then the end, then the beginning of each row's part of edge[]. */
static int make_edges(struct reading *r)
{
	struct trees *s = r->s;
	s->edge = calloc(r->n + 1, sizeof *s->edge);
	if (!s->edge || r->n >= TREES_NONE)
		return problem_no_memory(r->p);
	for (size_t i = 0; i < r->n; i++)
		s->row[r->wait[i].id].edges++;
	uint32_t end = 0;
	for (uint32_t i = 0; i <= s->n; i++)
		s->row[i].edges = end += s->row[i].edges;
	for (size_t i = r->n; i-- > 0;)
		s->edge[--s->row[r->wait[i].id].edges] = r->wait[i].row;
	return 0;
}

/* Names a row of a circle, where each row that is marked in left[] waits for
 * another one of these. */
static int report_circle(struct reading *r, const uint32_t *left,
			 uint32_t *waits_for)
{
	const struct trees *s = r->s;
	uint32_t i = 0;
	for (uint32_t k = 0; k < s->n; k++)
		for (uint32_t e = s->row[k].edges; e < s->row[k + 1].edges; e++)
			if (left[k])
				waits_for[s->edge[e]] = k;
	while (!left[i])
		i++;
	for (uint32_t k = 0; k < s->n; k++) /* into the circle */
		i = waits_for[i];
	uint32_t first = i;
	for (uint32_t k = waits_for[i]; k != i; k = waits_for[k])
		if (k < first)
			first = k;
	return fault(r, first,
		     "after: it waits for a request that waits for it");
}

/* Ends all rows in turn, roots first; the others wait in a circle. */
static int check_circles(struct reading *r)
{
	const struct trees *s = r->s;
	uint32_t *left = calloc(s->n + 1u, sizeof *left);
	uint32_t *ended = calloc(s->n + 1u, sizeof *ended);
	uint32_t n = 0, done = 0;
	int rc = 0;
	if (!left || !ended)
		rc = problem_no_memory(r->p);
	for (uint32_t i = 0; rc == 0 && i < s->n; i++)
		if (!(left[i] = s->row[i].n_waits))
			ended[n++] = i;
	for (; rc == 0 && done < n; done++) {
		const struct tree_row *row = &s->row[ended[done]];
		for (uint32_t e = row[0].edges; e < row[1].edges; e++)
			if (--left[s->edge[e]] == 0)
				ended[n++] = s->edge[e];
	}
	if (rc == 0 && n < s->n)
		rc = report_circle(r, left, ended);
	free(left), free(ended);
	return rc;
}

/* ---- trees ---- */

/* Returns the first row of the tree so far; tree[] of rows leads there. */
static uint32_t head(struct trees *s, uint32_t i)
{
	while (s->row[i].tree != i)
		i = s->row[i].tree = s->row[s->row[i].tree].tree;
	return i;
}

static void join_rows(struct trees *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t e = s->row[i].edges; e < s->row[i + 1].edges;
		     e++) {
			uint32_t a = head(s, i), b = head(s, s->edge[e]);
			s->row[a > b ? a : b].tree = a < b ? a : b;
		}
}

/* Numbers the trees by their first rows.  A head comes before its rows. */
static void number_trees(struct trees *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t first = head(s, i);
		s->row[i].tree = first == i ? i : first;
	}
	for (uint32_t i = 0; i < s->n; i++)
		s->row[i].tree = s->row[i].tree == i
				     ? s->n_trees++
				     : s->row[s->row[i].tree].tree;
}

static int make_trees(struct reading *r)
{
	struct trees *s = r->s;
	join_rows(s);
	number_trees(s);
	s->tree = calloc(s->n_trees, sizeof *s->tree);
	s->order = calloc(s->n_trees, sizeof *s->order);
	if (!s->tree || !s->order)
		return problem_no_memory(r->p);
	for (uint32_t i = 0; i < s->n_trees; i++) {
		s->tree[i].roots = TREES_NONE;
		s->order[i] = i;
	}
	for (uint32_t i = s->n; i-- > 0;) {
		struct tree_row *row = &s->row[i];
		struct tree *tree = &s->tree[row->tree];
		tree->n_left = ++tree->n_rows;
		if (!row->is_root)
			continue;
		if (tree->roots == TREES_NONE || row->ns <= tree->ns) {
			tree->ns = row->ns;
			tree->first = i;
		}
		row->next_root = tree->roots;
		tree->roots = i;
	}
	return 0;
}

struct beginning {
	int64_t ns;
	uint32_t tree;
};

static int earlier(const void *va, const void *vb)
{
	const struct beginning *a = va, *b = vb;
	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return a->tree < b->tree ? -1 : a->tree > b->tree;
}

static int sort(struct reading *r)
{
	struct trees *s = r->s;
	struct beginning *b = calloc(s->n_trees, sizeof *b);
	if (!b)
		return problem_no_memory(r->p);
	for (uint32_t i = 0; i < s->n_trees; i++)
		b[i] = (struct beginning){s->tree[i].ns, i};
	qsort(b, s->n_trees, sizeof *b, earlier);
	for (uint32_t i = 0; i < s->n_trees; i++)
		s->order[i] = b[i].tree;
	free(b);
	return 0;
}

int trees_read(struct trees *s, struct trace *t, uint64_t n, int by_time,
	       struct problem *p)
{
	struct reading r = {.s = s, .t = t, .p = p};
	*s = (struct trees){0};
	int rc = read_rows(&r, n);
	if (rc == 0)
		rc = find_ids(&r);
	if (rc == 0)
		rc = make_edges(&r);
	if (rc == 0)
		rc = check_circles(&r);
	if (rc == 0)
		rc = make_trees(&r);
	if (rc == 0 && by_time)
		rc = sort(&r);
	map64_free(&r.rows);
	free(r.wait);
	return rc;
}

/* ---- again ---- */

/* Makes room for `times` times the rows, edges and trees. */
static int grow(struct trees *s, uint64_t times, struct problem *p)
{
	struct tree_row *row =
	    reallocarray(s->row, s->n * times + 1, sizeof *row);
	s->row = row ? row : s->row;
	uint32_t *edge =
	    reallocarray(s->edge, s->row[s->n].edges * times + 1, sizeof *edge);
	s->edge = edge ? edge : s->edge;
	struct tree *tree =
	    reallocarray(s->tree, s->n_trees * times, sizeof *tree);
	s->tree = tree ? tree : s->tree;
	uint32_t *order =
	    reallocarray(s->order, s->n_trees * times, sizeof *order);
	s->order = order ? order : s->order;
	return row && edge && tree && order ? 0 : problem_no_memory(p);
}

/* Writes time k of a tree and its place in the order. */
static void copy_tree(struct trees *s, uint32_t i, uint32_t k,
		      int64_t behind_ns)
{
	struct tree *to = &s->tree[k * s->n_trees + i];
	*to = s->tree[i];
	to->ns += behind_ns;
	to->first += k * s->n;
	to->roots += k * s->n;
	s->order[k * s->n_trees + i] = s->order[i] + k * s->n_trees;
}

static void copy_row(struct trees *s, uint32_t i, uint32_t k, uint32_t n_edges,
		     int64_t behind_ns)
{
	struct tree_row *to = &s->row[k * s->n + i];
	*to = s->row[i];
	to->edges += k * n_edges;
	to->tree += k * s->n_trees;
	if (to->next_root != TREES_NONE)
		to->next_root += k * s->n;
	if (to->is_root)
		to->ns += behind_ns;
}

int trees_repeat(struct trees *s, uint64_t times, int64_t period_ns,
		 struct problem *p)
{
	uint32_t n_edges = s->row[s->n].edges;
	int64_t last_ns;
	if (times >= TREES_NONE / (s->n + n_edges) ||
	    __builtin_mul_overflow((int64_t)times, period_ns, &last_ns) ||
	    last_ns > REQUEST_LAST_NS)
		return problem_set(p, EXIT_USAGE,
				   "sessions as trees cannot come %llu times "
				   "over",
				   (unsigned long long)times);
	if (grow(s, times, p) < 0)
		return -1;
	for (uint32_t k = 1; k < times; k++) {
		for (uint32_t i = 0; i < s->n; i++)
			copy_row(s, i, k, n_edges, k * period_ns);
		for (uint32_t i = 0; i < n_edges; i++)
			s->edge[k * n_edges + i] = s->edge[i] + k * s->n;
		for (uint32_t i = 0; i < s->n_trees; i++)
			copy_tree(s, i, k, k * period_ns);
	}
	s->n *= (uint32_t)times;
	s->n_trees *= (uint32_t)times;
	s->row[s->n].edges = n_edges * (uint32_t)times;
	return 0;
}

void trees_free(struct trees *s)
{
	free(s->row), free(s->edge), free(s->tree), free(s->order);
	*s = (struct trees){0};
}

/* ---- in the run ---- */

static int64_t behind(int64_t begins_ns, double by_ns)
{
	double most_ns = (double)REQUEST_LAST_NS;
	return begins_ns + llround(by_ns < most_ns ? by_ns : most_ns);
}

void trees_begin(struct trees *s, int64_t begins_ns, double stretch,
		 struct clients *l)
{
	const struct tree *tree = trees_next(s);
	s->begun++;
	for (uint32_t i = tree->roots; i != TREES_NONE; i = s->row[i].next_root)
		if (i != tree->first)
			clients_come(l, i,
				     behind(begins_ns,
					    (double)(s->row[i].ns - tree->ns) *
						stretch));
}

int trees_ended(struct trees *s, uint64_t row, int64_t end_ns,
		struct clients *l)
{
	for (uint32_t e = s->row[row].edges; e < s->row[row + 1].edges; e++) {
		struct tree_row *next = &s->row[s->edge[e]];
		if (next->ready_ns < end_ns)
			next->ready_ns = end_ns;
		if (--next->n_waits == 0)
			clients_come(l, s->edge[e],
				     next->ready_ns +
					 (l->do_not_think ? 0 : next->ns));
	}
	return --s->tree[s->row[row].tree].n_left == 0;
}

uint64_t trees_rows(const struct trees *s, uint64_t n)
{
	uint64_t rows = 0;
	for (uint64_t i = 0; i < n; i++)
		rows += s->tree[s->order[i]].n_rows;
	return rows;
}
