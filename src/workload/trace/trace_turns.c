/* trace_turns.c -- Keeps requests that are turns of agents, and makes their
 * prompts of blocks. */
#include "workload/trace/trace_turns.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/hash.h"

struct turns *turns_begin(struct trace *t, FILE *f, struct problem *p)
{
	struct turns *s = *trace_state(t) = calloc(1, sizeof *s);
	if (!s) {
		problem_no_memory(p);
		return NULL;
	}
	return trace_values_begin(&s->file, t, f, p) == 0 ? s : NULL;
}

struct turn *turns_add(struct turns *s)
{
	if (!MAKE_ROOM(s->turn, s->n, s->cap))
		return NULL;
	struct turn *x = memset(&s->turn[s->n++], 0, sizeof *x);
	x->row.id = s->n;
	x->after = s->n_after;
	return x;
}

const char *turns_wait(struct turns *s, const uint64_t *id, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!MAKE_ROOM(s->after, s->n_after, s->after_cap))
			return out_of_memory;
		s->after[s->n_after++] = id[i];
	}
	s->turn[s->n - 1].row.n_after += (uint32_t)n;
	return NULL;
}

void turns_continue(struct turns *s, uint64_t index)
{
	s->turn[s->n - 1].continues = index + 1;
	s->turn[index].is_continued = 1;
}

/* ---- blocks ---- */

/* What the blocks of a turn are, besides its hash_ids. */
enum { OWN, ANSWER };

struct prompt {
	struct trace *t;
	struct turns *s;
	struct trace_row *row;
};

static const char *add_block(struct prompt *o, uint64_t id, int64_t tokens)
{
	if (tokens <= 0)
		return NULL;
	if (!MAKE_ROOM(o->s->tokens, o->row->n_blocks, o->s->tokens_cap))
		return out_of_memory;
	o->s->tokens[o->row->n_blocks] = (uint32_t)tokens;
	return trace_add_block(o->t, o->row, id);
}

static const char *add_part(struct prompt *o, uint64_t turn, int what,
			    int64_t tokens)
{
	return add_block(o, hash_mix(hash_mix(turn + 1) + (uint64_t)what + 1),
			 tokens);
}

/* Adds `added` tokens of a turn by its ids; tokens without one are its own,
 * which no block has to say where none is behind them. */
static const char *add_ids(struct prompt *o, uint64_t turn, int64_t added,
			   int is_last)
{
	const struct turn *x = &o->s->turn[turn];
	const struct trace_values *file = &o->s->file;
	int64_t size = x->row.own_block_tokens, id, most, n = 0;
	struct json_cursor j;
	struct span s;
	const char *why = NULL;
	most = x->ids ? (added + size - 1) / size : 0;
	jc_begin(&j, x->ids ? x->ids : "[]",
		 x->ids ? (size_t)(file->text + file->n - x->ids) : 2);
	jc_enter(&j, '[');
	for (; !why && jc_element(&j); n++) {
		if (!jc_number(&j, &s))
			return j.why;
		why = trace_whole(o->t, s, "hash_ids", &id);
		if (!why && n < most)
			why = add_block(
			    o,
			    x->scope
				? hash_mix(hash_mix(x->scope) ^ (uint64_t)id)
				: (uint64_t)id,
			    added - n * size < size ? added - n * size : size);
	}
	if (!why && n > most)
		why = trace_say(o->t,
				"%lld hash_ids, but %lld tokens are %lld "
				"blocks of %lld",
				(long long)n, (long long)added, (long long)most,
				(long long)size);
	if (why || j.why || is_last)
		return why ? why : j.why;
	return add_part(o, turn, OWN, added - n * size);
}

/* Adds the prompts and answers that the turn continues, from the first, and
 * what it adds. */
static const char *add_path(struct prompt *o, uint64_t turn)
{
	struct turns *s = o->s;
	const struct turn *all = s->turn;
	int64_t before = 0;
	const char *why = NULL;
	size_t n = 0;
	for (uint64_t i = turn + 1; i; i = all[i - 1].continues) {
		if (!MAKE_ROOM(s->path, n, s->path_cap))
			return out_of_memory;
		s->path[n++] = i - 1;
	}
	while (!why && n--) {
		const struct trace_row *now = &all[s->path[n]].row;
		int64_t added = now->input_tokens - before, answer = 0;
		uint64_t from = all[s->path[n]].continues;
		if (from) {
			answer = all[from - 1].row.output_tokens;
			answer = answer < added ? answer : added;
			why = add_part(o, from - 1, ANSWER, answer);
		}
		if (!why)
			why = add_ids(o, s->path[n], added - answer,
				      !n && !all[turn].is_continued);
		before = now->input_tokens;
	}
	if (!why && all[turn].is_continued) {
		o->row->request.has_answer = 1;
		why = add_part(o, turn, ANSWER, o->row->output_tokens);
	}
	return why;
}

int turns_item(struct trace *t, uint64_t index, struct trace_row *row,
	       const char **why)
{
	struct turns *s = *trace_state(t);
	uint64_t offset = row->offset;
	if (index >= s->n)
		return 0;
	const struct turn *x = &s->turn[index];
	struct prompt o = {t, s, row};
	*row = x->row;
	row->offset = offset;
	row->after = row->n_after ? s->after + x->after : NULL;
	if ((x->ids || x->continues || x->is_continued) &&
	    row->input_tokens <= TRACE_MAX_TOKENS)
		*why = add_path(&o, index);
	row->block_tokens = s->tokens;
	return *why ? -1 : 1;
}

void turns_unload(struct trace *t)
{
	struct turns *s = *trace_state(t);
	if (s) {
		free(s->file.text), free(s->turn), free(s->after);
		free(s->tokens), free(s->path);
	}
	free(s);
}
