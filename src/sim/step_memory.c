/* step_memory.c -- Places a step and the columns of all replicas in memory. */
#include "sim/step_memory.h"
#include "sim/policy/columns.h"

size_t step_memory_max_seqs(const struct engine *e)
{
	size_t a = e->max_num_seqs, b = engine_of_pool(e, 1)->max_num_seqs;
	return a > b ? a : b;
}

static size_t max_prefills_of(const struct engine *e)
{
	return e->max_num_seqs < e->max_num_batched_tokens
		   ? e->max_num_seqs
		   : e->max_num_batched_tokens;
}

static size_t max_prefills(const struct engine *e)
{
	size_t a = max_prefills_of(e);
	size_t b = max_prefills_of(engine_of_pool(e, 1));
	return a > b ? a : b;
}

static int has_drafts(const struct engine *e)
{
	return e->speculation.drafts ||
	       engine_of_pool(e, 1)->speculation.drafts;
}

/* Returns room for n items of that size, *used bytes into the memory; NULL if
 * memory is NULL. */
static void *carve(unsigned char *memory, size_t *used, size_t n, size_t size)
{
	void *here = memory ? memory + *used : NULL;
	*used += (n * size + 63) / 64 * 64;
	return here;
}

size_t step_memory_lay_out(const struct engine *e, void *memory,
			   struct step_columns *column)
{
	struct step_columns c;
	size_t used = 0, np = max_prefills(e), nd = step_memory_max_seqs(e);
	carve(memory, &used, 1, sizeof(sc_step));
	c.prefill_new = carve(memory, &used, np, sizeof *c.prefill_new);
	c.prefill_ctx = carve(memory, &used, np, sizeof *c.prefill_ctx);
	c.prefill_last = carve(memory, &used, np, sizeof *c.prefill_last);
	c.prefill_prompt = carve(memory, &used, np, sizeof *c.prefill_prompt);
	c.prefill_id = carve(memory, &used, np, sizeof *c.prefill_id);
	c.decode_ctx = carve(memory, &used, nd, sizeof *c.decode_ctx);
	c.decode_new =
	    carve(memory, &used, has_drafts(e) ? nd : 0, sizeof *c.decode_new);
	c.decode_id = carve(memory, &used, nd, sizeof *c.decode_id);
	size_t n_drafted = has_drafts(e) ? nd : 0;
	c.draft_ctx = carve(memory, &used, n_drafted, sizeof *c.draft_ctx);
	c.draft_id = carve(memory, &used, n_drafted, sizeof *c.draft_id);
	c.ahead = carve(memory, &used, COST_BATCH, sizeof *c.ahead);
	c.ahead_ctx = carve(memory, &used, COST_BATCH * nd + COLUMNS_PAD,
			    sizeof *c.ahead_ctx);
	for (uint32_t i = 0; i < e->replicas; i++) {
		size_t n = engine_of_replica(e, i)->max_num_seqs;
		c.ctx = carve(memory, &used, n + COLUMNS_PAD, sizeof *c.ctx);
		c.id = carve(memory, &used, n + COLUMNS_PAD, sizeof *c.id);
		if (column)
			column[i] = c;
	}
	return used;
}
