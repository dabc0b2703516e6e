/* KV-cache groups: layers in, groups and capacity out. */
#include "engine/memory/kv_groups.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "tap.h"

/* Layers in order, as letters that are repeated: f keeps all, s a window. */
struct given {
	const char *layers;
	uint32_t n, window;
	double window_bytes, full_bytes; /* of a token in one layer          */
	uint32_t block_size, max_len, in_flight;
	double kv_bytes;
	const char *groups;
	uint32_t hit_unit, key_unit;
	double blocks, tokens, concurrency;
};

/* Answers of vLLM's own functions, its main of 2026-07-21 (616c9bd0f): eight
 * models by their config, then random ones, the last with two page sizes. */
static const struct given given[] = {
    {"sf", 24, 128, 2048, 2048, 16, 8192, 16384, 40000000000,
     "window:12x16;full:12x16", 16, 16, 101725, 813006, 99.2439024390244},
    {"sf", 36, 128, 2048, 2048, 16, 8192, 16384, 40000000000,
     "window:18x16;full:18x16", 16, 16, 67816, 541998, 66.16195121951219},
    {"sssssf", 62, 1024, 8192, 8192, 16, 8192, 16384, 40000000000,
     "window:9x16;window:9x16;window:9x16;window:9x16;window:8x16;window:8x16;"
     "full:10x16",
     16, 16, 30517, 69636, 8.500557103064066},
    {"sssssf", 48, 1024, 8192, 8192, 16, 8192, 16384, 40000000000,
     "window:8x16;window:8x16;window:8x16;window:8x16;window:8x16;full:8x16",
     16, 16, 38146, 101557, 12.397140071498212},
    {"sssssf", 34, 1024, 4096, 4096, 16, 8192, 16384, 40000000000,
     "window:5x16;window:5x16;window:5x16;window:5x16;window:5x16;window:4x16;"
     "full:5x16",
     16, 16, 122070, 278550, 34.00278551532033},
    {"sf", 42, 4096, 8192, 8192, 16, 8192, 16384, 40000000000,
     "window:21x16;full:21x16", 16, 16, 14532, 116142, 14.177560975609756},
    {"s", 32, 4096, 4096, 4096, 16, 8192, 16384, 40000000000, "window:32x16",
     16, 16, 19073, 304573, 37.17933723196881},
    {"f", 32, 0, 4096, 4096, 16, 8192, 16384, 40000000000, "full:32x16", 16, 16,
     19073, 305168, 37.251953125},
    {"ffs", 61, 512, 4096, 4096, 8, 2048, 4096, 23921258909,
     "full:14x8;full:14x8;full:13x8;window:20x8", 8, 8, 36500, 72928,
     35.609756097560975},
    {"sssss", 9, 4096, 512, 512, 16, 8192, 2048, 70588457999, "window:9x16", 16,
     16, 957417, 20371844, 2486.7974025974027},
    {"ssf", 42, 128, 2048, 2048, 32, 8192, 8192, 31851381221,
     "window:14x32;window:14x32;full:14x32", 32, 32, 34715, 369331,
     45.08441558441559},
    {"fsss", 62, 128, 512, 512, 8, 131072, 8192, 60591451695,
     "full:16x8;window:16x8;window:15x8;window:15x8", 8, 8, 924552, 6212276,
     47.395909160814064},
    {"sssf", 44, 4096, 512, 512, 8, 8192, 4096, 49751068642,
     "window:11x8;window:11x8;window:11x8;full:11x8", 8, 8, 1104205, 2206793,
     269.38399609660894},
    {"s", 6, 1024, 1024, 1024, 8, 2048, 16384, 39240693659, "window:6x8", 8, 8,
     798353, 6361972, 3106.431906614786},
    {"sf", 10, 1024, 2048, 2048, 8, 2048, 16384, 6806684165,
     "window:5x8;full:5x8", 8, 8, 83089, 331708, 161.96686159844054},
    {"sssf", 6, 4096, 512, 512, 32, 131072, 4096, 35403786227,
     "window:1x32;window:1x32;window:1x32;window:1x32;window:1x32;full:1x32",
     32, 32, 2160875, 52635236, 401.57498606207025},
    {"ffs", 17, 512, 1024, 1024, 32, 131072, 8192, 61866105841,
     "full:4x32;full:4x32;full:4x32;window:5x32", 32, 32, 377600, 3940194,
     30.061300851843008},
    {"fs", 25, 1024, 2048, 2048, 16, 2048, 2048, 40438192842,
     "full:13x16;window:12x16", 16, 16, 94928, 756469, 369.36964980544747},
    {"sf", 36, 512, 2048, 2048, 8, 2048, 4096, 76152373083,
     "window:18x8;full:18x8", 8, 8, 258220, 1030866, 503.35282651072123},
    {"fs", 60, 16, 8192, 4096, 8, 8192, 4096, 60781609482,
     "full:30x16;window:30x8", 16, 8, 30915, 246597, 30.10223953261928},
    {"ffs", 43, 1024, 512, 1024, 32, 131072, 16384, 78900738480,
     "full:10x32;full:10x32;full:9x32;window:14x64", 64, 32, 171989, 1794677,
     13.692301568346469},
    {"fsss", 25, 4096, 512, 1024, 16, 131072, 8192, 77017930459,
     "full:7x16;window:6x32;window:6x32;window:6x32", 32, 16, 671543, 9416977,
     71.8458328875575},
    {"fs", 62, 128, 512, 1024, 32, 8192, 2048, 74760069977,
     "full:31x32;window:31x64", 64, 32, 73596, 2071815, 252.90721649484536},
    {"fsss", 64, 1024, 2048, 1024, 16, 2048, 16384, 74670721006,
     "full:16x32;window:16x16;window:16x16;window:16x16", 32, 16, 142423,
     646745, 315.7937915742794},
    {"sf", 60, 512, 16384, 8192, 16, 2048, 16384, 72474955826,
     "window:30x16;full:30x32", 32, 16, 9215, 97784, 47.74611398963731},
    {"ffs", 34, 16, 512, 256, 32, 131072, 4096, 30853858151,
     "full:8x64;full:8x64;full:7x64;window:11x32", 64, 32, 171197, 3576527,
     27.286738922537456},
};

