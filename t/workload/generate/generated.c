#include "workload/generate/generated.h"
#include "tap.h"
#include "workload_of.h"

static struct problem p;
static struct ini c;
static struct workload_keys k;
static struct generated g;

static int open_with(const char *keys)
{
	return workload_of(&k, &c, keys, &p) < 0
		   ? -1
		   : generated_open(&g, &k, &c, &p);
}

static void must(const char *keys)
{
	if (open_with(keys) < 0)
		bail_out(p.text);
}

static void done_with(void)
{
	generated_free(&g);
	ini_free(&c);
}

static struct request get(uint64_t row)
{
	struct request r;
	if (generated_request(&g, row, &r, &p) < 0)
		bail_out(p.text);
	return r;
}

/* "id:tokens …", short ids in order of appearance. */
static const char *prompt(uint64_t row)
{
	static char text[4][300];
	static int at;
	static uint64_t seen[100];
	static size_t n_seen;
	struct request r = get(row);
	char *s = text[at = (at + 1) % 4];
	size_t n = 0;
	s[0] = '\0';
	for (uint32_t i = 0; i < r.n_segments; i++) {
		size_t id = 0;
		while (id < n_seen && seen[id] != r.segment[i].id)
			id++;
		if (id == n_seen)
			seen[n_seen++] = r.segment[i].id;
		n += (size_t)snprintf(s + n, 300 - n, "%s%zu:%u", i ? " " : "",
				      id, r.segment[i].tokens);
	}
	return s;
}

/* The id of a segment of a row's prompt. */
static uint64_t id_of(uint64_t row, uint32_t segment)
{
	struct request r = get(row);
	return segment < r.n_segments ? r.segment[segment].id : 0;
}

static uint64_t covered(const struct request *r)
{
	uint64_t tokens = 0;
	for (uint32_t i = 0; i < r->n_segments; i++)
		tokens += r->segment[i].tokens;
	return tokens;
}

static void pure(void)
{
	must("input_tokens=uniform:1,1000 output_tokens=uniform:1,50 seed=7");
	struct request a = get(5), b = get(900), again = get(5);
	ok(a.input_tokens == again.input_tokens &&
	       a.output_tokens == again.output_tokens && again.row == 5,
	   "a request is a function of its row, in any order");
	ok(a.input_tokens != b.input_tokens && b.row == 900,
	   "another row is another request");
	ok(a.n_segments == 0 && a.session == 0 && a.output_id == 0,
	   "prompts of their own share nothing");
	done_with();
	must("input_tokens=uniform:1,1000 output_tokens=uniform:1,50 seed=8");
	b = get(5);
	ok(a.input_tokens != b.input_tokens, "and so is another seed");
	done_with();
}

static void pools(void)
{
	must("input_tokens=uniform:50,99 output_tokens=constant:3 prompts=4 "
	     "prompt_groups=2 shared_prefix_tokens=10");
	struct request r = get(1);
	ok(r.n_segments == 2 && r.segment[0].tokens == 10 &&
	       covered(&r) == r.input_tokens,
	   "a prompt is its group's prefix and its own rest");
	is(prompt(5), prompt(1), "the pool is recycled");
	uint64_t one = id_of(1, 0);
	ok(id_of(0, 0) == one && id_of(2, 0) != one && id_of(3, 0) != one,
	   "half the pool is of each group");
	ok(id_of(0, 1) != id_of(1, 1), "what is not shared is not");
	done_with();
	must("input_tokens=constant:6 output_tokens=constant:3 "
	     "shared_prefix_tokens=10");
	r = get(0);
	ok(r.n_segments == 1 && r.segment[0].tokens == 6,
	   "a prompt shorter than the prefix is all prefix");
	done_with();
}

static void shuffled(void)
{
	must("input_tokens=constant:5 output_tokens=constant:3 prompts=50 "
	     "prompt_order=shuffled");
	int moved = 0, twice = 0;
	for (uint64_t i = 0; i < 50; i++) {
		uint64_t id = id_of(i, 0);
		for (uint64_t j = 0; j < i; j++)
			twice += id_of(j, 0) == id;
		moved += g.order[i] != i;
	}
	ok(twice == 0 && moved > 25, "a permutation of the pool");
	ok(id_of(3, 0) == id_of(53, 0), "the same one again and again");
	done_with();
}

