/* generated.c -- Makes requests from a seed. */
#include "workload/generate/generated.h"
#include <stdlib.h>
#include <string.h>

static int open_lengths(struct distribution *d, const char *text,
			const char *key, const struct ini *c, struct problem *p)
{
	if (!*text)
		return problem_set(p, EXIT_USAGE,
				   "%s: [workload] needs %s (or a trace)",
				   c ? c->path : "?", key);
	return distribution_parse(d, text, OF_TOKENS, workload_at(c, key), key,
				  c, p);
}

/* A permutation is drawn as a whole, before the first request. */
static int check_shuffled(const struct workload_keys *k, const struct ini *c,
			  struct problem *p)
{
	enum { MOST = 10000000 };
	return !k->prompt_order || k->prompts <= MOST
		   ? 0
		   : problem_set(p, EXIT_USAGE,
				 "%s: at most %d prompts are shuffled, not "
				 "%lld",
				 workload_at(c, "prompts"), MOST,
				 (long long)k->prompts);
}

static int shuffle(struct generated *g)
{
	struct rng r = rng_stream(g->seed, RNG_PROMPT_ORDER, 0);
	g->order = calloc(g->prompts, sizeof *g->order);
	if (!g->order)
		return -1;
	for (uint32_t i = 0; i < g->prompts; i++) {
		uint64_t j = rng_below(&r, i + 1u);
		g->order[i] = g->order[j];
		g->order[j] = i;
	}
	return 0;
}

/* Opens what owns memory. */
static int open_parts(struct generated *g, const struct workload_keys *k,
		      const struct ini *c, struct problem *p)
{
	if (open_lengths(&g->input, k->input_tokens, "input_tokens", c, p) <
		0 ||
	    open_lengths(&g->output, k->output_tokens, "output_tokens", c, p) <
		0 ||
	    generated_items_open(&g->items, k, c, p) < 0 ||
	    generated_adapters_open(&g->adapters, k, c, p) < 0)
		return -1;
	if (k->prompt_order && g->prompts && shuffle(g) < 0)
		return problem_no_memory(p);
	return 0;
}

int generated_open(struct generated *g, const struct workload_keys *k,
		   const struct ini *c, struct problem *p)
{
	*g = (struct generated){
	    .seed = (uint64_t)k->seed,
	    .prompts = (uint64_t)k->prompts,
	    .groups = (uint64_t)(k->prompt_groups ? k->prompt_groups : 1),
	    .shared = (uint32_t)k->shared_prefix_tokens,
	    .turns = (uint32_t)k->turns};
	if (k->turns > 1 && k->prompts)
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: turns > 1 and prompts > 0: give only one of the two",
		    workload_at(c, "turns"));
	if (k->prompts && k->prompt_groups > k->prompts)
		return problem_set(
		    p, EXIT_USAGE, "%s: prompt_groups = %lld of %lld prompts",
		    workload_at(c, "prompt_groups"),
		    (long long)k->prompt_groups, (long long)k->prompts);
	if (check_shuffled(k, c, p) < 0)
		return -1;
	if (open_parts(g, k, c, p) == 0)
		return 0;
	generated_free(g);
	return -1;
}

static const struct distribution *lengths_for(const struct generated *g,
					      enum rng_purpose purpose)
{
	return purpose == RNG_INPUT ? &g->input : &g->output;
}

static uint32_t draw(const struct generated *g, enum rng_purpose purpose,
		     uint64_t index)
{
	struct rng r = rng_stream(g->seed, purpose, index);
	return distribution_tokens(lengths_for(g, purpose), &r);
}

/* The same for the rows that g->ahead covers. */
static void draw_ahead(const struct generated *g, enum rng_purpose purpose,
		       uint32_t to[RNG_TOGETHER])
{
	distribution_tokens_together(lengths_for(g, purpose),
				     rng_streams(g->seed, purpose),
				     g->ahead.row, to);
}

/* Returns the index of a row's lengths in g->ahead. */
static uint32_t look_ahead(struct generated *g, uint64_t row)
{
	struct lengths *l = &g->ahead;
	if (row - l->row < l->n)
		return (uint32_t)(row - l->row);
	l->row = row;
	l->n = RNG_TOGETHER;
	draw_ahead(g, RNG_OUTPUT, l->output);
	draw_ahead(g, RNG_INPUT, l->input);
	return 0;
}

/* Neighbours in the pool share a group; without a pool, a prompt gets a random
 * group. */
static uint64_t group_of(const struct generated *g, uint64_t prompt)
{
	struct rng r;
	if (g->prompts)
		return prompt * g->groups / g->prompts;
	r = rng_stream(g->seed, RNG_PROMPT_GROUP, prompt);
	return rng_below(&r, g->groups);
}

