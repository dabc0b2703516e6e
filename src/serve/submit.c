/* submit.c -- Gives requests to the engine. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "serve/flight.h"
#include "serve/rows.h"
#include "workload/trace/trace_reader.h"

static int add_rows(struct server *s, struct flight *f)
{
	uint64_t n = f->reply.n_choices;
	while (s->first_row < s->next_row &&
	       !s->row[s->first_row % s->cap_rows].flight &&
	       !s->row[s->first_row % s->cap_rows].text)
		s->first_row++;
	if (s->next_row - s->first_row + n > s->cap_rows) {
		size_t cap = 2 * (size_t)(s->next_row - s->first_row + n) + 64;
		struct row *more = calloc(cap, sizeof *more);
		if (!more)
			return -1;
		for (uint64_t k = s->first_row; k < s->next_row; k++)
			more[k % cap] = s->row[k % s->cap_rows];
		free(s->row);
		s->row = more;
		s->cap_rows = cap;
	}
	f->first_row = s->next_row;
	for (uint32_t i = 0; i < n; i++)
		s->row[s->next_row++ % s->cap_rows] =
		    (struct row){.flight = f, .choice = i};
	return 0;
}

/* The tokens of a prompt and its answer. */
static struct ids ids_of(const struct ids *prompt, const struct answer_plan *a)
{
	struct ids all = {0};
	for (size_t i = 0; i < prompt->n; i++)
		ids_add(&all, prompt->id[i]);
	for (uint32_t i = 0; i < a->output_tokens; i++)
		ids_add(&all, answer_plan_token(a, i));
	return all;
}

/* Hash ids of their blocks; the caller frees them. */
static uint64_t *blocks_of(const struct ids *all, uint32_t size, uint32_t *n)
{
	*n = (uint32_t)((all->n + size - 1) / size);
	uint64_t *id = malloc((*n + 1) * sizeof *id);
	for (uint32_t b = 0; id && b < *n; b++) {
		uint64_t h = HASH_BEGIN;
		for (size_t t = (size_t)b * size;
		     t < all->n && t < ((size_t)b + 1) * size; t++)
			h = hash_mix(h ^ all->id[t]) + 1;
		id[b] = h >> 11;
	}
	return id;
}

/* The items of a prompt as the engine knows them; the caller frees them. */
static struct mm_item *items_of(const struct prompt_items *l)
{
	struct mm_item *item = calloc(l->n + 1, sizeof *item);
	for (size_t i = 0; item && i < l->n; i++)
		item[i] = (struct mm_item){
		    trace_text_id(l->item[i].name, strlen(l->item[i].name)),
		    l->item[i].offset, l->item[i].length};
	return item;
}

static uint64_t text_id(const char *s)
{
	return s && *s ? trace_text_id(s, strlen(s)) : 0;
}

/* Returns the number of a salt, in order of appearance. */
static uint64_t salt_number(struct server *s, const char *salt)
{
	if (!salt)
		return 0;
	uint64_t *at = map64_at(&s->salts, text_id(salt), NULL);
	if (at && !*at)
		*at = s->salts.n;
	return at ? *at : 0;
}

static uint32_t drawn_length(const struct server *s, uint64_t key)
{
	struct rng rng = rng_stream(key, RNG_OUTPUT, 0);
	return distribution_tokens(&s->lengths, &rng);
}

static char *choice_name(const struct flight *f, uint32_t i)
{
	char name[320];
	if (f->reply.n_choices == 1)
		snprintf(name, sizeof name, "%s", f->id);
	else
		snprintf(name, sizeof name, "%s-%" PRIu32, f->id, i);
	char unique[360];
	record_name(&f->s->record, name, unique, sizeof unique);
	return strdup(unique);
}

static int plan_choice(struct flight *f, uint32_t i)
{
	struct server *s = f->s;
	size_t p = i / (uint32_t)f->body.n;
	uint32_t c = i % (uint32_t)f->body.n;
	struct answer_rules rules = {.max_model_len =
					 s->live.arm[0].facts.max_model_len,
				     .eos_is_drawn = s->keys.eos == EOS_DRAWN,
				     .echoes = s->keys.answer == ANSWER_ECHO,
				     .server_seed = (uint64_t)s->keys.seed,
				     .number = s->n_requests};
	uint64_t seed = f->body.has_seed          ? (uint64_t)f->body.seed
			: f->body.temperature > 0 ? s->n_requests
						  : 0;
	rules.drawn = drawn_length(
	    s, answer_key(&f->body.prompt[p], c, seed, rules.server_seed));
	answer_plan(&f->reply.choice[i].plan, &f->body, p, c, &rules);
	f->tokens +=
	    f->body.prompt[p].n + f->reply.choice[i].plan.output_tokens;
	f->name[i] = choice_name(f, i);
	return f->name[i] ? 0 : -1;
}

