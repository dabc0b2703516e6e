/* How many blocks a request needs to get further. */
#include "sim/kv/kv_need.h"
#include "tap.h"

static struct kv kv;

/* One group of full attention, and two with a window of 10 tokens; all in
 * blocks of 4. */
static const struct kv_groups mixed = {
    .n_kinds = 2,
    .kind = {{.block_size = 4, .n_groups = 1},
	     {.window = 10, .block_size = 4, .n_groups = 2}},
    .hit_unit = 4,
    .key_unit = 4};

static void begin(const struct kv_groups *g, uint32_t in_flight)
{
	kv_free(&kv);
	kv_init(&kv, &(struct kv_options){.groups = g,
					  .n_blocks = 1000,
					  .block_size = 4,
					  .most_in_flight = in_flight,
					  .max_len = 500});
}

static void before_it_begins(void)
{
	begin(NULL, 8);
	ok(kv_need_first(&kv, 0, 1) == 1 && kv_need_first(&kv, 0, 8) == 2 &&
	       kv_need_first(&kv, 0, 9) == 3,
	   "a block for four tokens");
	ok(kv_need_first(&kv, 8, 17) == 3, "less those that were found");
	kv.idle_hits = 2;
	ok(kv_need_first(&kv, 8, 17) == 5 && kv_need_whole(&kv, 8, 17) == 5,
	   "and those of them that were free");
	begin(&mixed, 8);
	ok(kv_need_first(&kv, 0, 9) == 3 + 2 * 3, "in every group");
	ok(kv_need_first(&kv, 0, 80) == 20 + 2 * 20, "all at once");
	uint64_t whole = kv_need_whole(&kv, 0, 80);
	ok(whole == 20 + 2 * (uint64_t)kv.kind[1].most && kv.kind[1].most < 20,
	   "a window needs no more than it ever holds");
	ok(kv_need_whole(&kv, 0, 9) == 9, "or less, for a short request");
	ok(kv_need_whole(&kv, 80, 80) == 0, "nothing if all was found");
}

static void behind_what_comes_from_elsewhere(void)
{
	begin(&mixed, 8);
	kv_await(&kv, 0, 40);
	ok(kv_need_first(&kv, 0, 44) == 11 + 2 * (11 - 7),
	   "windows need only the blocks that they still reach");
}

static void while_it_runs(void)
{
	struct kv_owner o = {0};
	begin(&mixed, 8);
	kv_cover(&kv, &o, 10);
	ok(kv_need(&kv, &o, 12) == 0 && kv_need(&kv, &o, 13) == 3,
	   "a block in each group when the last ones are full");
	ok(kv_need(&kv, &o, 3) == 0, "none for fewer tokens");
	ok(kv_need(&kv, &o, 80) == 3 * 17, "as many as the tokens take");
	ok(kv_need_rest(&kv, &o, 80) ==
	       17 + 2 * (uint64_t)(kv.kind[1].most - 3),
	   "in windows no more than they hold");
	kv_owner_free(&o);
}

int main(void)
{
	before_it_begins();
	behind_what_comes_from_elsewhere();
	while_it_runs();
	kv_free(&kv);
	return done();
}
