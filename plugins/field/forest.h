/* plugins/field/forest.h -- a random forest over two features: bagged
 * regression trees (Breiman 2001), squared error, every feature tried at each
 * split, thresholds halfway between neighbours.
 *
 * A feature is the index of its value among the distinct ones, so a split is
 * found from sums over those.  The forest answers on a grid alone: each tree
 * adds its leaves to the cells that they cover. */
#ifndef FIELD_FOREST_H
#define FIELD_FOREST_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FOREST_DEPTH = 16, FOREST_VALUES = 4200, FOREST_TREES = 30 };

struct forest_row {
	uint16_t at[2]; /* indexes of value[] */
	double y;
};
struct forest {
	size_t n;
	struct forest_row *row; /* [n] */
	double *value[2];       /* distinct values, ascending */
	size_t n_values[2];
	/* scratch of training: sums by value */
	double *count, *sum;    /* [FOREST_VALUES] */
	struct forest_row *bag; /* [n] */
};
/* What a forest fills in: cells [n[0] * n[1]], ascending values of the axes. */
struct forest_grid {
	const double *axis[2];
	size_t n[2];
	double *cell;
};
struct forest_part { /* of the grid: from .. to of each axis */
	size_t from[2], to[2];
};

static inline uint64_t forest_random(uint64_t *state) /* splitmix64 */
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Finds the split that leaves the least squared error.  Returns its feature, or
 * -1; *at: the last index on the left, *next: the first on the right. */
static inline int forest_split(const struct forest *f,
			       const struct forest_row *row, size_t n,
			       size_t *at, size_t *next)
{
	double best = -1;
	int feature = -1;
	for (int k = 0; k < 2; k++) {
		size_t m = f->n_values[k], last = m;
		double total = 0, left = 0, count = 0;
		memset(f->count, 0, m * sizeof *f->count);
		memset(f->sum, 0, m * sizeof *f->sum);
		for (size_t i = 0; i < n; i++) {
			f->count[row[i].at[k]]++;
			f->sum[row[i].at[k]] += row[i].y;
			total += row[i].y;
		}
		for (size_t i = 0; i < m; i++) {
			if (!(f->count[i] > 0))
				continue;
			double right = total - left, rest = (double)n - count;
			double score = count > 0 ? left * left / count +
						       right * right / rest
						 : -1;
			if (score > best) {
				best = score;
				feature = k;
				*at = last;
				*next = i;
			}
			left += f->sum[i];
			count += f->count[i];
			last = i;
		}
	}
	return feature;
}

/* Moves the rows up to the index to the front; returns how many. */
static inline size_t forest_part_rows(struct forest_row *row, size_t n,
				      int feature, size_t at)
{
	size_t left = 0;
	for (size_t i = 0; i < n; i++)
		if (row[i].at[feature] <= at) {
			struct forest_row r = row[i];
			row[i] = row[left];
			row[left++] = r;
		}
	return left;
}

static inline void forest_leaf(const struct forest_row *row, size_t n,
			       const struct forest_grid *g,
			       struct forest_part p)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += row[i].y;
	sum /= (double)n * FOREST_TREES;
	for (size_t i = p.from[0]; i < p.to[0]; i++)
		for (size_t k = p.from[1]; k < p.to[1]; k++)
			g->cell[i * g->n[1] + k] += sum;
}

/* Grows a tree of these rows and adds its leaves to its part of the grid. */
static inline void forest_grow(const struct forest *f, struct forest_row *row,
			       size_t n, int depth, const struct forest_grid *g,
			       struct forest_part p)
{
	size_t at = 0, next = 0, same = 1;
	while (same < n && row[same].y == row[0].y)
		same++;
	int feature = same < n && depth < FOREST_DEPTH
			  ? forest_split(f, row, n, &at, &next)
			  : -1;
	if (feature < 0) {
		forest_leaf(row, n, g, p);
		return;
	}
	double threshold =
	    (f->value[feature][at] + f->value[feature][next]) / 2;
	struct forest_part low = p, high = p;
	size_t cut = p.from[feature];
	while (cut < p.to[feature] && g->axis[feature][cut] <= threshold)
		cut++;
	low.to[feature] = high.from[feature] = cut;
	size_t left = forest_part_rows(row, n, feature, at);
	if (cut > p.from[feature])
		forest_grow(f, row, left, depth + 1, g, low);
	if (cut < p.to[feature])
		forest_grow(f, row + left, n - left, depth + 1, g, high);
}

/* Fills the grid, which is 0, with the mean of the trees. */
static inline void forest_fill(struct forest *f, uint64_t seed,
			       const struct forest_grid *g)
{
	struct forest_part all = {{0, 0}, {g->n[0], g->n[1]}};
	for (int tree = 0; tree < FOREST_TREES; tree++) {
		for (size_t i = 0; i < f->n; i++)
			f->bag[i] = f->row[forest_random(&seed) % f->n];
		forest_grow(f, f->bag, f->n, 0, g, all);
	}
}

static inline int forest_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static inline void forest_free(struct forest *f)
{
	free(f->row), free(f->bag), free(f->value[0]), free(f->value[1]);
	free(f->count), free(f->sum);
	*f = (struct forest){0};
}

/* Makes a forest of n rows (x[0][i], x[1][i]) -> y[i].  Returns 0, or -1 if
 * memory is out or a feature has more than FOREST_VALUES values. */
static inline int forest_make(struct forest *f, double *const x[2],
			      const double *y, size_t n)
{
	*f = (struct forest){.n = n};
	f->row = calloc(n + 1, sizeof *f->row);
	f->bag = calloc(n + 1, sizeof *f->bag);
	f->count = calloc(FOREST_VALUES, sizeof *f->count);
	f->sum = calloc(FOREST_VALUES, sizeof *f->sum);
	for (int k = 0; k < 2; k++)
		f->value[k] = calloc(n + 1, sizeof *f->value[k]);
	if (!f->row || !f->bag || !f->count || !f->sum || !f->value[0] ||
	    !f->value[1])
		return -1;
	for (int k = 0; k < 2; k++) {
		double *v = f->value[k];
		size_t m = 0;
		memcpy(v, x[k], n * sizeof *v);
		qsort(v, n, sizeof *v, forest_compare);
		for (size_t i = 0; i < n; i++)
			if (!m || v[m - 1] < v[i])
				v[m++] = v[i];
		if ((f->n_values[k] = m) > FOREST_VALUES)
			return -1;
		for (size_t i = 0; i < n; i++) {
			const double *is =
			    bsearch(&x[k][i], v, m, sizeof *v, forest_compare);
			f->row[i].at[k] = (uint16_t)(is - v);
			f->row[i].y = y[i];
		}
	}
	return 0;
}
#endif