/* Neighbouring layers that are alike; returns how many stretches. */
static size_t layers_of(const struct given *g, struct kv_layers *l)
{
	size_t n = 0, period = strlen(g->layers);
	for (uint32_t i = 0; i < g->n; i++) {
		int is_window = g->layers[i % period] == 's';
		struct kv_layers x = {.n = 1,
				      .window = is_window ? g->window : 0,
				      .token_bytes = is_window ? g->window_bytes
							       : g->full_bytes};
		if (n && l[n - 1].window == x.window)
			l[n - 1].n++;
		else
			l[n++] = x;
	}
	return n;
}

static int is_right(const struct given *want)
{
	static struct kv_layers layer[1000];
	struct kv_groups g;
	struct problem p;
	char text[2000];
	size_t n = layers_of(want, layer);
	if (kv_groups_make(&g, layer, n,
			   &(struct kv_layout){.block_size = want->block_size,
					       .padding = 1.5},
			   &p) < 0)
		return 0;
	double blocks = kv_groups_blocks(&g, want->kv_bytes);
	double concurrency =
	    kv_groups_concurrency(&g, blocks, want->in_flight, want->max_len);
	/* A memory that has no room for a request of max_len is refused. */
	if (!strncmp(want->groups, "refused", strlen("refused")))
		return concurrency < 1;
	int right =
	    !strcmp(kv_groups_text(text, sizeof text, &g), want->groups) &&
	    g.hit_unit == want->hit_unit && g.key_unit == want->key_unit &&
	    blocks == want->blocks && concurrency == want->concurrency &&
	    floor(concurrency * want->max_len) == want->tokens;
	if (!right)
		printf("# %s %u: %s, hits of %u, keys of %u, %.17g blocks, "
		       "%.17g at once\n",
		       want->layers, want->n, text, g.hit_unit, g.key_unit,
		       blocks, concurrency);
	return right;
}

/* ---- more of the same, from a file ---- */

enum {
	LAYERS,
	N_LAYERS,
	WINDOW,
	WINDOW_HEADS,
	WINDOW_DIM,
	FULL_HEADS,
	FULL_DIM,
	BYTES,
	BLOCK,
	MAX_LEN,
	BUDGET,
	BATCHES,
	KV_BYTES,
	GROUPS,
	HIT_UNIT,
	KEY_UNIT,
	BLOCKS,
	TOKENS,
	CONCURRENCY,
	N_COLUMNS
};
static const char *const column[N_COLUMNS] = {"layer_types",
					      "num_hidden_layers",
					      "sliding_window",
					      "window_kv_heads",
					      "window_head_dim",
					      "full_kv_heads",
					      "full_head_dim",
					      "bytes_per_element",
					      "block_size",
					      "max_model_len",
					      "max_num_batched_tokens",
					      "batches_in_flight",
					      "kv_bytes",
					      "groups",
					      "hit_unit",
					      "key_unit",
					      "num_blocks",
					      "kv_cache_size_tokens",
					      "max_concurrency"};

