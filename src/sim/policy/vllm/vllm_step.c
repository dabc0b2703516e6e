/* vllm_step.c -- Members join and leave the step that vLLM's scheduler forms.
 */
#include "sim/policy/vllm/vllm_step.h"
#include <string.h>
#include "base/whole.h"

struct member *vllm_schedule(struct vllm *s, uint32_t i, uint32_t n,
			     int is_prefill)
{
	const struct progress *q = &scheduler_sequence(&s->is, i)->progress;
	struct member *m = &s->batch->member[s->batch->n_members++];
	*m = (struct member){
	    .sequence = i,
	    .context = q->computed,
	    .new_tokens = n,
	    .is_prefill = is_prefill != 0,
	    .makes_token = q->computed + n >= q->known + q->placeholders,
	};
	s->budget -= n;
	return m;
}

void vllm_schedule_running(struct vllm *s, uint32_t i, uint32_t n)
{
	struct progress *q = &scheduler_sequence(&s->is, i)->progress;
	struct member *m = vllm_schedule(s, i, n, q->is_chunk);
	uint32_t own = q->known + q->placeholders, upto = q->computed + n;
	if (upto > own)
		m->drafts = (uint16_t)whole_min(q->drafts, upto - own);
	q->drafts = 0;
}

void vllm_unschedule(struct vllm *s, uint32_t i)
{
	struct batch *b = s->batch;
	uint32_t m = 0;
	while (m < b->n_members && b->member[m].sequence != i)
		m++;
	if (m == b->n_members)
		return;
	s->budget += b->member[m].new_tokens;
	memmove(&b->member[m], &b->member[m + 1],
		(--b->n_members - m) * sizeof *b->member);
	s->at--;
}

uint32_t vllm_pick_items(struct vllm *s, const struct sequence *q,
			 uint32_t computed, uint32_t n)
{
	struct encoders *x = s->is.encoders;
	n = encoders_pick(x, q->items, q->request.row, computed, n);
	if (x->out_of_memory)
		s->is.out_of_memory = 1;
	return n;
}

uint32_t vllm_cut(const struct vllm *s, uint32_t n)
{
	uint32_t most = s->is.e->long_prefill_token_threshold;
	return whole_min(most ? whole_min(n, most) : n, s->budget);
}

uint32_t vllm_align(const struct vllm *s, const struct sequence *q,
		    uint32_t computed, uint32_t n)
{
	uint32_t known = q->progress.known, size = s->is.e->block_size;
	uint32_t end = computed + n, last = known / size * size;
	uint32_t found = q->progress.full_found;
	if (!s->is.kv.is_aligned ||
	    (computed >= q->request.input_tokens && computed + 1 >= known))
		return n;
	if (s->is.e->speculation.drops_hit)
		last -= whole_min(last, size);
	if (computed < last && computed % size)
		end = whole_min(end, (computed / size + 1) * size);
	else if (computed < last)
		end = end < last ? end / size * size : last;
	if (computed < found)
		end = whole_min(end, found);
	return end - computed;
}
