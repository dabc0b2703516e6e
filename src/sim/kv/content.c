/* content.c -- Computes keys of the prefixes of a request's tokens. */
#include "sim/kv/content.h"
#include <stdlib.h>

enum kind { GIVEN, OWN_PROMPT, OWN_OUTPUT, ITEM, BEHIND_ITEM };
static uint64_t content_id(enum kind kind, uint64_t id)
{
	return hash_mix(hash_mix(id) + (uint64_t)kind);
}

static void append(struct content *c, uint64_t id, uint32_t tokens)
{
	if (tokens)
		c->segment[c->n++] = (struct segment){id, tokens};
}

/* Where the prompt is while its segments are appended. */
struct making {
	const struct request *r;
	uint32_t at, item; /* tokens so far; the next item */
};

/* Appends the tokens of the prompt from its end so far to `end`: those of a
 * segment with that id that begins at `start`, except where items are.  An
 * item's tokens are told by its name and place, and text behind an item also by
 * how far into its segment it begins. */
static void append_text(struct content *c, struct making *m, uint64_t id,
			uint32_t start, uint32_t end)
{
	while (m->at < end) {
		const struct mm_item *next =
		    m->item < m->r->n_items ? &m->r->item[m->item] : NULL;
		uint32_t into = m->at - start, text = end;
		if (next && next->offset < end)
			text = next->offset;
		append(c, into ? content_id(BEHIND_ITEM, id + into) : id,
		       text - m->at);
		m->at = text;
		if (text == end)
			break;
		append(c, content_id(ITEM, next->name + next->offset),
		       next->length);
		m->at += next->length;
		m->item++;
	}
}

/* Returns the tokens before the first one that no other prompt has, if the
 * prompt's own text begins at `own`. */
static uint32_t shared_before(const struct request *r, uint32_t own)
{
	for (uint32_t i = 0; i < r->n_items; i++)
		if (r->item[i].offset <= own &&
		    own < r->item[i].offset + r->item[i].length)
			own = r->item[i].offset + r->item[i].length;
	return own;
}

int content_make(struct content *c, const struct request *r)
{
	struct making m = {.r = r};
	*c = (struct content){.row = r->row, .realm = request_realm(r)};
	c->segment = malloc((r->n_segments + 2 * (size_t)r->n_items + 2) *
			    sizeof *c->segment);
	if (!c->segment)
		return -1;
	uint32_t start = 0, end = r->input_tokens;
	if (r->has_answer)
		end += r->output_tokens;
	for (uint32_t i = 0; i < r->n_segments; i++) {
		uint32_t n = r->segment[i].tokens, left = end - start;
		n = n < left ? n : left;
		append_text(c, &m, content_id(GIVEN, r->segment[i].id), start,
			    start + n);
		start += n;
	}
	append_text(c, &m, content_id(OWN_PROMPT, r->row), start,
		    r->input_tokens);
	c->shared_tokens = shared_before(r, start);
	if (start > r->input_tokens) {
		append(c, content_id(OWN_OUTPUT, r->row),
		       r->input_tokens + r->output_tokens - start);
	} else if (r->output_id) {
		append(c, content_id(GIVEN, r->output_id), r->output_tokens);
		if (c->shared_tokens == r->input_tokens)
			c->shared_tokens += r->output_tokens;
	} else {
		append(c, content_id(OWN_OUTPUT, r->row), r->output_tokens);
	}
	return 0;
}

void content_free(struct content *c)
{
	free(c->segment);
	free(c->key);
	*c = (struct content){0};
}

struct content_place content_at(const struct content *c, uint32_t tokens)
{
	struct content_place at = {0};
	while (tokens && tokens >= c->segment[at.segment].tokens)
		tokens -= c->segment[at.segment++].tokens;
	at.offset = tokens;
	return at;
}

struct content_place content_block(const struct content *c, uint32_t block,
				   uint32_t unit)
{
	struct content_place at = content_at(c, block * unit);
	at.key = block ? c->key[block - 1] : c->realm;
	return at;
}

uint64_t content_go_on(const struct segment *segment, struct content_place *at,
		       uint32_t tokens)
{
	uint64_t key = at->key;
	while (tokens) {
		const struct segment *s = &segment[at->segment];
		uint32_t n = s->tokens - at->offset;
		n = n < tokens ? n : tokens;
		key = content_run_key(key, s->id, at->offset, n);
		tokens -= n;
		at->offset += n;
		if (at->offset == s->tokens) {
			at->segment++;
			at->offset = 0;
		}
	}
	at->key = key ? key : 1;
	return at->key;
}

uint64_t content_prefix_key(const struct content *c, uint32_t tokens)
{
	struct content_place at = content_start(c);
	return content_go_on(c->segment, &at, tokens);
}

int content_keys(struct content *c, uint32_t n, uint32_t unit)
{
	if (c->unit != unit) {
		c->unit = unit;
		c->n_keys = 0;
		c->end = content_start(c);
	}
	if (n > c->cap_keys) {
		uint32_t cap = c->cap_keys ? c->cap_keys : 16;
		while (cap < n)
			cap *= 2;
		void *more = realloc(c->key, cap * sizeof *c->key);
		if (!more)
			return -1;
		c->key = more;
		c->cap_keys = cap;
	}
	for (; c->n_keys < n; c->n_keys++)
		c->key[c->n_keys] = content_go_on(c->segment, &c->end, unit);
	return 0;
}