struct file {
	uint32_t at[N_COLUMNS];
	unsigned right, wrong;
};

static const char *on_row(void *user, uint64_t row, uint32_t n,
			  char *const *cell)
{
	struct file *f = user;
	if (row == 0) {
		for (int c = 0; c < N_COLUMNS; c++) {
			f->at[c] = 0;
			while (f->at[c] < n &&
			       strcmp(cell[f->at[c]], column[c]))
				f->at[c]++;
			if (f->at[c] == n)
				return column[c];
		}
		return NULL;
	}
	double x[N_COLUMNS];
	for (int c = 0; c < N_COLUMNS; c++)
		x[c] = strtod(cell[f->at[c]], NULL);
	const struct given want = {
	    .layers = cell[f->at[LAYERS]],
	    .n = (uint32_t)x[N_LAYERS],
	    .window = (uint32_t)x[WINDOW],
	    .window_bytes = 2 * x[WINDOW_HEADS] * x[WINDOW_DIM] * x[BYTES],
	    .full_bytes = 2 * x[FULL_HEADS] * x[FULL_DIM] * x[BYTES],
	    .block_size = (uint32_t)x[BLOCK],
	    .max_len = (uint32_t)x[MAX_LEN],
	    .in_flight = (uint32_t)(x[BUDGET] * x[BATCHES]),
	    .kv_bytes = x[KV_BYTES],
	    .groups = cell[f->at[GROUPS]],
	    .hit_unit = (uint32_t)x[HIT_UNIT],
	    .key_unit = (uint32_t)x[KEY_UNIT],
	    .blocks = x[BLOCKS],
	    .tokens = x[TOKENS],
	    .concurrency = x[CONCURRENCY],
	};
	*(is_right(&want) ? &f->right : &f->wrong) += 1;
	return NULL;
}

/* STEPCOST_KV_GROUPS names a CSV of layers and answers. */
static void from_file(void)
{
	const char *path = getenv("STEPCOST_KV_GROUPS");
	struct file f = {.right = 0};
	struct problem p = {.code = 0};
	FILE *in = path ? fopen(path, "r") : NULL;
	if (!in) {
		ok(1, "more layouts # SKIP STEPCOST_KV_GROUPS names no file");
		return;
	}
	int rc = csv_read(in, path, on_row, &f, &p);
	fclose(in);
	ok(rc == 0 && f.right && !f.wrong, "%u of %u more layouts %s", f.right,
	   f.right + f.wrong, rc ? p.text : "");
}

/* ---- by hand ---- */

static const struct kv_layout usual = {.block_size = 16, .padding = 1.5};
static const struct kv_layout impatient = {.block_size = 16, .padding = 1.25};

static void padding(void)
{
	const struct kv_layers l[] = {{10, 64, 512, 0}, {13, 0, 512, 0}};
	struct kv_groups g;
	struct problem p;
	char text[100];
	kv_groups_make(&g, l, 2, &usual, &p);
	ok(!strcmp(kv_groups_text(text, sizeof text, &g),
		   "window:10x16;full:13x16") &&
	       g.n_layers == 13,
	   "kinds of about the same size are not cut");
	kv_groups_make(&g, l, 2, &impatient, &p);
	ok(!strcmp(kv_groups_text(text, sizeof text, &g),
		   "window:10x16;full:7x16;full:6x16") &&
	       g.n_layers == 10,
	   "but with less patience they are");
}

