/* stepcost/mfu/lookup.h -- header-only helper for plugins: answers from a table
 * of MFU: which block (shape, tp) answers, and its MFU at a point, with
 * provenance (SC_EXACT ...).  Allocates nothing.
 *
 *   linear:     MFU(x, y) = sum of w(i) w(j) MFU(x_i, y_j), w linear in x, y
 *   log_linear: the same with w linear in ln x, ln y
 *   nearest:    the row with the least dx^2 + dy^2, rows at or below (x, y)
 *               first
 *
 *   struct sc_mfu_answer a = sc_mfu_gemm_block(&tables.gemm, &rules, k, n);
 *   struct sc_mfu mfu = sc_mfu_at(&a, &rules, 1, m);
 *   double seconds = 2 * m * n * k / (peak * mfu.value);
 *   out->lookups[mfu.how]++;
 */
#ifndef SC_MFU_LOOKUP_H
#define SC_MFU_LOOKUP_H
#include "stepcost/mfu/table.h"

struct sc_mfu {
	double value;
	uint32_t how;
};

/* ---- which block answers ---- */

struct sc_mfu_answer {
	const struct sc_mfu_block *block; /* NULL: none */
	uint32_t how;                     /* SC_EXACT or SC_SUBSTITUTED */
};

/* Returns the nearest measured (k, n) among those with k and n at least as
 * large.  If there is none: the largest one with linear lookups, the block of
 * the table's last row with nearest lookups. */
static inline struct sc_mfu_answer
sc_mfu_gemm_block(const struct sc_mfu_table *t,
		  const struct sc_mfu_rules *rules, double k, double n)
{
	const struct sc_mfu_block *over = NULL, *largest = NULL;
	double least = 0, most = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct sc_mfu_block *b = &t->block[i];
		double dk = b->shape[0] - k, dn = b->shape[1] - n;
		double distance = dk * dk + dn * dn;
		double size = (double)b->shape[0] * b->shape[0] +
			      (double)b->shape[1] * b->shape[1];
		if (dk >= 0 && dn >= 0 && (!over || distance < least)) {
			over = b;
			least = distance;
		}
		if (!largest || size > most) {
			largest = b;
			most = size;
		}
	}
	if (over)
		return (struct sc_mfu_answer){
		    over, sc_worse(t->how, least > 0 ? SC_SUBSTITUTED : 0)};
	if (rules->lookup == SC_LOOKUP_NEAREST)
		largest = &t->block[t->last];
	return (struct sc_mfu_answer){largest, SC_SUBSTITUTED};
}

/* If block b has another shape than k x n, appends to text that b answers for
 * it. */
static inline void sc_mfu_note_gemm(char *text, size_t size, double k, double n,
				    const struct sc_mfu_block *b)
{
	size_t used = strlen(text);
	if (b->shape[0] != k || b->shape[1] != n)
		snprintf(text + used, size - used, "%s %gx%g -> %ux%u",
			 used ? "," : "", k, n, b->shape[0], b->shape[1]);
}

static inline void sc_mfu_say_gemms(const sc_setup *setup, const char *noted)
{
	if (noted[0])
		sc_log(setup, SC_LOG_WARNING,
		       "GEMM shapes (k x n) were not measured; others are "
		       "used instead:%s",
		       noted);
}

static inline int sc_mfu_text_order(const uint32_t a[3], const uint32_t b[3])
{
	char s[48], t[48];
	snprintf(s, sizeof s, "%u-%u-%u", a[0], a[1], a[2]);
	snprintf(t, sizeof t, "%u-%u-%u", b[0], b[1], b[2]);
	return strcmp(s, t);
}

/* Returns the block of the attention shape itself, or else the nearest one; of
 * two equally near, the first in text order of H-K-dh. */
static inline struct sc_mfu_answer
sc_mfu_shape_block(const struct sc_mfu_table *t, const uint32_t shape[3])
{
	const struct sc_mfu_block *best = NULL;
	double least = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct sc_mfu_block *b = &t->block[i];
		double distance = 0;
		for (int j = 0; j < 3; j++) {
			double d = (double)b->shape[j] - shape[j];
			distance += d * d;
		}
		if (best && (distance > least ||
			     (distance == least &&
			      sc_mfu_text_order(b->shape, best->shape) >= 0)))
			continue;
		best = b;
		least = distance;
	}
	return (struct sc_mfu_answer){
	    best, sc_worse(t->how, least > 0 ? SC_SUBSTITUTED : SC_EXACT)};
}

