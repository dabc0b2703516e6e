/* receiver.c -- Forms steps of requests with prompts that other replicas
 * computed. */
#include "sim/policy/receiver.h"
#include "base/whole.h"

/* The requests of the next step, in columns of [max_num_seqs]; `ctx` and `id`
 * are columns of the replica in step memory. */
struct receiver {
	struct scheduler is;
	uint32_t n, *ctx;   /* tokens with KV                                 */
	uint64_t *id;       /* rows                                           */
	uint32_t *sequence; /* who they are                                   */
	uint32_t *due;      /* number of tokens at which blocks change        */
	uint32_t n_seated;  /* and those that have their last token in flight */
	uint64_t reserved;  /* blocks of all that are seated, at their ends   */
	int64_t processed_ns; /* when the last batch was processed            */
};

static struct receiver *receiver_of(const struct scheduler *s)
{
	return (struct receiver *)(uintptr_t)s;
}

static void init(struct scheduler *is)
{
	struct receiver *s = receiver_of(is);
	s->ctx = is->columns.ctx;
	s->id = is->columns.id;
	s->sequence =
	    arrays_add(&is->arrays, is->e->max_num_seqs, sizeof *s->sequence);
	s->due = arrays_add(&is->arrays, is->e->max_num_seqs, sizeof *s->due);
}

/* ---- admission ---- */

static uint64_t blocks_at_end(const struct receiver *s,
			      const struct sequence *q)
{
	return engine_blocks_of(s->is.e, progress_end(&q->progress));
}

static int has_room(const struct receiver *s, uint64_t blocks)
{
	uint64_t all = s->is.e->num_gpu_blocks;
	return all == ENGINE_UNLIMITED || blocks <= all - s->reserved;
}

/* Takes blocks for `tokens` tokens, and gives back those that windows do not
 * reach any more. */
static void cover(struct receiver *s, uint32_t k, uint32_t tokens)
{
	struct kv_owner *o = &scheduler_sequence(&s->is, s->sequence[k])->kv;
	scheduler_drop_old(&s->is, o, s->ctx[k], 0);
	if (kv_cover(&s->is.kv, o, tokens))
		s->is.out_of_memory = 1;
	s->due[k] = whole_min(o->cover_due, o->drop_due);
}

/* Seats the first waiting request.  Of its known tokens the last one has no KV
 * yet: it goes through the model in the next step. */
static void admit_first(struct receiver *s, uint64_t blocks)
{
	uint32_t i = queue_first(&s->is.waiting), k = s->n++;
	struct sequence *q = scheduler_sequence(&s->is, i);
	queue_pop(&s->is.waiting, s->is.pool);
	s->ctx[k] = q->progress.computed = q->progress.known - 1;
	s->id[k] = q->request.row;
	s->sequence[k] = i;
	s->n_seated++;
	s->reserved += blocks;
	if (kv_begin(&s->is.kv, &q->kv, 0))
		s->is.out_of_memory = 1;
	cover(s, k, s->ctx[k] + 1);
	scheduler_admitted(&s->is, i);
}

static void admit(struct receiver *s)
{
	while (s->is.waiting.n && s->n_seated < s->is.e->max_num_seqs) {
		uint64_t blocks = blocks_at_end(
		    s, scheduler_sequence(&s->is, queue_first(&s->is.waiting)));
		if (!has_room(s, blocks))
			return;
		admit_first(s, blocks);
	}
}

/* ---- a step ---- */

/* The request's part of the step.  Its result is known in advance, because no
 * request gives up tokens in flight. */
static struct member part_of(const struct receiver *s, uint32_t k)
{
	const struct engine *e = s->is.e;
	const struct sequence *q = scheduler_sequence(&s->is, s->sequence[k]);
	uint32_t has = s->ctx[k] + 1, drafts = e->speculation.drafts;
	uint32_t accepted =
	    drafts ? acceptance_count(&e->speculation, q->request.row,
				      has - q->request.input_tokens, drafts)
		   : 0;
	return (struct member){
	    .sequence = s->sequence[k],
	    .context = s->ctx[k],
	    .new_tokens = 1 + drafts,
	    .makes_token = 1,
	    .drafts = (uint16_t)drafts,
	    .accepted = accepted,
	    .emits = whole_min(1 + accepted, progress_end(&q->progress) - has)};
}

