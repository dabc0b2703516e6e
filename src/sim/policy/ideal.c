/* ideal.c -- Forms the next step of a replica from columns of running
 * requests. */
#include "sim/policy/ideal.h"
#include <string.h>
#include "base/whole.h"
#include "sim/kv/kv_need.h"
#include "sim/policy/columns.h"
#include "sim/policy/ideal_commit.h"
#include "sim/policy/ideal_rows.h"

/* ---- creation and destruction ---- */

static void init(struct scheduler *is)
{
	struct ideal *s = ideal_of(is);
	const struct engine *e = is->e;
	size_t n = e->max_num_seqs + COLUMNS_PAD;
	s->ctx = is->columns.ctx;
	s->id = is->columns.id;
	s->sequence = arrays_add(&is->arrays, n, sizeof *s->sequence);
	s->target = arrays_add(&is->arrays, n, sizeof *s->target);
	s->last_tick = arrays_add(&is->arrays, n, sizeof *s->last_tick);
	s->chunk = arrays_add(&is->arrays, n, sizeof *s->chunk);
	s->leaving =
	    arrays_add(&is->arrays, e->max_num_seqs, sizeof *s->leaving);
	s->spent = arrays_add(&is->arrays, e->max_num_seqs, sizeof *s->spent);
	s->by_phase =
	    arrays_add(&is->arrays, e->block_size, sizeof *s->by_phase);
	s->is_power_of_2 = (e->block_size & (e->block_size - 1)) == 0;
	s->block_shift = (uint32_t)__builtin_ctz(e->block_size);
	s->dirty = 1;
}

/* ---- choosing ---- */

static uint32_t next_chunk(const struct ideal *s, uint32_t left,
			   uint32_t budget)
{
	uint32_t most = s->is.e->long_prefill_token_threshold;
	if (most && left > most)
		left = most;
	return whole_min(left, budget);
}

/* Returns how many decoding sequences need a new block `later` steps from
 * now. */
static uint32_t decodes_at_block_end(const struct ideal *s, uint32_t later)
{
	uint32_t size = s->is.e->block_size;
	return s->by_phase[ideal_in_block(
	    s, size - ideal_in_block(s, s->tick + later))];
}

/* Takes a block for each decode that begins one, and keys each block that
 * becomes full. */
static void take_decode_blocks(struct ideal *s)
{
	for (uint32_t i = 0; i < s->n_decoding; i++) {
		uint32_t ctx = s->ctx[i], place = ideal_in_block(s, ctx + 1);
		if (place > 1)
			continue;
		struct kv_owner *o = &ideal_sequence(s, i)->kv;
		if (kv_cover(&s->is.kv, o, ctx + 1))
			s->is.out_of_memory = 1;
		else if (place == 0)
			kv_key(&s->is.kv, o, ctx + 1);
	}
}

/* Schedules all decodes and the next chunks of the prompts behind them.
 * Returns 0 and changes nothing if budget or blocks do not suffice for all. */
static int run_all(struct ideal *s, uint32_t *budget)
{
	uint32_t left = *budget, n = s->n_decoding;
	if (n > left)
		return 0;
	left -= n;
	uint64_t decode_blocks = decodes_at_block_end(s, 0);
	uint64_t need = decode_blocks;
	for (uint32_t i = n; i < s->n; i++) {
		s->chunk[i] = next_chunk(s, s->target[i] - s->ctx[i], left);
		left -= s->chunk[i];
		need += ideal_blocks_needed(s, s->ctx[i], s->chunk[i]);
	}
	if (need > kv_room(&s->is.kv))
		return 0;
	if (s->is.kv.caching)
		take_decode_blocks(s);
	else
		blocks_count(&s->is.kv.pool, decode_blocks);
	for (uint32_t i = n; i < s->n; i++)
		ideal_take_blocks(
		    s, ideal_sequence(s, i), s->ctx[i], s->chunk[i],
		    ideal_blocks_needed(s, s->ctx[i], s->chunk[i]));
	*budget = left;
	return 1;
}

/* Returns 1 if sequence a is preempted before sequence b. */
static int goes_before(const struct ideal *s, uint32_t a, uint32_t b)
{
	const struct sequence *x = &s->is.pool->item[a],
			      *y = &s->is.pool->item[b];
	if (s->is.e->policy == POLICY_PRIORITY &&
	    x->request.priority != y->request.priority)
		return x->request.priority > y->request.priority;
	return x->admitted > y->admitted;
}

