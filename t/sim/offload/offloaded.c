/* The blocks that a request was given since its last admission. */
#include "sim/offload/offloaded.h"
#include "sim/kv/kv_need.h"
#include "tap.h"

static const struct kv_groups window_and_full = {
    .n_kinds = 2,
    .kind = {{.window = 4, .block_size = 4, .n_groups = 1, .n_layers = 1},
	     {.block_size = 4, .n_groups = 1, .n_layers = 1}},
    .hit_unit = 4,
    .key_unit = 4};
static struct kv kv;
static struct offload_groups groups;

static uint32_t block_of(const struct offloaded *of, uint32_t group,
			 uint32_t place)
{
	return offloaded_block(of, &groups, group, place, &kv.pool);
}

static void content(struct kv_owner *o, uint64_t row)
{
	const struct request r = {
	    .row = row, .input_tokens = 30, .output_tokens = 1};
	o->content = calloc(1, sizeof *o->content);
	if (!o->content || content_make(o->content, &r))
		bail_out("no memory");
}

int main(void)
{
	struct kv_owner a = {0}, b = {0};
	struct offloaded *of = offloaded_new(7, 2);
	kv_init(&kv, &(struct kv_options){.groups = &window_and_full,
					  .n_blocks = 9,
					  .tables = 1,
					  .order = BLOCKS_UNKEYED_FIRST,
					  .most_in_flight = 16});
	content(&a, 0);
	content(&b, 1);
	if (!of || offload_groups_init(&groups, &window_and_full, 4, 1) ||
	    kv_begin(&kv, &a, 0) || kv_cover(&kv, &a, 16))
		bail_out("no memory");
	kv.pool.call = 1;
	offloaded_note_blocks(of, &kv, &a);
	ok(of->row == 7 && of->group[0].n_given == 4 &&
	       of->group[1].n_given == 4 && block_of(of, 1, 2) == 6,
	   "blocks of both groups");
	kv_drop(&kv, &a, 15);
	ok(block_of(of, 0, 0) == 0 && block_of(of, 0, 1) == 1,
	   "also those that the window has given back");
	kv.pool.call = 2;
	if (kv_begin(&kv, &b, 0) || kv_cover(&kv, &b, 4))
		bail_out("no memory");
	offloaded_take_all(&kv, &b);
	ok(block_of(of, 0, 0) != NO_BLOCK && block_of(of, 0, 1) == NO_BLOCK,
	   "unless another request has got them");
	kv.pool.call = 3;
	kv_give_back(&kv, &b, 1);
	if (kv_cover(&kv, &a, 20))
		bail_out("no memory");
	offloaded_note_blocks(of, &kv, &a);
	ok(block_of(of, 0, 4) != NO_BLOCK && of->group[0].n_given == 5,
	   "or itself, at another place");
	offloaded_forget_blocks(of);
	ok(of->group[0].n_given == 0, "a look-up begins anew");
	offloaded_note_blocks(of, &kv, &a);
	ok(block_of(of, 0, 2) == NO_BLOCK && block_of(of, 0, 3) != NO_BLOCK &&
	       block_of(of, 1, 1) != NO_BLOCK,
	   "an admission has holes before the window");
	offloaded_free(of);
	offload_groups_free(&groups);
	kv_owner_free(&a);
	kv_owner_free(&b);
	kv_free(&kv);
	return done();
}
