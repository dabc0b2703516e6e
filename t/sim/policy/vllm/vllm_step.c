/* Members of a step of policy vllm, and the budget that they leave. */
#include "sim/policy/vllm/vllm_step.h"
#include "sim/policy/vllm/vllm.h"
#include "one_scheduler.h"

static struct vllm *v;
static struct batch *b = &batches[0];

static void begin(uint32_t budget)
{
	engine = small_engine();
	start(&policy_vllm);
	v = (struct vllm *)(uintptr_t)s;
	come(20, 3, 0);
	come(5, 3, 0);
	come(9, 3, 0);
	v->batch = b;
	v->budget = budget;
	b->n_members = 0;
}

static void joining(void)
{
	begin(30);
	const struct member *m = vllm_schedule(v, 0, 8, 1);
	ok(m == &b->member[0] && m->sequence == 0 && m->context == 0 &&
	       m->new_tokens == 8 && m->is_prefill && !m->makes_token &&
	       !m->drafts,
	   "a chunk of a prompt makes no token");
	pool.item[1].progress.computed = 2;
	m = vllm_schedule(v, 1, 3, 2);
	ok(m->context == 2 && m->is_prefill == 1 && m->makes_token,
	   "the last chunk makes one");
	ok(b->n_members == 2 && v->budget == 30 - 8 - 3,
	   "both take of the budget");
	pool.item[2].progress.placeholders = 1;
	m = vllm_schedule(v, 2, 9, 1);
	ok(!m->makes_token, "nor do tokens before one that is in flight");
}

static void drafts(void)
{
	begin(30);
	struct progress *q = &pool.item[1].progress;
	*q = (struct progress){.known = 6, .computed = 5, .drafts = 3};
	vllm_schedule_running(v, 1, 4);
	ok(b->member[0].drafts == 3 && !b->member[0].is_prefill &&
	       b->member[0].makes_token && q->drafts == 0,
	   "tokens beyond its own are drafts, which are used up");
	q->drafts = 3;
	vllm_schedule_running(v, 1, 2);
	ok(b->member[1].drafts == 1, "as many of them as there is room for");
	q->drafts = 3;
	q->placeholders = 1;
	vllm_schedule_running(v, 1, 4);
	ok(b->member[2].drafts == 2, "tokens in flight come before them");
	q->drafts = 1;
	vllm_schedule_running(v, 1, 4);
	ok(b->member[3].drafts == 1, "and no more than there are");
	q->is_chunk = 1;
	vllm_schedule_running(v, 1, 1);
	ok(b->member[4].is_prefill && b->member[4].drafts == 0,
	   "a prompt goes on");
	ok(v->budget == 30 - 4 - 2 - 4 - 4 - 1, "all of it from the budget");
}

static void leaving(void)
{
	begin(30);
	vllm_schedule(v, 0, 8, 1);
	vllm_schedule(v, 1, 5, 1);
	vllm_schedule(v, 2, 9, 1);
	v->at = 3;
	vllm_unschedule(v, 1);
	ok(b->n_members == 2 && b->member[0].sequence == 0 &&
	       b->member[1].sequence == 2,
	   "it leaves, and the others stay in order");
	ok(v->budget == 30 - 8 - 9 && v->at == 2,
	   "its tokens return, and the place moves up");
	vllm_unschedule(v, 1);
	ok(b->n_members == 2 && v->budget == 13 && v->at == 2,
	   "what is not in the step changes nothing");
	vllm_unschedule(v, 2);
	vllm_unschedule(v, 0);
	ok(b->n_members == 0 && v->budget == 30, "the last one, and the first");
}

static void cutting(void)
{
	begin(30);
	ok(vllm_cut(v, 7) == 7 && vllm_cut(v, 31) == 30,
	   "no more than the budget");
	engine.long_prefill_token_threshold = 10;
	ok(vllm_cut(v, 9) == 9 && vllm_cut(v, 31) == 10,
	   "no more than the threshold");
	v->budget = 4;
	ok(vllm_cut(v, 9) == 4, "the least of both");
}

int main(void)
{
	joining();
	drafts();
	leaving();
	cutting();
	stop();
	return done();
}
