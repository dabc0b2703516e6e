/* A grid answers as plain interpolation does, whatever was asked before. */
#include "stepcost/kernel/grid.h"
#include "tap.h"

enum { ROWS = 4, POINTS = 6 };

struct table {
	uint32_t start[ROWS + 1];
	double row[ROWS], log_row[ROWS];
	double x[ROWS * POINTS], log_x[ROWS * POINTS];
	double residual[ROWS * POINTS];
	unsigned char how[ROWS * POINTS];
	struct sc_grid s;
};

static double random_1(void)
{
	static uint32_t x = 99;
	x = x * 1664525 + 1013904223;
	return (x >> 8) / (double)(1 << 24);
}

/* Rows of other lengths at other points; or all alike. */
static void make(struct table *t, int are_alike)
{
	uint32_t n = 0;
	for (uint32_t r = 0; r < ROWS; r++) {
		uint32_t points =
		    are_alike ? POINTS : 1 + (uint32_t)(POINTS * random_1());
		double x = 8;
		t->row[r] = r ? t->row[r - 1] * (2 + (int)(3 * random_1())) : 2;
		t->log_row[r] = log(t->row[r]);
		t->start[r] = n;
		for (uint32_t i = 0; i < points; i++, n++) {
			x *= are_alike ? 2 : 2 + (int)(3 * random_1());
			t->x[n] = x;
			t->log_x[n] = log(x);
			t->residual[n] = random_1() - 0.5;
			t->how[n] =
			    random_1() < 0.2 ? SC_SUBSTITUTED : SC_EXACT;
		}
	}
	t->start[ROWS] = n;
	t->s = (struct sc_grid){.n_rows = ROWS,
				.start = t->start,
				.row = t->row,
				.log_row = t->log_row,
				.x = t->x,
				.log_x = t->log_x,
				.residual = t->residual,
				.how = t->how};
}

/* ---- plainly ---- */

static double along(const struct table *t, uint32_t row, double x,
		    uint32_t *worst)
{
	uint32_t from = t->start[row], last = t->start[row + 1] - 1, i = from;
	while (i < last && t->x[i + 1] <= x)
		i++;
	*worst = sc_worse(*worst, t->how[i]);
	if (x < t->x[from] || x > t->x[last])
		*worst = sc_worse(*worst, SC_CLAMPED);
	if (x <= t->x[from] || i == last || t->x[i] == x)
		return t->residual[i];
	*worst = sc_worse(*worst, sc_worse(SC_INTERPOLATED, t->how[i + 1]));
	double share =
	    (log(x) - log(t->x[i])) / (log(t->x[i + 1]) - log(t->x[i]));
	return t->residual[i] + share * (t->residual[i + 1] - t->residual[i]);
}

static double plainly(const struct table *t, double row, double x,
		      uint32_t *worst)
{
	uint32_t r = 0;
	while (r < ROWS - 1 && t->row[r + 1] <= row)
		r++;
	*worst = SC_EXACT;
	if (row < t->row[0] || row > t->row[ROWS - 1])
		*worst = SC_CLAMPED;
	double low = along(t, r, x, worst);
	if (row <= t->row[0] || r == ROWS - 1 || t->row[r] == row)
		return low;
	*worst = sc_worse(*worst, SC_INTERPOLATED);
	double share =
	    (log(row) - log(t->row[r])) / (log(t->row[r + 1]) - log(t->row[r]));
	return low + share * (along(t, r + 1, x, worst) - low);
}

/* ---- tests ---- */

/* Lengths that go on by one, jump, meet points, and leave the table. */
static double next_x(double x, uint32_t i)
{
	static const double special[] = {8, 16, 32, 64, 0.5, 1e6};
	if (i % 50 == 0)
		return 1 + floor(600 * random_1());
	if (i % 40 < 2) /* not lengths, and answered all the same */
		return i % 80 < 2 ? 0 : -1;
	return i % 17 == 0 ? special[i / 17 % 6] : x + 1;
}

static void check(int are_alike)
{
	uint32_t far = 0, other = 0, wrong = 0;
	for (uint32_t round = 0; round < 60; round++) {
		struct table t;
		make(&t, are_alike);
		double row = 1 + floor(80 * random_1()), x = 1;
		struct sc_blend b = {0};
		struct sc_blend_rows rows;
		sc_blend_add(&b, &t.s, 1);
		sc_blend_rows_of(&b, sc_logged_of(row), &rows);
		for (uint32_t i = 0; i < 1000; i++) {
			uint32_t how = SC_EXACT, fresh = SC_EXACT, worst;
			x = next_x(x, i);
			struct sc_logged at = sc_logged_of(x);
			double r = sc_blend_between(&b, &rows, at, &how);
			double expected = plainly(&t, row, x, &worst);
			other +=
			    r != sc_blend_at(&b, sc_logged_of(row), at, &fresh);
			far += !(fabs(r - expected) <= 1e-12);
			wrong += how != worst || fresh != worst;
		}
	}
	ok(far == 0, "%u of %s rows are not as interpolated", far,
	   are_alike ? "like" : "unlike");
	ok(other == 0, "%u answers depend on what was asked before", other);
	ok(wrong == 0, "%u say another provenance", wrong);
}

int main(void)
{
	check(1);
	check(0);
	return done();
}