/* Returns the decode block for a shape of the prefill table and tp ranks.  If
 * that tp was not measured: the nearest tp (the smaller of two) or tp 1.
 * Returns a block of NULL if the shape is not in the table. */
static inline struct sc_mfu_answer
sc_mfu_tp_block(const struct sc_mfu_table *t, const struct sc_mfu_rules *rules,
		const uint32_t shape[3], uint32_t tp)
{
	int one = rules->missing_tp == SC_TP_ONE ||
		  (rules->missing_tp == SC_TP_AUTO &&
		   rules->lookup == SC_LOOKUP_NEAREST);
	const struct sc_mfu_block *best = NULL, *first = NULL;
	uint32_t least = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct sc_mfu_block *b = &t->block[i];
		if (memcmp(b->shape, shape, 3 * sizeof *shape))
			continue;
		uint32_t has = b->shape[3];
		uint32_t distance = has > tp ? has - tp : tp - has;
		if (has == 1)
			first = b;
		if (!best || distance < least ||
		    (distance == least && has < best->shape[3])) {
			best = b;
			least = distance;
		}
	}
	if (best && least > 0 && one)
		best = first;
	return (struct sc_mfu_answer){
	    best, sc_worse(t->how, least > 0 ? SC_SUBSTITUTED : SC_EXACT)};
}

/* ---- the MFU at a point ---- */

/* A lookup at (x, y) that met an MFU of 0. */
struct sc_mfu_zero {
	const struct sc_mfu_block *block; /* NULL: none did */
	double x, y;
};

/* Returns the nearest row to (x, y) with an MFU above zero, or with zero = 1
 * the nearest row with an MFU of zero; NULL if there is none.  first: 1 takes
 * the first such row of the table. */
static inline const struct sc_mfu_row *
sc_mfu_row_near(const struct sc_mfu_block *b, double x, double y, int zero,
		int first)
{
	const struct sc_mfu_row *best = NULL;
	double least = INFINITY;
	for (uint32_t i = 0; i < b->n; i++) {
		const struct sc_mfu_row *r = &b->row[i];
		double dx = r->x - x, dy = r->y - y;
		double distance = dx * dx + dy * dy;
		if ((r->mfu < SC_MFU_ZERO) != zero || !(distance < least))
			continue;
		best = r;
		least = distance;
		if (first)
			break;
	}
	return best;
}

/* Replaces a zero by the rule.  With SC_ZERO_ERROR the value is NaN, and
 * rules->zero says where. */
static inline struct sc_mfu sc_mfu_repair(const struct sc_mfu_block *b,
					  const struct sc_mfu_rules *rules,
					  double x, double y)
{
	struct sc_mfu m = {.value = NAN, .how = SC_FALLBACK};
	switch (rules->zero_mfu) {
	case SC_ZERO_V1:
		m.value = b->shape[2] ? rules->v1_attention : rules->v1_gemm;
		break;
	case SC_ZERO_ERROR:
		*rules->zero = (struct sc_mfu_zero){b, x, y};
		break;
	default:
		m.value = sc_mfu_row_near(b, x, y, 0,
					  rules->zero_mfu == SC_ZERO_FIRST)
			      ->mfu;
	}
	return m;
}

/* Says which lookup met a zero, and the row next to it that has one. */
static inline int32_t sc_mfu_refuse_zero(const struct sc_mfu_zero *z,
					 sc_error *err)
{
	const struct sc_mfu_block *b = z->block;
	const struct sc_mfu_row *r = sc_mfu_row_near(b, z->x, z->y, 1, 0);
	char at[64], row[96] = "a hole of the grid";
	if (b->shape[2] == 0)
		snprintf(at, sizeof at, "m %g", z->y);
	else
		snprintf(at, sizeof at, "batch %g, length %g", z->x, z->y);
	if (r)
		snprintf(row, sizeof row,
			 "its row %llu (batch %g, length %g) has one",
			 (unsigned long long)r->number, r->x, r->y);
	return sc_fail(err, SC_ENODATA,
		       "%s: the MFU at %s reads as 0 (%s), which zero_mfu = "
		       "error refuses",
		       b->origin, at, row);
}