/* Returns the row to preempt: the one admitted last; with policy = priority,
 * the last one among those with the lowest priority. */
static uint32_t victim(const struct ideal *s)
{
	uint32_t v = s->n - 1;
	if (s->is.e->policy == POLICY_PRIORITY)
		for (uint32_t i = s->n - 1; i-- > 0;)
			if (goes_before(s, s->sequence[i], s->sequence[v]))
				v = i;
	return v;
}

/* Returns the index in leaving[] of the sequence that is preempted first, if it
 * is preempted before `sequence`; otherwise n_leaving. */
static uint32_t leaving_victim(const struct ideal *s, uint32_t sequence)
{
	uint32_t v = s->n_leaving;
	for (uint32_t i = 0; i < s->n_leaving; i++)
		if (goes_before(s, s->leaving[i].sequence, sequence)) {
			sequence = s->leaving[i].sequence;
			v = i;
		}
	return v;
}

/* Takes the blocks of a leaving sequence away.  Nothing needs to be recomputed,
 * because its last token is in flight. */
static void preempt_leaving(struct ideal *s, uint32_t i)
{
	struct sequence *q = &s->is.pool->item[s->leaving[i].sequence];
	ideal_give_back(s, q, s->leaving[i].tokens, 0);
	s->leaving[i] = s->leaving[--s->n_leaving];
	scheduler_preempted(&s->is, q);
}

/* Takes the blocks of row i away and puts it back into the queue. */
static void preempt(struct ideal *s, uint32_t i)
{
	struct sequence *q = ideal_sequence(s, i);
	uint32_t sequence = s->sequence[i];
	ideal_give_back(s, q, s->ctx[i] + s->chunk[i], 0);
	if (ideal_is_decoding(s, i))
		q->generated = q->quota - ideal_tokens_left(s, i);
	if (q->generated && !q->is_late) {
		q->is_late = 1;
		q->last_token_ns = s->is.last_end_ns;
	}
	q->loaded = 0;
	ideal_drop_row(s, i);
	s->dirty = 1;
	if (queue_push_back(&s->is.waiting, s->is.pool, sequence))
		s->is.out_of_memory = 1;
	scheduler_preempted(&s->is, q);
}

/* Takes blocks for row *i, and preempts others if necessary.  Returns 0 if the
 * row itself was preempted.  If a row before it is preempted, *i decreases and
 * the tokens of that row return to *budget. */
static int secure_blocks(struct ideal *s, uint32_t *i, uint32_t chunk,
			 uint32_t *budget)
{
	while (ideal_blocks_needed(s, s->ctx[*i], chunk) > kv_room(&s->is.kv)) {
		uint32_t v = victim(s);
		uint32_t l = leaving_victim(s, s->sequence[v]);
		if (l < s->n_leaving) {
			preempt_leaving(s, l);
			continue;
		}
		*budget += s->chunk[v];
		preempt(s, v);
		if (v == *i)
			return 0;
		if (v < *i)
			--*i;
	}
	ideal_take_blocks(s, ideal_sequence(s, *i), s->ctx[*i], chunk,
			  ideal_blocks_needed(s, s->ctx[*i], chunk));
	return 1;
}

static void run_one_by_one(struct ideal *s, uint32_t *budget)
{
	memset(s->chunk, 0, s->n * sizeof *s->chunk);
	for (uint32_t i = 0; i < s->n && *budget; i++) {
		uint32_t chunk = 1;
		if (!ideal_is_decoding(s, i))
			chunk =
			    next_chunk(s, s->target[i] - s->ctx[i], *budget);
		if (!secure_blocks(s, &i, chunk, budget))
			return;
		s->chunk[i] = chunk;
		*budget -= chunk;
	}
}

/* Adds a row at the end with its first chunk. */
static void append(struct ideal *s, struct sequence *q, uint32_t sequence,
		   uint32_t ctx, uint32_t chunk)
{
	uint32_t i = s->n++, known = q->request.input_tokens + q->generated;
	s->ctx[i] = ctx;
	s->id[i] = q->request.row;
	s->sequence[i] = sequence;
	s->target[i] = q->loaded ? q->loaded : known;
	s->last_tick[i] = s->tick + q->quota - q->generated;
	s->chunk[i] = chunk;
	scheduler_admitted(&s->is, sequence);
}

