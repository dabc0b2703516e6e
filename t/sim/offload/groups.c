/* KV-cache groups as chunks see them: their order, their bytes, and keys. */
#include "sim/offload/groups.h"
#include "tap.h"

static const struct kv_groups kv = {
    .n_kinds = 3,
    .kind = {{.window = 8, .block_size = 4, .n_layers = 5, .n_groups = 2},
	     {.block_size = 4, .n_layers = 3, .n_groups = 1},
	     {.window = 30, .block_size = 4, .n_layers = 3, .n_groups = 1}},
    .n_layers = 3,
    .page_bytes = 100,
    .hit_unit = 4,
    .key_unit = 4};
static const struct kv_groups unknown;
static const uint64_t key[] = {11, 12, 13, 14};

int main(void)
{
	struct offload_groups g;
	const struct offload_text text = {.known = 18, .key = key};
	if (offload_groups_init(&g, &kv, 4, 2))
		bail_out("no memory");
	ok(g.n == 4 && g.chunk_tokens == 8 && g.has_windows &&
	       g.of[0].block_bytes == 300 && g.of[1].block_bytes == 200,
	   "layers are dealt out to the groups of their kind");
	ok(g.of[0].window_chunks == 1 && g.of[3].window_chunks == 4 &&
	       g.of[2].window_chunks == 0,
	   "a window reaches over chunks");
	ok(g.n_full == 1 && g.by_rank[0] == 2 && g.by_rank[1] == 3 &&
	       g.by_rank[2] == 0 && g.by_rank[3] == 1,
	   "full attention is searched first, then the largest window");
	ok(offload_first_block(&g, 2, 100) == 0 &&
	       offload_first_block(&g, 0, 7) == 0 &&
	       offload_first_block(&g, 0, 10) == 0 &&
	       offload_first_block(&g, 0, 11) == 1,
	   "blocks before a window are not needed");
	ok(offload_text_chunks(&g, &text) == 2 &&
	       offload_key(&g, &text, 0, 0) == 12 &&
	       offload_key(&g, &text, 0, 1) == 14 &&
	       offload_key(&g, &text, 1, 1) != offload_key(&g, &text, 2, 1),
	   "a chunk has the key of its last block, and of its group");
	offload_groups_free(&g);
	if (offload_groups_init(&g, &unknown, 4, 1))
		bail_out("no memory");
	ok(g.n == 1 && g.n_full == 1 && !g.has_windows,
	   "without kinds there is one group of full attention");
	offload_groups_free(&g);
	return done();
}
