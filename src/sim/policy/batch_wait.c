/* batch_wait.c -- Decides whether prompts wait for more of them. */
#include <config.h>
#include "sim/policy/batch_wait.h"

void batch_load_add(struct batch_load *l, const struct scheduler *s)
{
	l->decodes += s->policy->running(s);
	l->prompts += s->waiting.n;
	for (uint32_t k = 0; k < s->waiting.n; k++)
		l->prompt_tokens +=
		    scheduler_sequence(s, queue_at(&s->waiting, k))
			->progress.known;
}

int batch_wait_holds(struct batch_wait *w, const struct engine *e,
		     const struct batch_load *l)
{
	if (l->decodes == 0 || l->prompts == 0)
		return 0;
	if (l->decodes + l->prompt_tokens < e->trtllm.wait_tokens &&
	    w->steps < e->trtllm.wait_steps) {
		w->steps++;
		return 1;
	}
	w->steps = 0;
	return 0;
}