/* Tells whether (x, y) is outside, between or on the measured points. */
static inline uint32_t sc_mfu_where(const struct sc_mfu_block *b, double x,
				    double y)
{
	uint32_t how = sc_worse(sc_locate(b->x, b->nx, x).how,
				sc_locate(b->y, b->ny, y).how);
	if (how != SC_EXACT)
		return how;
	for (uint32_t i = 0; i < b->n; i++)
		if (b->row[i].x == x && b->row[i].y == y)
			return SC_EXACT;
	return SC_INTERPOLATED; /* a hole in the grid */
}

/* Returns the nearest row.  A row at or below the point on both axes wins over
 * any other. */
static inline const struct sc_mfu_row *
sc_mfu_nearest_row(const struct sc_mfu_block *b, double x, double y)
{
	const struct sc_mfu_row *best = NULL;
	double least = 0;
	int best_below = 0;
	for (uint32_t i = 0; i < b->n; i++) {
		const struct sc_mfu_row *r = &b->row[i];
		double dx = r->x - x, dy = r->y - y;
		double distance = dx * dx + dy * dy;
		int below = dx <= 0 && dy <= 0;
		if (best && (below < best_below ||
			     (below == best_below && !(distance < least))))
			continue;
		best = r;
		least = distance;
		best_below = below;
	}
	return best;
}

/* Returns the last row at or below m; without one, the row with the least m. */
static inline const struct sc_mfu_row *
sc_mfu_last_below(const struct sc_mfu_block *b, double m)
{
	const struct sc_mfu_row *below = NULL, *smallest = &b->row[0];
	for (uint32_t i = 0; i < b->n; i++) {
		const struct sc_mfu_row *r = &b->row[i];
		if (r->y <= m)
			below = r;
		if (r->y < smallest->y)
			smallest = r;
	}
	return below ? below : smallest;
}

/* Returns the row that answers with nearest lookups.  GEMM blocks have x = 1,
 * y = m. */
static inline const struct sc_mfu_row *
sc_mfu_row_of(const struct sc_mfu_block *b, double x, double y)
{
	return b->shape[2] ? sc_mfu_nearest_row(b, x, y)
			   : sc_mfu_last_below(b, y);
}

/* Returns the row that answers with nearest lookups, after a repair by another
 * row.  GEMM blocks have x = 1, y = m. */
static inline const struct sc_mfu_row *
sc_mfu_row_answering(const struct sc_mfu_block *b,
		     const struct sc_mfu_rules *rules, double x, double y)
{
	const struct sc_mfu_row *r = sc_mfu_row_of(b, x, y);
	int by_row = rules->zero_mfu == SC_ZERO_NEAREST ||
		     rules->zero_mfu == SC_ZERO_FIRST;
	if (r->mfu < SC_MFU_ZERO && by_row)
		return sc_mfu_row_near(b, x, y, 0,
				       rules->zero_mfu == SC_ZERO_FIRST);
	return r;
}

/* A row that stands for another point is outside of what it measured. */
static inline struct sc_mfu sc_mfu_nearest(const struct sc_mfu_block *b,
					   double x, double y)
{
	const struct sc_mfu_row *r = sc_mfu_row_of(b, x, y);
	struct sc_mfu m = {r->mfu, SC_CLAMPED};
	if (r->x == x && r->y == y)
		m.how = SC_EXACT;
	return m;
}

/* Returns the place of v on an axis by the rule for lookups. */
static inline struct sc_place sc_mfu_locate(const double *axis, uint32_t n,
					    double v,
					    const struct sc_mfu_rules *rules)
{
	struct sc_place p = sc_locate(axis, n, v);
	if (p.t > 0 && rules->lookup == SC_LOOKUP_LOG_LINEAR && axis[p.low] > 0)
		p.t = log(v / axis[p.low]) / log(axis[p.low + 1] / axis[p.low]);
	return p;
}

/* The MFU at a point of the y axis and some place on the x axis: num / den,
 * where den is the weight of the cells that the table has. */
struct sc_mfu_point {
	double num, den;
	int hole;
};

