/* The blocks of a request in one KV-cache group. */
#include "sim/kv/kv_table.h"
#include <stdlib.h>
#include "tap.h"

static const struct kv_groups window_and_full = {
    .n_kinds = 2,
    .kind = {{.window = 10, .block_size = 4, .n_groups = 2},
	     {.block_size = 4, .n_groups = 1}},
    .hit_unit = 4,
    .key_unit = 4};

int main(void)
{
	struct kv kv;
	struct kv_owner o = {0};
	const struct request r = {.input_tokens = 20};
	kv_init(&kv, &(struct kv_options){.groups = &window_and_full,
					  .n_blocks = 20,
					  .tables = 1});
	o.content = calloc(1, sizeof *o.content);
	if (!o.content || content_make(o.content, &r) || kv_begin(&kv, &o, 0))
		bail_out("no memory");
	ok(kv_table(&kv, &o, 0).n == 0, "no blocks");
	if (kv_cover(&kv, &o, 11))
		bail_out("no memory");
	struct kv_table t = kv_table(&kv, &o, 1);
	ok(t.n == 3 && t.first == 0 && t.block[0] == 3 && t.block[2] == 5,
	   "three in each group");
	kv_drop(&kv, &o, 13);
	t = kv_table(&kv, &o, 1);
	ok(t.n == 3 && t.first == 1 && t.block[1] == 4,
	   "one has left the windows");
	t = kv_table(&kv, &o, 2);
	ok(t.n == 3 && t.first == 0 && t.block[0] == 6, "not full attention");
	kv_give_back(&kv, &o, 1);
	kv_owner_free(&o);
	kv_free(&kv);
	return done();
}
