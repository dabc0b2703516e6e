/* coverage.c -- Adds up how much of a run was measured and how much was
 * guessed. */
#include "cost/coverage.h"

static uint32_t round_up(uint32_t x)
{
	if (x < 2)
		return x;
	int bits = 32 - __builtin_clz(x - 1);
	return bits < 31 ? 1u << bits : 1u << 31;
}

typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));

static inline four max_of_four(four a, four b)
{
	four more = a > b;
	return (a & more) | (b & ~more);
}

/* Returns the maximum.  It uses vectors by hand, because -O2 does not vectorize
 * such a loop. */
static uint32_t max_of(const uint32_t *x, uint32_t n, uint32_t most)
{
	four top = {most, most, most, most};
	if (n < 4) {
		for (; n; n--, x++)
			most = *x > most ? *x : most;
		return most;
	}
	/* The last four may overlap those of the loop. */
	for (uint32_t i = 0; i < n - 4; i += 4)
		top = max_of_four(*(const four *)(x + i), top);
	top = max_of_four(*(const four *)(x + n - 4), top);
	for (uint32_t i = 0; i < 4; i++)
		most = top[i] > most ? top[i] : most;
	return most;
}

/* Makes the shape of a step; its longest context is not rounded yet. */
static struct guessed_shape shape_of(const sc_step *s, uint32_t pool)
{
	uint32_t tokens = 0;
	for (uint32_t i = 0; i < s->n_prefill; i++)
		tokens += s->prefill_new[i];
	uint32_t longest = max_of(s->decode_ctx, s->n_decode, 0);
	return (struct guessed_shape){
	    .pool = pool,
	    .n_decode = s->n_decode,
	    .n_prefill = s->n_prefill,
	    .prefill_tokens = round_up(tokens),
	    .max_context = max_of(s->prefill_ctx, s->n_prefill, longest),
	};
}

/* The shape of the steps of one call; computed when a step is found to be
 * guessed. */
struct shape {
	const sc_step *first;
	uint32_t pool;
	int is_known;
	uint32_t longest; /* longest context of the first step */
	struct guessed_shape is;
	/* Places of the shape by provenance; NO_PLACE: not looked up yet. */
	uint32_t place[SC_N_PROVENANCE];
};
enum { NO_PLACE = GUESSED_SHAPES };

static void look_at(struct shape *s, uint32_t later)
{
	if (!s->is_known) {
		s->is = shape_of(s->first, s->pool);
		s->longest = s->is.max_context;
	}
	uint32_t more = s->is.n_decode ? later : 0;
	uint32_t max_context = round_up(s->longest + more);
	if (s->is_known && max_context == s->is.max_context)
		return;
	s->is_known = 1;
	s->is.max_context = max_context;
	for (uint32_t i = 0; i < SC_N_PROVENANCE; i++)
		s->place[i] = NO_PLACE;
}

/* The shape may get the place that it had with another provenance. */
static void find_place(struct shape *s, struct estimates *g,
		       uint32_t provenance)
{
	s->is.provenance = provenance;
	uint32_t place = estimates_place(g, &s->is);
	for (uint32_t i = 0; i < SC_N_PROVENANCE; i++)
		if (s->place[i] == place)
			s->place[i] = NO_PLACE;
	s->place[provenance] = place;
}

static void add_guesses(struct coverage *c, struct shape *s, uint32_t later,
			const double *lookup_us, double scale)
{
	struct estimates *g = &c->estimates;
	look_at(s, later);
	for (uint32_t i = SC_CLAMPED; i <= SC_FALLBACK; i++) {
		if (!(lookup_us[i] > 0))
			continue;
		if (s->place[i] == NO_PLACE)
			find_place(s, g, i);
		estimates_add(g, s->place[i], lookup_us[i] * scale);
	}
}

/* Adds step first + `later`; priced_us > 0 of its time came from tables. */
static void add_priced(struct coverage *c, struct shape *s, uint32_t later,
		       const sc_result *r, double priced_us)
{
	double scale = 1;
	if (priced_us > r->total_us)
		scale = r->total_us / priced_us;
	else
		c->time_us[COVERAGE_NONE] += r->total_us - priced_us;
	for (uint32_t i = 0; i < SC_N_PROVENANCE; i++)
		c->time_us[i] += r->lookup_us[i] * scale;
	if (r->lookup_us[SC_CLAMPED] > 0 || r->lookup_us[SC_SUBSTITUTED] > 0 ||
	    r->lookup_us[SC_FALLBACK] > 0)
		add_guesses(c, s, later, r->lookup_us, scale);
}

void coverage_add(struct coverage *c, const sc_step *step, uint32_t n,
		  const sc_result *const *result, uint32_t pool)
{
	struct shape s;
	s.first = step;
	s.pool = pool;
	s.is_known = 0;
	for (uint32_t i = 0; i < n; i++) {
		const sc_result *r = result[i];
		double priced_us = 0;
		for (uint32_t k = 0; k < SC_N_PROVENANCE; k++)
			priced_us += r->lookup_us[k];
		c->total_us += r->total_us;
		if (priced_us > 0)
			add_priced(c, &s, i, r, priced_us);
		else
			c->time_us[COVERAGE_NONE] += r->total_us;
	}
}
