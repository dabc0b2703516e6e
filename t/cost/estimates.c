/* The heaviest shapes of many, against a plain list. */
#include "cost/estimates.h"
#include "stepcost/plugin.h"
#include "tap.h"

/* ---- the same, as it is told in the header ---- */

struct list {
	uint32_t n;
	struct guessed_shape at[GUESSED_SHAPES];
};

static int alike(const struct guessed_shape *a, const struct guessed_shape *b)
{
	return !memcmp(a, b, offsetof(struct guessed_shape, steps));
}

static void list_add(struct list *l, const struct guessed_shape *shape,
		     double time_us)
{
	uint32_t i = 0, lightest = 0;
	double inherited_us = 0;
	while (i < l->n && !alike(&l->at[i], shape))
		i++;
	if (i == GUESSED_SHAPES) {
		for (i = 0; i < GUESSED_SHAPES; i++)
			if (l->at[i].time_us < l->at[lightest].time_us)
				lightest = i;
		i = lightest;
		inherited_us = l->at[i].time_us;
	} else if (i == l->n) {
		l->n++;
	}
	if (!alike(&l->at[i], shape) || l->at[i].steps == 0) {
		l->at[i] = *shape;
		l->at[i].steps = 0;
		l->at[i].time_us = inherited_us;
	}
	l->at[i].steps++;
	l->at[i].time_us += time_us;
}

/* ---- tests ---- */

static void add(struct estimates *g, const struct guessed_shape *shape,
		double time_us)
{
	estimates_add(g, estimates_place(g, shape), time_us);
}

static uint32_t random_below(uint32_t n)
{
	static uint32_t x = 12345;
	x = x * 1664525 + 1013904223;
	return (x >> 8) % n;
}

/* One of many shapes; a few of them come often. */
static struct guessed_shape some_shape(uint32_t range)
{
	return (struct guessed_shape){.provenance =
					  SC_CLAMPED + random_below(3),
				      .n_decode = random_below(range),
				      .n_prefill = random_below(2),
				      .prefill_tokens = 1u << random_below(3),
				      .max_context = 256u << random_below(2),
				      .pool = random_below(2),
				      /* not read */
				      .steps = 7,
				      .time_us = 9};
}

static void against_the_list(uint32_t range, const char *what)
{
	struct estimates g = {0};
	struct list l = {0};
	int is_same = 1;
	for (uint32_t i = 0; i < 20000; i++) {
		struct guessed_shape shape = some_shape(range);
		/* many of the same weight: the first of them goes */
		double time_us = 1 + random_below(3);
		add(&g, &shape, time_us);
		list_add(&l, &shape, time_us);
		for (uint32_t k = 0; k < l.n; k++)
			is_same = is_same && alike(&g.shape[k], &l.at[k]) &&
				  g.shape[k].steps == l.at[k].steps &&
				  g.shape[k].time_us == l.at[k].time_us;
		is_same = is_same && g.n == l.n;
	}
	ok(is_same, "the same places and times as a list has: %s", what);
}

static void heavy_among_light(void)
{
	struct estimates g = {0};
	struct guessed_shape out[GUESSED_SHAPES];
	double weight = 0;
	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t round = 0; round < 50; round++)
			add(&g,
			    &(struct guessed_shape){.pool = 9, .n_decode = i},
			    100 + i);
	for (uint32_t i = 0; i < 100; i++)
		add(&g, &(struct guessed_shape){.n_decode = i}, 0.5);
	estimates_heaviest(&g, out);
	ok(g.n == GUESSED_SHAPES && out[0].n_decode == 2 &&
	       out[0].time_us == 5100 && out[0].steps == 50 &&
	       out[1].time_us == 5050 && out[2].time_us == 5000 &&
	       out[3].time_us < 50,
	   "the heaviest keep their places among many");
	for (uint32_t i = 0; i < g.n; i++)
		weight += out[i].time_us;
	near(weight, 15150 + 50, 1e-12, "and no time is lost");
}

static void places(void)
{
	struct estimates g = {0};
	const struct guessed_shape a = {.n_decode = 1}, b = {.n_decode = 2};
	uint32_t at = estimates_place(&g, &a);
	ok(estimates_place(&g, &b) != at && estimates_place(&g, &a) == at &&
	       g.n == 2,
	   "a shape keeps its place");
}

/* Shapes that differ in one number; some of them are in one chain. */
static void one_number(size_t number)
{
	struct guessed_shape a = {.n_decode = 5, .max_context = 1024}, b = a;
	uint32_t *changed = (uint32_t *)(void *)&b + number, taken = 0;
	for (uint32_t i = 0; i < 3000; i++) {
		struct estimates g = {0};
		++*changed;
		taken += estimates_place(&g, &a) == estimates_place(&g, &b);
	}
	ok(taken == 0, "number %zu tells shapes apart", number);
}

int main(void)
{
	for (size_t i = 0; i < offsetof(struct guessed_shape, steps) / 4; i++)
		one_number(i);
	against_the_list(2, "many often");
	against_the_list(20, "few often");
	against_the_list(100000, "each once");
	heavy_among_light();
	places();
	return done();
}
