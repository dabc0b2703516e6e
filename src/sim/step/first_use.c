/* first_use.c -- Remembers which kernels a server has used before. */
#include "sim/step/first_use.h"

static const uint32_t tuned[FIRST_USE_TUNED] = {
    1,  2,   4,   8,   16,   24,   32,   48,   64,
    96, 128, 256, 512, 1024, 1536, 2048, 3072, 4096};

static uint32_t distance(uint32_t a, uint32_t b)
{
	return a < b ? b - a : a - b;
}

/* Returns the nearest one, the first of two. */
static uint32_t nearest(uint32_t tokens)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < FIRST_USE_TUNED; i++)
		if (distance(tuned[i], tokens) < distance(tuned[best], tokens))
			best = i;
	return best;
}

/* Returns the variant by its two arguments: the rows of all tokens; and the
 * rows with each expert filled up to a tile, which is experts * (tile - 1)
 * more, where a tile is a multiple of 16. */
static uint8_t variant_of(const struct engine *e, uint32_t tokens)
{
	uint64_t rows = (uint64_t)tokens * e->experts_per_token;
	uint64_t filled = rows + 15 * (uint64_t)e->n_experts;
	return (uint8_t)(1u << ((rows % 16 == 0) + 2 * (filled % 16 == 0)));
}

/* Returns 1 if the variant was there already. */
static int add_variant(struct first_use *f, const struct engine *e,
		       uint32_t tokens)
{
	uint8_t *have = &f->variants[nearest(tokens)];
	uint8_t variant = variant_of(e, tokens);
	int had = (*have & variant) != 0;
	*have |= variant;
	return had;
}

struct first_use first_use_begin(const struct engine *e)
{
	struct first_use f = {0};
	add_variant(&f, e, e->max_num_batched_tokens / e->step_ranks);
	for (uint32_t m = 1; m <= e->graph_max_tokens; m++) {
		m = engine_padded_tokens(e, m);
		add_variant(&f, e, m);
	}
	return f;
}

double first_use_wait_us(struct first_use *f, const struct engine *e,
			 uint32_t tokens)
{
	double us = 0;
	if (tokens <= e->graph_max_tokens)
		return 0;
	if (!f->has_run)
		us += e->first_step_us;
	if (e->n_experts && !add_variant(f, e, tokens))
		us += e->expert_compile_us;
	f->has_run = 1;
	return us;
}