/* Keeps what the publisher needs of a request; takes its tokens over. */
static void keep_text(struct flight *f, uint64_t row, struct ids *all)
{
	struct server *s = f->s;
	struct kv_text *t = s->publisher.n ? calloc(1, sizeof *t) : NULL;
	const struct prompt_items *items = &f->body.items;
	size_t bytes = items->n * sizeof *items->item;
	if (!t)
		return;
	t->ids = *all;
	*all = (struct ids){0};
	t->unit = s->publisher.unit;
	uint32_t number = server_adapter(s, f->body.model);
	t->lora_id = number ? s->lora_id[number - 1] : 0;
	t->adapter = number ? strdup(f->body.model) : NULL;
	t->salt = f->body.cache_salt ? strdup(f->body.cache_salt) : NULL;
	t->items.item = malloc(bytes + 1);
	if (t->items.item && bytes)
		memcpy(t->items.item, items->item, bytes);
	t->items.n = t->items.item ? items->n : 0;
	row_of(s, row)->text = t;
}

static void give_choice(struct flight *f, uint32_t i, uint32_t pinned,
			const char *session)
{
	struct server *s = f->s;
	const struct answer_plan *a = &f->reply.choice[i].plan;
	const struct ids *prompt = &f->body.prompt[i / (uint32_t)f->body.n];
	uint32_t n_blocks = 0, size = s->live.arm[0].facts.block_size;
	uint64_t salt = salt_number(s, f->body.cache_salt);
	uint32_t number = server_adapter(s, f->body.model);
	const char *adapter = number ? s->adapters.item[number - 1] : NULL;
	char salt_text[24] = "";
	struct ids all = ids_of(prompt, a);
	size = size ? size : 16;
	uint64_t *block = blocks_of(&all, size, &n_blocks);
	struct mm_item *item = items_of(&f->body.items);
	if (salt)
		snprintf(salt_text, sizeof salt_text, "%" PRIu64, salt);
	const struct live_request r = {
	    .row = f->first_row + i,
	    .arrival_ns = live_stamp(&s->live, server_now(s)),
	    .input_tokens = (uint32_t)prompt->n,
	    .output_tokens = a->output_tokens,
	    .max_tokens = a->max_tokens,
	    .stop_tokens = a->stop_tokens,
	    .priority = (int32_t)f->body.priority,
	    .pinned = pinned,
	    .session = text_id(session),
	    .adapter = text_id(adapter),
	    .cache_salt = text_id(salt_text),
	    .block_tokens = size,
	    .n_blocks = block ? n_blocks : 0,
	    .n_items = item ? (uint32_t)f->body.items.n : 0,
	    .block = block,
	    .item = item,
	    .name = f->name[i]};
	row_of(s, r.row)->arrival_ns = r.arrival_ns;
	live_give(&s->live, &r);
	record_request(
	    &s->record, &r,
	    &(struct record_texts){session, adapter, salt, &f->body.items});
	keep_text(f, r.row, &all);
	ids_free(&all);
	free(block), free(item);
}

static int refuse(struct flight *f, int status, const char *type,
		  const char *what)
{
	return api_error_set(&f->error, status, type, NULL, "%s", what);
}

int flight_begin(struct flight *f, uint32_t pinned, const char *session)
{
	struct server *s = f->s;
	uint64_t n = f->body.n_prompts * (uint64_t)f->body.n;
	if (s->open_choices + n > (uint64_t)s->keys.max_requests)
		return refuse(f, 503, "ServiceUnavailableError",
			      "Too many requests are open.");
	f->reply.n_choices = (uint32_t)n;
	f->reply.choice = calloc(n, sizeof *f->reply.choice);
	f->name = calloc(n, sizeof *f->name);
	if (!f->reply.choice || !f->name)
		return refuse(f, 503, "ServiceUnavailableError", "no memory");
	s->n_requests++;
	for (uint32_t i = 0; i < n; i++)
		if (plan_choice(f, i) < 0)
			return refuse(f, 503, "ServiceUnavailableError",
				      "no memory");
	if (s->open_tokens + f->tokens > (uint64_t)s->keys.max_open_tokens)
		return refuse(f, 503, "ServiceUnavailableError",
			      "Too many tokens are open.");
	if (add_rows(s, f) < 0)
		return refuse(f, 503, "ServiceUnavailableError", "no memory");
	f->n_open = (uint32_t)n;
	f->replica = UINT32_MAX;
	s->open_choices += n;
	f->at->open_choices += n;
	s->open_tokens += f->tokens;
	for (uint32_t i = 0; i < n; i++)
		give_choice(f, i, pinned, session);
	return 0;
}
