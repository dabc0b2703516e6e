/* trtllm_step.c -- Chooses the tokens of a step in the way of TensorRT-LLM's
 * scheduler. */
#include "sim/policy/trtllm/trtllm_step.h"
#include <string.h>
#include "sim/policy/batch_wait.h"
#include "sim/policy/trtllm/trtllm_blocks.h"

/* ---- chunks ---- */

static uint32_t cost_of(const struct trtllm_prompt *x, uint32_t n)
{
	return trtllm_cost(n, x->is.expected, x->rest);
}

/* Gives each prompt in turn all that it needs of the tokens that are left. */
static void chunk_in_turn(struct trtllm *s, uint32_t left)
{
	uint32_t unit = s->is.e->trtllm.chunk_unit;
	for (uint32_t k = 0; k < s->n_prompts; k++) {
		struct trtllm_prompt *x = &s->prompt[k];
		if (left < cost_of(x, x->rest))
			x->chunk = left / unit * unit;
		left -= cost_of(x, x->chunk);
	}
}

/* Lengthens the chunks of all prompts by one unit in turn, until no other unit
 * fits into the tokens that are left. */
static void chunk_equally(struct trtllm *s, uint32_t left)
{
	uint32_t unit = s->is.e->trtllm.chunk_unit, grown = 1;
	for (uint32_t k = 0; k < s->n_prompts; k++)
		s->prompt[k].chunk = 0;
	while (left && grown) {
		grown = 0;
		for (uint32_t k = 0; k < s->n_prompts; k++) {
			struct trtllm_prompt *x = &s->prompt[k];
			uint32_t n = x->rest - x->chunk < unit
					 ? x->rest
					 : x->chunk + unit;
			uint32_t more = cost_of(x, n) - cost_of(x, x->chunk);
			if (more > left || n > s->is.e->max_num_batched_tokens)
				continue;
			left -= more;
			grown |= n - x->chunk;
			x->chunk = n;
		}
	}
}

/* If the prompts do not all fit into the `left` tokens, cuts them into chunks,
 * and drops the prompts that get no token. */
static void cut_into_chunks(struct trtllm *s, uint32_t left)
{
	uint64_t all = 0;
	uint32_t n = 0, most = s->is.e->max_num_batched_tokens;
	int fits = 1;
	for (uint32_t k = 0; k < s->n_prompts; k++) {
		uint32_t cost = cost_of(&s->prompt[k], s->prompt[k].rest);
		all += whole_min(cost, most);
		fits &= cost <= most;
	}
	if (fits && all <= left)
		return;
	if (s->is.e->trtllm.chunking == CHUNKS_EQUAL)
		chunk_equally(s, left);
	else
		chunk_in_turn(s, left);
	for (uint32_t k = 0; k < s->n_prompts; k++)
		if (s->prompt[k].chunk)
			s->prompt[n++] = s->prompt[k];
	s->n_prompts = n;
}

/* ---- the step ---- */

/* Puts a token of each request that decodes into the step, and whole prompts
 * until one does not fit.  If prompts are cut into chunks, takes all prompts:
 * cut_into_chunks() follows.  Returns how many tokens of the step are left. */
static uint32_t take_whole(struct trtllm *s)
{
	const struct engine *e = s->is.e;
	uint32_t left = e->max_num_batched_tokens - s->decodes.n;
	for (uint32_t k = 0; k < s->n_fit; k++) {
		const struct trtllm_fit *x = &s->fit[k];
		struct sequence *q = scheduler_sequence(&s->is, x->sequence);
		uint32_t rest = trtllm_rest(q), n = 1;
		if (trtllm_is_ending(q))
			continue;
		int decodes = trtllm_generates(q);
		if (!decodes)
			n = e->trtllm.has_chunks
				? 0
				: trtllm_cost(rest, x->expected, rest);
		if (n > e->max_num_batched_tokens) {
			scheduler_dies(&s->is, q, SCHEDULER_LONG_PROMPT);
			return 0;
		}
		if (n > left)
			break;
		left -= n;
		if (decodes)
			s->decoding[s->n_decoding++] = x->sequence;
		else
			s->prompt[s->n_prompts++] = (struct trtllm_prompt){
			    .is = *x, .rest = rest, .chunk = rest};
	}
	return left;
}

/* Removes all prompts from the step if they have to wait until other ranks
 * have prompts too, or until this rank has enough of them. */
static void wait_for_batch(struct trtllm *s)
{
	uint32_t decodes = s->n_decoding + s->decodes.n;
	uint64_t tokens = decodes;
	if (s->is.is_deferring) {
		s->is.n_deferred = s->n_prompts;
		s->n_prompts = 0;
		return;
	}
	if (s->n_prompts == 0 || decodes == 0 || !batch_wait_is_on(s->is.e))
		return;
	for (uint32_t k = 0; k < s->n_prompts; k++)
		tokens += cost_of(&s->prompt[k], s->prompt[k].chunk);
	if (batch_wait_holds(&s->waited, &s->is.e->trtllm, tokens))
		s->n_prompts = 0;
}

void trtllm_sort_prompts(struct trtllm *s)
{
	uint32_t n = 0;
	for (int completes = 0; completes < 2; completes++)
		for (uint32_t k = 0; k < s->n_prompts; k++) {
			const struct trtllm_prompt *x = &s->prompt[k];
			const struct progress *g =
			    &scheduler_sequence(&s->is, x->is.sequence)
				 ->progress;
			if ((g->computed + x->chunk >= g->known) == completes)
				s->sorted[n++] = *x;
		}
	memcpy(s->prompt, s->sorted, n * sizeof *s->prompt);
}

void trtllm_choose_step(struct trtllm *s)
{
	s->n_prompts = s->n_decoding = 0;
	uint32_t left = take_whole(s);
	if (s->is.e->trtllm.has_chunks)
		cut_into_chunks(s, left);
	wait_for_batch(s);
	trtllm_sort_prompts(s);
}

/* ---- trimming ---- */

/* Shortens a chunk by `excess` tokens or a few more, so that it ends where a
 * block does.  Its tokens in the first block stay.  Returns by how many tokens.
 */
static uint32_t shorten(const struct trtllm *s, struct trtllm_prompt *x,
			uint32_t excess)
{
	uint32_t unit = s->is.e->block_size, chunk = x->chunk;
	uint32_t at =
	    scheduler_sequence(&s->is, x->is.sequence)->progress.computed;
	uint32_t least = unit - at % unit, end = at + chunk;
	end = end > excess ? (end - excess) / unit * unit : 0;
	x->chunk =
	    whole_min(chunk, end > at ? whole_max(least, end - at) : least);
	return chunk - x->chunk;
}

void trtllm_trim(struct trtllm *s)
{
	const struct engine *e = s->is.e;
	uint64_t tokens = s->n_decoding + s->decodes.n;
	uint32_t cuts = 0;
	for (uint32_t k = 0; k < s->n_prompts; k++)
		tokens += s->prompt[k].chunk;
	for (uint32_t k = s->n_prompts; e->trtllm.has_chunks && k-- > 0 &&
					tokens > e->max_num_batched_tokens;
	     cuts++)
		tokens -= shorten(s, &s->prompt[k],
				  (uint32_t)tokens - e->max_num_batched_tokens);
	if (tokens > e->max_num_batched_tokens)
		scheduler_dies(
		    &s->is,
		    scheduler_sequence(&s->is, s->prompt[0].is.sequence),
		    SCHEDULER_LONG_STEP);
	else if (cuts)
		trtllm_sort_prompts(s);
}
