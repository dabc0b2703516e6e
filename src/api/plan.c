/* plan.c -- Finds out how an answer ends. */
#include "api/plan.h"
#include <string.h>
#include "api/pieces.h"

uint32_t answer_plan_token(const struct answer_plan *a, uint64_t i)
{
	return a->has_eos && i + 1 == a->output_tokens
		   ? pieces_special(SPECIAL_END)
		   : answer_token(&a->source, i);
}

static void set_length(struct answer_plan *a, const struct body *b,
		       uint64_t input, const struct answer_rules *r)
{
	uint64_t room = r->max_model_len - input;
	int64_t asked = b->max_tokens;
	if (asked < 0 && b->kind == BODY_COMPLETION)
		asked = COMPLETION_TOKENS;
	if (asked == 0)
		asked = 1; /* the engine makes one */
	uint64_t limit =
	    asked < 0 || (uint64_t)asked > room ? room : (uint64_t)asked;
	uint64_t drawn = r->drawn;
	if (drawn < (uint64_t)b->min_tokens)
		drawn = (uint64_t)b->min_tokens;
	int may_end = !b->ignore_eos && (asked < 0 || r->eos_is_drawn);
	a->max_tokens = a->output_tokens = (uint32_t)limit;
	if (may_end && drawn < limit) {
		a->output_tokens = (uint32_t)(drawn ? drawn : 1);
		a->has_eos = a->is_stopped = 1;
	}
}

static void find_stop_id(struct answer_plan *a, const struct body *b)
{
	for (uint64_t i = (uint64_t)b->min_tokens;
	     b->stop_ids.n && i < a->output_tokens; i++) {
		uint32_t id = answer_plan_token(a, i);
		for (size_t k = 0; k < b->stop_ids.n; k++)
			if (b->stop_ids.id[k] == id) {
				a->has_eos =
				    a->has_eos && i + 1 == a->output_tokens;
				a->output_tokens = (uint32_t)i + 1;
				a->is_stopped = 1;
				a->stop_id = id;
				return;
			}
	}
}

/* The text of the answer while it is looked through. */
struct looking {
	char *s;
	size_t n, cap;
	size_t from; /* matches end behind it */
};

static int add_text(struct looking *l, const char *piece, size_t n)
{
	if (l->n + n + 1 > l->cap) {
		size_t cap = 2 * (l->n + n) + 256;
		char *s = realloc(l->s, cap);
		if (!s)
			return -1;
		l->s = s;
		l->cap = cap;
	}
	memcpy(l->s + l->n, piece, n + 1);
	l->n += n;
	return 0;
}

/* Looks for a stop text that ends within the last n bytes; the first of the
 * list counts.  Returns its place in the text, or SIZE_MAX. */
static size_t match(const struct looking *l, const struct body *b, size_t n,
		    size_t *which)
{
	for (size_t k = 0; k < b->n_stops; k++) {
		size_t length = strlen(b->stop[k]), end = l->n - n + 1;
		for (; end <= l->n; end++)
			if (end >= length && end > l->from &&
			    !memcmp(l->s + end - length, b->stop[k], length)) {
				*which = k;
				return end - length;
			}
	}
	return SIZE_MAX;
}

static void find_stop_text(struct answer_plan *a, const struct body *b)
{
	struct looking l = {0};
	char piece[PIECE_TEXT];
	size_t longest = 0, which = 0;
	for (size_t k = 0; k < b->n_stops; k++)
		if (strlen(b->stop[k]) > longest)
			longest = strlen(b->stop[k]);
	if (longest && !b->include_stop)
		a->held_back = longest - 1;
	for (uint32_t i = 0; longest && i < a->output_tokens; i++) {
		if (a->has_eos && i + 1 == a->output_tokens)
			break;
		size_t n = pieces_text(answer_plan_token(a, i), piece);
		if (add_text(&l, piece, n) < 0)
			break;
		if (i < (uint64_t)b->min_tokens) {
			l.from = l.n;
			continue;
		}
		size_t at = match(&l, b, n, &which);
		if (at == SIZE_MAX)
			continue;
		a->stop_tokens = i + 1;
		a->is_stopped = 1;
		a->stop_id = STOP_REASON_NONE;
		a->stop_text = b->stop[which];
		a->text_bytes =
		    b->include_stop ? at + strlen(a->stop_text) : at;
		break;
	}
	free(l.s);
}

void answer_plan(struct answer_plan *a, const struct body *b, size_t p,
		 uint32_t c, const struct answer_rules *r)
{
	const struct ids *prompt = &b->prompt[p];
	uint64_t seed = r->number;
	if (b->has_seed)
		seed = (uint64_t)b->seed;
	else if (!(b->temperature > 0))
		seed = 0;
	*a = (struct answer_plan){.stop_id = STOP_REASON_NONE,
				  .text_bytes = SIZE_MAX};
	a->source = (struct answer_source){
	    .key = answer_key(prompt, c, seed, r->server_seed),
	    .begins_bare = b->kind == BODY_CHAT};
	if (r->echoes && p == 0 && b->last_n) {
		a->source.echo = prompt->id + b->last_at;
		a->source.n_echo = b->last_n;
	}
	set_length(a, b, prompt->n, r);
	find_stop_id(a, b);
	find_stop_text(a, b);
	/* The text of a stop token shows only if stops are included. */
	if (a->stop_id >= 0 && !b->include_stop) {
		size_t n = 0;
		char piece[PIECE_TEXT];
		for (uint32_t i = 0; i + 1 < a->output_tokens; i++)
			n += pieces_text(answer_plan_token(a, i), piece);
		a->text_bytes = n;
	}
}