/* Answers of vLLM's rules and of its own grouping. */
static void states(void)
{
	const struct {
		uint32_t states, tokens; /* layers of each */
		double state_bytes, token_bytes;
		enum kv_state kept;
		uint32_t kernel_block, chunk, drafts;
		const char *groups;
		double page_bytes, blocks; /* in 40 GB */
		uint64_t least, longest;   /* of a request */
	} all[] = {
	    /* Qwen3-Next, tp 1; with FP8 KV; tp 4 with three drafts */
	    {36, 12, 1097728, 2048, KV_STATE_LAST, 16, 0, 0,
	     "mamba:12x544;mamba:12x544;mamba:12x544;full:12x544", 1114112,
	     2991, 4, 244},
	    {36, 12, 1097728, 1024, KV_STATE_ALIGNED, 16, 0, 0,
	     "mamba:12x1072;mamba:12x1072;mamba:12x1072;full:12x1072", 1097728,
	     3036, 4, 129},
	    {36, 12, 286720, 1024, KV_STATE_ALIGNED, 16, 0, 3,
	     "mamba:12x288;mamba:12x288;mamba:12x288;full:12x288", 294912,
	     11302, 13, 471},
	    /* Nemotron-3-Nano, tp 1 */
	    {23, 6, 2134016, 1024, KV_STATE_ALL, 16, 128, 0,
	     "mamba:6x2176;mamba:6x2176;mamba:6x2176;mamba:5x2176;full:6x2176",
	     2228224, 2991, 5, 305},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const struct kv_layers l[] = {
		    {all[i].states, 0, 0, all[i].state_bytes},
		    {all[i].tokens, 0, all[i].token_bytes, 0}};
		const struct kv_layout o = {.block_size = 16,
					    .padding = 1.5,
					    .state = all[i].kept,
					    .kernel_block = all[i].kernel_block,
					    .chunk = all[i].chunk,
					    .drafts = all[i].drafts};
		struct kv_groups g;
		struct problem p = {.code = 0};
		char text[200];
		int rc = kv_groups_make(&g, l, 2, &o, &p);
		uint64_t longest = 0;
		for (uint32_t k = 0; k < g.n_kinds; k++)
			longest += g.kind[k].n_groups *
				   kv_kind_most(&g.kind[k], 1, 131072);
		ok(rc == 0 && kv_groups_have_states(&g) &&
		       !strcmp(kv_groups_text(text, sizeof text, &g),
			       all[i].groups) &&
		       g.page_bytes == all[i].page_bytes &&
		       kv_groups_blocks(&g, 40e9) == all[i].blocks &&
		       kv_groups_need(&g, 1, 1, 131072) == all[i].least &&
		       longest == all[i].longest,
		   "states: %s %s", text, p.text);
	}
}

/* GLM-5.2: 21 of 78 layers have an indexer. */
static void many_pages(void)
{
	const struct kv_layers l[] = {{21, 0, 1284, 0}, {57, 0, 1152, 0}};
	const struct kv_layout o = {.block_size = 64, .padding = 1.5};
	struct kv_groups g;
	struct problem p;
	char text[100];
	ok(kv_groups_make(&g, l, 2, &o, &p) == 0 &&
	       !strcmp(kv_groups_text(text, sizeof text, &g), "full:78x64") &&
	       g.page_bytes * g.n_layers == 5928192 &&
	       kv_groups_blocks(&g, 40e9) == 6747,
	   "pages of different size in one group");
}

static void states_refused(void)
{
	const struct kv_layers l[] = {
	    {3, 0, 0, 1000}, {1, 0, 512, 0}, {1, 64, 512, 0}};
	struct kv_layout o = {
	    .block_size = 16, .padding = 1.5, .state = KV_STATE_ALL};
	struct kv_groups g;
	struct problem p;
	ok(kv_groups_make(&g, l, 2, &o, &p) < 0 &&
	       strstr(p.text, "linear_chunk_size"),
	   "a scan of unknown size: %s", p.text);
	o.chunk = 16;
	ok(kv_groups_make(&g, l, 3, &o, &p) < 0 && strstr(p.text, "windows"),
	   "all states beside windows: %s", p.text);
}

static void refused(void)
{
	const struct kv_layers l[] = {{1, 64, 300, 0}, {1, 0, 512, 0}};
	struct kv_groups g;
	struct problem p;
	ok(kv_groups_make(&g, l, 2, &usual, &p) < 0 && p.code == EXIT_USAGE &&
	       strstr(p.text, "4800"),
	   "pages that do not divide the largest: %s", p.text);
}

int main(void)
{
	for (size_t i = 0; i < sizeof given / sizeof *given; i++)
		ok(is_right(&given[i]), "%u layers %s", given[i].n,
		   given[i].layers);
	from_file();
	padding();
	states();
	many_pages();
	states_refused();
	refused();
	return done();
}