static inline struct sc_mfu_point
sc_mfu_point_at(const struct sc_mfu_block *b, const struct sc_mfu_rules *rules,
		struct sc_place x, uint32_t iy)
{
	const double *cell = &b->cell[iy * b->nx + x.low];
	double low = cell[0], high = x.t > 0 ? cell[1] : low;
	int no_low = isnan(low), no_high = isnan(high);
	struct sc_mfu_point p = {.den = 1, .hole = no_low || no_high};
	if (rules->missing_cell == SC_CELL_ZERO || !p.hole) {
		low = no_low ? 0 : low;
		high = no_high ? 0 : high;
		p.num = sc_lerp(low, high, x.t);
		return p;
	}
	p.den = (no_low ? 0 : 1 - x.t) + (no_high ? 0 : x.t);
	p.num = (no_low ? 0 : (1 - x.t) * low) + (no_high ? 0 : x.t * high);
	if (no_low && no_high)
		p.den = p.num = 0;
	return p;
}

static inline double sc_mfu_between(const struct sc_mfu_point *a,
				    const struct sc_mfu_point *b, double t)
{
	if (a->den == 1 && b->den == 1)
		return sc_lerp(a->num, b->num, t);
	/* A weighted mean: sc_lerp() would cancel where a point has no
	 * cells. */
	double den = (1 - t) * a->den + t * b->den;
	return den > 0 ? ((1 - t) * a->num + t * b->num) / den : 0;
}

static inline struct sc_mfu sc_mfu_linear(const struct sc_mfu_block *b,
					  const struct sc_mfu_rules *rules,
					  double x, double y)
{
	struct sc_place px = sc_mfu_locate(b->x, b->nx, x, rules);
	struct sc_place py = sc_mfu_locate(b->y, b->ny, y, rules);
	struct sc_mfu_point low = sc_mfu_point_at(b, rules, px, py.low);
	struct sc_mfu_point high = low;
	if (py.t > 0)
		high = sc_mfu_point_at(b, rules, px, py.low + 1);
	uint32_t how = sc_worse(px.how, py.how);
	if (low.hole || high.hole)
		how = SC_FALLBACK;
	else if (how == SC_EXACT) /* a plugin may have filled the cell */
		how = sc_mfu_where(b, x, y);
	return (struct sc_mfu){sc_mfu_between(&low, &high, py.t), how};
}

/* Returns the MFU of a block at (x, y).  GEMM blocks have x = 1, y = m. */
static inline struct sc_mfu sc_mfu_at(const struct sc_mfu_answer *a,
				      const struct sc_mfu_rules *rules,
				      double x, double y)
{
	const struct sc_mfu_block *b = a->block;
	struct sc_mfu m = rules->lookup == SC_LOOKUP_NEAREST
			      ? sc_mfu_nearest(b, x, y)
			      : sc_mfu_linear(b, rules, x, y);
	if (m.value < SC_MFU_ZERO)
		m = sc_mfu_repair(b, rules, x, y);
	m.how = sc_worse(m.how, a->how);
	return m;
}

/* ---- provenance ---- */

/* What tables priced in one phase. */
struct sc_mfu_tally {
	/* per provenance: number of distinct shapes, and seconds */
	uint32_t n[SC_N_PROVENANCE];
	double seconds[SC_N_PROVENANCE];
	/* About attention only.  flops: of all ranks and layers; NaN: not
	 * summed up.  low, high: the least and the greatest MFU that was looked
	 * up, kept up to date only if has_bounds, because that costs time. */
	double flops, low, high;
	int has_bounds;
};

static inline struct sc_mfu_tally sc_mfu_no_tally(int has_bounds)
{
	return (struct sc_mfu_tally){.flops = NAN,
				     .low = INFINITY,
				     .high = -(double)INFINITY,
				     .has_bounds = has_bounds};
}

/* Notes an MFU of attention that was looked up. */
static inline void sc_mfu_bound(struct sc_mfu_tally *t, double mfu)
{
	if (!t->has_bounds)
		return;
	t->low = fmin(t->low, mfu);
	t->high = fmax(t->high, mfu);
}

static inline void sc_mfu_count(struct sc_mfu_tally *t, uint32_t how,
				uint32_t shapes, double seconds)
{
	t->n[how] += shapes;
	t->seconds[how] += seconds;
}
#endif
