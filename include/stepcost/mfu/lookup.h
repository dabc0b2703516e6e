/* stepcost/mfu/lookup.h -- header-only helper for plugins: answers from a table
 * of MFU: which block (shape, tp) answers, and its MFU at a point, with
 * provenance (SC_EXACT ...).  Allocates nothing.
 *
 *   linear:  MFU(x, y) = sum of w(i) w(j) MFU(x_i, y_j), w linear in each axis
 *   nearest: the row with the least dx^2 + dy^2, those at or below (x, y) first
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
		snprintf(text + used, size - used, "%s %gx%g by %ux%u",
			 used ? "," : "", k, n, b->shape[0], b->shape[1]);
}

static inline void sc_mfu_say_gemms(const sc_setup *setup, const char *noted)
{
	if (noted[0])
		sc_log(setup, SC_LOG_WARNING,
		       "GEMMs (k x n) that were not measured are priced by "
		       "another size:%s",
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

/* Replaces a zero by the nearest row that is not zero, or by the first one. */
static inline struct sc_mfu sc_mfu_repair(const struct sc_mfu_block *b,
					  const struct sc_mfu_rules *rules,
					  double x, double y)
{
	struct sc_mfu m = {.how = SC_FALLBACK};
	double least = INFINITY;
	for (uint32_t i = 0; i < b->n; i++) {
		const struct sc_mfu_row *r = &b->row[i];
		double dx = r->x - x, dy = r->y - y;
		double distance = dx * dx + dy * dy;
		if (r->mfu < SC_MFU_ZERO || !(distance < least))
			continue;
		m.value = r->mfu;
		least = distance;
		if (rules->zero_mfu == SC_ZERO_FIRST)
			break;
	}
	return m;
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
static inline struct sc_mfu sc_mfu_nearest(const struct sc_mfu_block *b,
					   double x, double y)
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
	return (struct sc_mfu){best->mfu, sc_mfu_where(b, x, y)};
}

/* Returns the last row at or below m; without one, the row with the least m. */
static inline struct sc_mfu sc_mfu_last_below(const struct sc_mfu_block *b,
					      double m)
{
	const struct sc_mfu_row *below = NULL, *smallest = &b->row[0];
	for (uint32_t i = 0; i < b->n; i++) {
		const struct sc_mfu_row *r = &b->row[i];
		if (r->y <= m)
			below = r;
		if (r->y < smallest->y)
			smallest = r;
	}
	return (struct sc_mfu){(below ? below : smallest)->mfu,
			       sc_mfu_where(b, 1, m)};
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
	struct sc_place px = sc_locate(b->x, b->nx, x);
	struct sc_place py = sc_locate(b->y, b->ny, y);
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
	int gemm = b->shape[2] == 0;
	struct sc_mfu m;
	if (rules->lookup == SC_LOOKUP_LINEAR)
		m = sc_mfu_linear(b, rules, x, y);
	else
		m = gemm ? sc_mfu_last_below(b, y) : sc_mfu_nearest(b, x, y);
	if (m.value < SC_MFU_ZERO)
		m = sc_mfu_repair(b, rules, x, y);
	m.how = sc_worse(m.how, a->how);
	return m;
}

/* ---- provenance ---- */

/* What tables priced, per provenance: number of distinct shapes, and
 * seconds. */
struct sc_mfu_tally {
	uint32_t n[SC_N_PROVENANCE];
	double seconds[SC_N_PROVENANCE];
};

static inline void sc_mfu_count(struct sc_mfu_tally *t, uint32_t how,
				uint32_t shapes, double seconds)
{
	t->n[how] += shapes;
	t->seconds[how] += seconds;
}
#endif