static void show(struct receiver *s, const struct batch *b, sc_step *step)
{
	uint32_t each = 1 + s->is.e->speculation.drafts;
	s->is.tokens = s->n * each;
	scheduler_begin_columns(&s->is, step);
	step->n_decode = step->n_sampled = b->n_members;
	step->decode_ctx = s->ctx;
	step->decode_id = s->id;
	for (uint32_t k = 0; k < s->n; k++)
		step->decode_ctx_sum += s->ctx[k];
	if (each == 1)
		return;
	step->decode_new = s->is.columns.decode_new;
	for (uint32_t k = 0; k < s->n; k++)
		s->is.columns.decode_new[k] = each;
}

/* Forms a step in which all admitted requests decode. */
static int choose(struct scheduler *is, struct batch *b, sc_step *step)
{
	struct receiver *s = receiver_of(is);
	scheduler_begin_step(is);
	admit(s);
	b->n_decode_only = 0;
	b->n_members = s->n;
	for (uint32_t k = 0; k < s->n; k++) {
		struct member *m = &b->member[k];
		*m = part_of(s, k);
		if (m->context + m->emits >= s->due[k])
			cover(s, k, m->context + m->emits);
	}
	show(s, b, step);
	return s->n > 0;
}

/* Counts the tokens of a step that is on its way; requests with their last
 * token in it leave the columns. */
static void commit(struct scheduler *is, struct batch *b)
{
	struct receiver *s = receiver_of(is);
	uint32_t n = 0;
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *m = &b->member[k];
		struct progress *g =
		    &scheduler_sequence(is, m->sequence)->progress;
		g->computed = s->ctx[k] + m->emits;
		if (g->computed + 1 >= progress_end(g))
			continue;
		s->ctx[n] = g->computed;
		s->id[n] = s->id[k];
		s->sequence[n] = s->sequence[k];
		s->due[n++] = s->due[k];
	}
	s->n = n;
}

/* ---- results ---- */

static void end(struct receiver *s, struct batch *b, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	q->generated = q->quota;
	s->reserved -= blocks_at_end(s, q);
	s->n_seated--;
	kv_give_back(&s->is.kv, &q->kv, 1);
	b->last[b->n_last++] = i;
}

/* Takes the results of a step: counts tokens and ends requests. */
static void process(struct scheduler *is, struct batch *b, int64_t now)
{
	struct receiver *s = receiver_of(is);
	batch_begin_results(b, 0, now, &s->processed_ns);
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *m = &b->member[k];
		if (m->sequence == NO_SEQUENCE)
			continue;
		struct sequence *q = scheduler_sequence(is, m->sequence);
		if (m->drafts)
			acceptance_add(&is->accepted, m->drafts, m->accepted);
		q->progress.known += m->emits;
		scheduler_count_token(b, q, m->sequence, now);
		if (q->progress.known == progress_end(&q->progress))
			end(s, b, m->sequence);
	}
}

/* Removes a request that its client gave up. */
static int withdraw(struct scheduler *is, uint32_t i)
{
	struct receiver *s = receiver_of(is);
	struct sequence *q = scheduler_sequence(is, i);
	uint32_t k = list_find(s->sequence, s->n, i);
	q->generated = q->progress.known - q->request.input_tokens;
	if (scheduler_leave_queue(is, &is->waiting, i))
		return 0;
	for (uint32_t n = k; n + 1 < s->n; n++) {
		s->ctx[n] = s->ctx[n + 1];
		s->id[n] = s->id[n + 1];
		s->sequence[n] = s->sequence[n + 1];
		s->due[n] = s->due[n + 1];
	}
	s->n -= k < s->n;
	s->reserved -= blocks_at_end(s, q);
	s->n_seated--;
	kv_give_back(&is->kv, &q->kv, 1);
	return 0;
}

/* ---- the policy ---- */

static uint32_t running(const struct scheduler *is)
{
	return receiver_of(is)->n_seated;
}

static uint32_t list(const struct scheduler *is, struct scheduled *out)
{
	const struct receiver *s = receiver_of(is);
	for (uint32_t k = 0; k < s->n; k++) {
		const struct member m = part_of(s, k);
		out[k] = (struct scheduled){.row = s->id[k],
					    .sequence = s->sequence[k],
					    .context = m.context,
					    .new_tokens = m.new_tokens,
					    .drafts = m.drafts,
					    .emitted = m.emits};
	}
	return s->n;
}

const struct policy policy_receiver = {
    .size = sizeof(struct receiver),
    .init = init,
    .choose = choose,
    .commit = commit,
    .process = process,
    .running = running,
    .list = list,
    .withdraw = withdraw,
};
