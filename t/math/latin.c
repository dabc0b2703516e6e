/* A Latin hypercube: every value as often, points all different, repeatable. */
#include "math/latin.h"
#include "tap.h"

enum { MOST = 600, AXES = 3 };
static uint32_t point[MOST * AXES], again[MOST * AXES];

static int same(const uint32_t *a, const uint32_t *b)
{
	return !memcmp(a, b, AXES * sizeof *a);
}

static void draw(size_t a, size_t b, size_t c, size_t n)
{
	const size_t size[AXES] = {a, b, c};
	size_t twice = 0, uneven = 0;
	ok(latin_sample(size, AXES, n, 42, point) == 0 &&
	       latin_sample(size, AXES, n, 42, again) == 0 &&
	       !memcmp(point, again, n * AXES * sizeof *point),
	   "%zu of %zu x %zu x %zu, the same twice", n, a, b, c);
	for (size_t k = 0; k < AXES; k++)
		for (size_t v = 0; v < size[k]; v++) {
			size_t times = 0;
			for (size_t i = 0; i < n; i++)
				times += (size_t)(point[i * AXES + k] == v);
			uneven += (size_t)(times < n / size[k] ||
					   times > (n + size[k] - 1) / size[k]);
		}
	ok(uneven == 0, "every value as often");
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			twice +=
			    (size_t)same(point + i * AXES, point + k * AXES);
	ok(twice == 0, "all points different");
}

int main(void)
{
	const size_t size[AXES] = {50, 50, 50};
	draw(4, 5, 6, 30);
	draw(4, 5, 6, 100);
	draw(1, 2, 300, 7);
	draw(1000, 1, 1, 100);
	draw(10, 10, 10, 600);
	draw(2, 2, 2, 5);
	latin_sample(size, AXES, 20, 1, point);
	latin_sample(size, AXES, 20, 2, again);
	ok(memcmp(point, again, 20 * AXES * sizeof *point) != 0,
	   "another seed, other points");
	return done();
}