static void sessions(void)
{
	must("input_tokens=uniform:5,9 output_tokens=uniform:2,4 turns=3");
	struct request first = get(6), last;
	ok(first.session == 3 && first.turn == 0 && first.output_id != 0,
	   "row 6 begins the third session");
	uint32_t in = first.input_tokens, out = first.output_tokens;
	uint64_t answer = first.output_id, start = first.segment[0].id;
	struct request second = get(7);
	ok(second.session == 3 && second.turn == 1 && second.n_segments == 3 &&
	       second.segment[0].id == start &&
	       second.segment[0].tokens == in &&
	       second.segment[1].id == answer &&
	       second.segment[1].tokens == out,
	   "its next prompt is all before it, and more");
	ok(covered(&second) == second.input_tokens, "and nothing else");
	last = get(8);
	ok(last.turn == 2 && last.n_segments == 5 && last.output_id == 0,
	   "nobody goes on from the last turn");
	ok(get(9).session == 4 && id_of(9, 0) != start,
	   "another session is another conversation");
	done_with();
}

/* Returns 1 if item i of r begins at `offset`. */
static int item_at(const struct request *r, uint32_t i, uint32_t offset)
{
	return i < r->n_items && r->item[i].offset == offset;
}

static void items(void)
{
	must("input_tokens=constant:50 output_tokens=constant:3 "
	     "shared_prefix_tokens=10 mm_item_tokens=constant:20");
	struct request r = get(4);
	ok(r.input_tokens == 70 && r.n_items == 1 && item_at(&r, 0, 10),
	   "an item comes behind the common prefix, on top of the text");
	done_with();
	must("input_tokens=constant:50 output_tokens=constant:3 prompts=2 "
	     "mm_item_tokens=constant:20");
	r = get(1);
	uint64_t name = r.item[0].name;
	ok(r.input_tokens == 70 && covered(&r) == 70 && item_at(&r, 0, 0),
	   "a prompt of the pool has its item");
	r = get(3);
	ok(r.item[0].name == name, "and has it again");
	r = get(2);
	ok(r.item[0].name != name, "another prompt has another");
	done_with();
	must("input_tokens=constant:50 output_tokens=constant:3 turns=3 "
	     "mm_item_tokens=constant:20");
	r = get(5);
	ok(r.input_tokens == 3 * 70 + 2 * 3 && covered(&r) == r.input_tokens,
	   "a conversation is all text, answers and items so far");
	ok(r.n_items == 3 && item_at(&r, 0, 0) && item_at(&r, 1, 73) &&
	       item_at(&r, 2, 146),
	   "each turn begins with its item");
	uint32_t most;
	ok(generated_longest_item(&g, 6, &most, &p) == 0 && most == 20,
	   "the longest item has 20 tokens");
	done_with();
}

static void adapters(void)
{
	must("input_tokens=constant:5 output_tokens=constant:3 turns=4 "
	     "adapters=1000");
	ok(get(4).adapter == get(7).adapter && get(4).adapter != 0,
	   "all turns of a session ask for one adapter");
	ok(get(4).adapter != get(8).adapter, "another session for another");
	done_with();
}

static void refused(const char *keys, const char *why)
{
	ok(open_with(keys) < 0 && p.code == EXIT_USAGE && strstr(p.text, why),
	   "%s: %s", keys, p.text);
	ini_free(&c);
}

static void faults(void)
{
	refused("output_tokens=constant:1", "[workload] needs input_tokens");
	refused("input_tokens=constant:1", "[workload] needs output_tokens");
	refused("input_tokens=constant:1 output_tokens=constant:1 turns=2 "
		"prompts=3",
		"turns > 1 and prompts > 0: give only one");
	refused("input_tokens=constant:1 output_tokens=constant:1 prompts=2 "
		"prompt_groups=3",
		"prompt_groups = 3 of 2 prompts");
	refused("input_tokens=constant:0 output_tokens=constant:1",
		"input_tokens");
	refused("input_tokens=constant:1 output_tokens=constant:1 "
		"prompts=10000001 prompt_order=shuffled",
		"at most 10000000 prompts are shuffled, not 10000001");
	must("input_tokens=constant:2147483647 output_tokens=constant:1");
	struct request r;
	ok(generated_request(&g, 4, &r, &p) < 0 &&
	       strstr(p.text, "request 4 has more than 2147483647 tokens"),
	   "no more tokens than fit: %s", p.text);
	done_with();
}

int main(void)
{
	pure();
	pools();
	shuffled();
	sessions();
	items();
	adapters();
	faults();
	return done();
}