/* Admits the first waiting request.  Returns 0 if there is no room for it. */
static int admit_one(struct ideal *s, uint32_t *budget)
{
	uint32_t sequence = queue_first(&s->is.waiting);
	struct sequence *q = &s->is.pool->item[sequence];
	uint32_t known = q->request.input_tokens + q->generated;
	uint32_t found = kv_find(&s->is.kv, &q->kv, q->loaded ? 0 : known - 1);
	uint32_t ctx = q->loaded ? q->loaded : found;
	uint32_t chunk = next_chunk(s, known - ctx, *budget);
	if (kv_need_first(&s->is.kv, found, ctx + chunk) > kv_room(&s->is.kv))
		return 0;
	if (found && kv_begin(&s->is.kv, &q->kv, found)) {
		s->is.out_of_memory = 1;
		return 0;
	}
	ideal_take_blocks(s, q, ctx, chunk, ideal_blocks_of(s, ctx + chunk));
	queue_pop(&s->is.waiting, s->is.pool);
	append(s, q, sequence, ctx, chunk);
	scheduler_found_cached(&s->is, q, ctx);
	*budget -= chunk;
	return 1;
}

/* ---- for the cost model ---- */

static void show_prefill(const struct ideal *s, sc_step *step, uint32_t i)
{
	const struct step_columns *c = &s->is.columns;
	uint32_t k = step->n_prefill++;
	uint32_t last = s->ctx[i] + s->chunk[i] == s->target[i];
	c->prefill_new[k] = s->chunk[i];
	c->prefill_ctx[k] = s->ctx[i];
	c->prefill_last[k] = last;
	c->prefill_prompt[k] = s->target[i];
	c->prefill_id[k] = s->id[i];
	step->n_sampled += last;
}

/* While the decodes are the first rows, the step points to ctx and id;
 * otherwise they are copied. */
static void show_decode(const struct ideal *s, sc_step *step, uint32_t i)
{
	const struct step_columns *c = &s->is.columns;
	uint32_t n = step->n_decode++;
	step->decode_ctx_sum += s->ctx[i];
	if (step->decode_ctx == s->ctx) {
		if (i == n)
			return;
		memcpy(c->decode_ctx, s->ctx, n * sizeof *s->ctx);
		memcpy(c->decode_id, s->id, n * sizeof *s->id);
		step->decode_ctx = c->decode_ctx;
		step->decode_id = c->decode_id;
	}
	c->decode_ctx[n] = s->ctx[i];
	c->decode_id[n] = s->id[i];
}

static void show(const struct ideal *s, sc_step *step)
{
	uint32_t i = 0;
	scheduler_begin_columns(&s->is, step);
	step->decode_ctx = s->ctx;
	step->decode_id = s->id;
	if (s->decode_only) {
		step->n_decode = i = s->n_decoding;
		step->decode_ctx_sum = s->ctx_sum;
	}
	for (; i < s->n; i++) {
		if (s->chunk[i] == 0)
			continue;
		if (ideal_is_decoding(s, i))
			show_decode(s, step, i);
		else
			show_prefill(s, step, i);
	}
	step->n_sampled += step->n_decode;
}

/* Forms the next step: running requests first, then waiting ones while no
 * request was preempted. */
static int choose(struct scheduler *is, struct batch *b, sc_step *step)
{
	struct ideal *s = ideal_of(is);
	uint32_t budget = s->is.e->max_num_batched_tokens;
	(void)b;
	scheduler_begin_step(is);
	if (s->dirty)
		ideal_look_again(s);
	s->decode_only = s->is_sorted && s->n_late == 0 && run_all(s, &budget);
	if (!s->decode_only)
		run_one_by_one(s, &budget);
	if (s->is.n_preempted == 0)
		while (s->is.waiting.n && budget &&
		       ideal_running(s) < s->is.e->max_num_seqs &&
		       admit_one(s, &budget))
			;
	s->is.tokens = s->is.e->max_num_batched_tokens - budget;
	is->goes_on =
	    s->decode_only && s->n == s->n_decoding && is->n_preempted == 0;
	if (s->is.tokens == 0)
		return 0;
	show(s, step);
	return 1;
}

/* ---- looking ahead ---- */

/* Returns 1 if all rows decode when the step is over; *left: steps until the
 * first row has all its tokens. */
static int all_will_decode(const struct ideal *s, uint32_t *left)
{
	*left = s->next_last_tick - s->tick - 1;
	for (uint32_t i = s->n_decoding; i < s->n; i++) {
		const struct sequence *q = ideal_sequence(s, i);
		uint32_t more = ideal_is_decoding(s, i)
				    ? ideal_tokens_left(s, i)
				    : q->quota - q->generated;
		if (s->ctx[i] + s->chunk[i] < s->target[i] || s->chunk[i] == 0)
			return 0;
		*left = whole_min(*left, more - 1);
	}
	return 1;
}