/* Adds a prompt of *tokens tokens of text: first those of its group, then the
 * pictures and sound with that number, then, as a segment if id is not 0, its
 * own.  Adds the tokens of pictures and sound to *tokens. */
static int prompt(struct generated *g, uint64_t which, uint64_t items,
		  uint64_t *tokens, uint64_t id, struct problem *p)
{
	uint32_t text = (uint32_t)*tokens,
		 common = g->shared < text ? g->shared : text;
	uint64_t of_items;
	if (generated_items_add(&g->items, items, common, &of_items, p) < 0)
		return -1;
	*tokens += of_items;
	if (common &&
	    segments_add(&g->segments,
			 segment_id(SEGMENT_GROUP, group_of(g, which), 0),
			 common) < 0)
		return problem_no_memory(p);
	if (id &&
	    segments_add(&g->segments, id, (uint32_t)(*tokens - common)) < 0)
		return problem_no_memory(p);
	return 0;
}

/* Adds what a turn of a session adds to the prompt: its pictures and sound,
 * then `text` tokens.  *tokens: of the prompt, before and after. */
static int later_turn(struct generated *g, uint64_t row, uint32_t text,
		      uint64_t *tokens, struct problem *p)
{
	uint64_t of_items;
	if (generated_items_add(&g->items, row, *tokens, &of_items, p) < 0)
		return -1;
	if (segments_add(&g->segments, segment_id(SEGMENT_TURN, row, 0),
			 (uint32_t)(text + of_items)) < 0)
		return problem_no_memory(p);
	*tokens += text + of_items;
	return 0;
}

/* Adds everything in the session up to the prompt of this turn. */
static int conversation(struct generated *g, struct request *r,
			uint64_t *tokens, struct problem *p)
{
	uint64_t first = r->row - r->turn;
	*tokens = draw(g, RNG_INPUT, first);
	if (prompt(g, first / g->turns, first, tokens,
		   segment_id(SEGMENT_TURN, first, 0), p) < 0)
		return -1;
	for (uint64_t row = first; row < r->row; row++) {
		uint32_t out = draw(g, RNG_OUTPUT, row);
		if (segments_add(&g->segments,
				 segment_id(SEGMENT_ANSWER, row, 0), out) < 0)
			return problem_no_memory(p);
		*tokens += out;
		if (later_turn(g, row + 1, draw(g, RNG_INPUT, row + 1), tokens,
			       p) < 0)
			return -1;
	}
	return 0;
}

int generated_request(struct generated *g, uint64_t row, struct request *r,
		      struct problem *p)
{
	uint64_t tokens, which;
	int rc;
	*r = (struct request){.row = row};
	r->adapter = generated_adapters_draw(&g->adapters, row / g->turns);
	g->segments.n = g->items.n = 0;
	if (g->turns > 1) {
		r->output_tokens = draw(g, RNG_OUTPUT, row);
		r->session = row / g->turns + 1;
		r->turn = (uint32_t)(row % g->turns);
		if (r->turn + 1 < g->turns)
			r->output_id = segment_id(SEGMENT_ANSWER, row, 0);
		rc = conversation(g, r, &tokens, p);
	} else if (g->prompts) {
		which = row % g->prompts;
		if (g->order)
			which = g->order[which];
		r->output_tokens = draw(g, RNG_OUTPUT, row);
		tokens = draw(g, RNG_INPUT, which);
		rc = prompt(g, which, which, &tokens,
			    segment_id(SEGMENT_PROMPT, which, 0), p);
	} else {
		uint32_t i = look_ahead(g, row);
		r->output_tokens = g->ahead.output[i];
		tokens = g->ahead.input[i];
		rc = prompt(g, row, row, &tokens, 0, p);
	}
	if (rc < 0)
		return -1;
	if (tokens > (uint64_t)INT32_MAX - r->output_tokens)
		return problem_set(p, EXIT_USAGE,
				   "[workload] request %llu has more than "
				   "2147483647 tokens",
				   (unsigned long long)row);
	r->input_tokens = (uint32_t)tokens;
	r->n_segments = g->segments.n;
	r->segment = g->segments.item;
	r->n_items = g->items.n;
	r->item = g->items.item;
	return 0;
}

int generated_longest_item(struct generated *g, uint64_t n_rows,
			   uint32_t *longest, struct problem *p)
{
	uint64_t prompts =
	    g->prompts && g->prompts < n_rows ? g->prompts : n_rows;
	return generated_items_longest(&g->items, prompts, longest, p);
}

void generated_free(struct generated *g)
{
	distribution_free(&g->input);
	distribution_free(&g->output);
	segments_free(&g->segments);
	generated_items_free(&g->items);
	generated_adapters_free(&g->adapters);
	free(g->order);
	*g = (struct generated){0};
}
