/* Which tokens of a request the host has, for all of its KV-cache groups. */
#include "sim/offload/lookup.h"
#include <stdlib.h>
#include "tap.h"

static const struct offload_rules rules = {
    .chunks = 40, .blocks_per_chunk = 1, .bytes_per_ns = 1};
static const struct kv_groups one = {
    .n_kinds = 1,
    .kind = {{.block_size = 4, .n_layers = 1, .n_groups = 1}},
    .page_bytes = 1};
/* Windows of two chunks and of one. */
static const struct kv_groups three = {
    .n_kinds = 3,
    .kind = {{.window = 4, .block_size = 4, .n_layers = 1, .n_groups = 1},
	     {.window = 8, .block_size = 4, .n_layers = 1, .n_groups = 1},
	     {.block_size = 4, .n_layers = 1, .n_groups = 1}},
    .page_bytes = 1};
static uint64_t key[8] = {11, 12, 13, 14, 15, 16, 17, 18};
static struct offload_text text = {.key = key};
static struct offload *o;
static struct offloaded *of;

static void begin(const struct kv_groups *g, uint32_t known)
{
	o = offload_new(&rules, g, 4);
	of = offloaded_new(0, kv_groups_count(g));
	if (!o || !of)
		bail_out("no memory");
	text.known = known;
}

static void end(void)
{
	offload_free(o);
	offloaded_free(of);
}

/* The chunks of a group as text: `x` is there, `p` is pending, `l` is being
 * loaded. */
static void has(uint32_t group, const char *chunks)
{
	for (uint32_t k = 0; chunks[k]; k++) {
		if (chunks[k] == '.')
			continue;
		uint32_t i = chunks_add(
		    &o->chunks, offload_key(&o->groups, &text, group, k));
		if (chunks[k] != 'p')
			chunks_stored(&o->chunks, i);
		if (chunks[k] == 'l')
			chunks_hold(&o->chunks, i);
	}
}

enum { LATER = 1000 };
static uint32_t find(uint32_t found, int drops)
{
	uint32_t more;
	const struct offload_question q = {
	    .text = &text, .found = found, .drops = drops, .shares = 1};
	return offload_find(o, of, &q, &more) ? more : LATER;
}

static void full(void)
{
	begin(&one, 16);
	has(0, "xxxx");
	ok(find(0, 0) == 16, "full attention: all known tokens");
	ok(find(8, 0) == 8 && of->group[0].found == 4, "behind those found");
	ok(find(0, 1) == 12, "a drafter drops the last chunk");
	of->stores = 1;
	ok(find(0, 0) == LATER, "stores under way");
	end();
	begin(&one, 16);
	has(0, "xp.x");
	ok(find(0, 0) == LATER, "a chunk that is pending");
	ok(find(0, 1) == LATER, "also if it would be dropped");
	ok(find(8, 0) == 0, "nothing behind the gap");
	end();
	begin(&one, 16);
	has(0, "xl");
	ok(find(0, 0) == LATER && find(0, 1) == 4,
	   "a chunk that is being loaded");
	end();
}

static void windows(void)
{
	begin(&three, 25);
	has(0, "..x..x");
	has(1, ".xx.xx");
	has(2, "xxxxxx");
	ok(find(0, 0) == 24, "every window has its last chunks");
	ok(of->group[0].found == 6 && o->chunks.n == 12, "which are noted");
	end();
	begin(&three, 24);
	has(0, "x.x..x");
	has(1, ".xx.xx");
	has(2, "xxxxxx");
	ok(find(0, 0) == 23, "the last token is computed here");
	end();
	begin(&three, 25);
	has(0, "..x.x.");
	has(1, ".xx..x");
	has(2, "xxxxx.");
	ok(find(0, 0) == 12, "the larger window shortens the smaller one");
	end();
	begin(&three, 25);
	has(0, "..x...");
	has(1, ".xx.xx");
	has(2, "xxxxxx");
	ok(find(0, 0) == 12, "and is searched again if that is shorter");
	end();
	begin(&three, 25);
	has(0, "x...x.");
	has(1, "x..xx.");
	has(2, "x.....");
	ok(find(0, 0) == 4, "less than a window from the start will do");
	ok(find(4, 0) == 0, "not elsewhere");
	end();
}

static void windows_wait(void)
{
	begin(&three, 25);
	has(0, "..x...");
	has(1, ".xx.px");
	has(2, "xxxxxx");
	ok(find(0, 0) == 12, "a chunk that is not needed in the end may pend");
	end();
	begin(&three, 25);
	has(0, ".....x");
	has(1, "....px");
	has(2, "xxxxxx");
	ok(find(0, 0) == LATER, "one that is needed may not");
	end();
	begin(&three, 25);
	has(0, "l....x");
	has(1, "l...xx");
	has(2, "xxxxxx");
	ok(find(0, 0) == 24, "nor may those before a window be loaded now");
	end();
}

static void drafts(void)
{
	begin(&three, 25);
	has(0, "...xxx");
	has(1, "..xxxx");
	has(2, "xxxxxx");
	ok(find(0, 1) == 20, "every group drops its last chunk once");
	end();
	begin(&three, 25);
	has(0, "....xx");
	has(1, "...xx.");
	has(2, "xxxxxx");
	ok(find(0, 1) == 0, "and needs one more");
	end();
}

int main(void)
{
	full();
	windows();
	windows_wait();
	drafts();
	return done();
}