/* Fills in the next step, if it surely has the same sequences as this one.
 * Returns how many such steps follow, at most `most`. */
static uint32_t ahead(const struct scheduler *is, sc_step *next, uint32_t most)
{
	const struct ideal *s = ideal_of(is);
	const struct step_columns *c = &is->columns;
	uint32_t left;
	if (!s->decode_only || s->n > is->e->max_num_batched_tokens ||
	    (is->waiting.n && ideal_running(s) < is->e->max_num_seqs) ||
	    !all_will_decode(s, &left) || left == 0)
		return 0;
	columns_next(c->ahead_ctx, s->ctx, s->n_decoding);
	next->decode_ctx_sum = s->ctx_sum + s->n_decoding;
	for (uint32_t i = s->n_decoding; i < s->n; i++) {
		c->ahead_ctx[i] = s->ctx[i] + s->chunk[i];
		next->decode_ctx_sum += c->ahead_ctx[i];
	}
	next->flags = s->n <= is->e->graph_max_tokens ? SC_STEP_GRAPH : 0;
	next->n_prefill = 0;
	next->n_decode = next->n_sampled = s->n;
	next->decode_ctx = c->ahead_ctx;
	next->decode_id = s->id;
	return whole_min(left, most);
}

static uint32_t go_on(struct scheduler *is, uint32_t behind, uint32_t n,
		      uint64_t *blocks_used)
{
	struct ideal *s = ideal_of(is);
	uint32_t i = 0;
	/* Phases jump when the tick overflows, see commit(). */
	uint32_t left = UINT32_MAX - s->tick;
	if (s->dirty || is->kv.caching || left < behind)
		return 0;
	n = whole_min(n, left - behind);
	scheduler_begin_step(is);
	for (; i < n; i++) {
		uint64_t blocks = decodes_at_block_end(s, behind + i);
		if (blocks > kv_room(&is->kv))
			break;
		blocks_count(&is->kv.pool, blocks);
		blocks_used[i] = is->kv.pool.used;
	}
	return i;
}

/* ---- a request that leaves early ---- */

static uint32_t leaving_of(const struct ideal *s, uint32_t sequence)
{
	uint32_t k = 0;
	while (k < s->n_leaving && s->leaving[k].sequence != sequence)
		k++;
	return k;
}

/* A gap before a token in flight stays counted. */
static int withdraw(struct scheduler *is, uint32_t sequence)
{
	struct ideal *s = ideal_of(is);
	struct sequence *q = scheduler_sequence(is, sequence);
	uint32_t i = list_find(s->sequence, s->n, sequence);
	if (leaving_of(s, sequence) < s->n_leaving) {
		q->generated = q->quota;
		ideal_remove_leaving(s, sequence);
	} else if (i < s->n) {
		ideal_give_back(s, q, s->ctx[i], 1);
		if (ideal_is_decoding(s, i))
			q->generated = q->quota - ideal_tokens_left(s, i);
		ideal_drop_row(s, i);
		s->dirty = 1;
	} else {
		scheduler_leave_queue(is, &is->waiting, sequence);
	}
	return 0;
}

/* ---- the policy ---- */

static uint32_t running(const struct scheduler *is)
{
	return ideal_running(ideal_of(is));
}

/* Lists the sequences of the step.  Returns how many. */
static uint32_t list(const struct scheduler *is, struct scheduled *out)
{
	const struct ideal *s = ideal_of(is);
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t new =
		    s->decode_only &&i < s->n_decoding ? 1 : s->chunk[i];
		if (new)
			out[n++] = (struct scheduled){
			    .row = s->id[i],
			    .sequence = s->sequence[i],
			    .context = s->ctx[i],
			    .new_tokens = new,
			    .emitted = s->ctx[i] + new >= s->target[i],
			};
	}
	return n;
}

const struct policy policy_ideal = {
    .size = sizeof(struct ideal),
    .init = init,
    .choose = choose,
    .ahead = ahead,
    .go_on = go_on,
    .commit_run = ideal_commit_run,
    .commit = ideal_commit,
    .process = ideal_process,
    .running = running,
    .list = list,
    .withdraw = withdraw,
    .found = scheduler_found,
};
