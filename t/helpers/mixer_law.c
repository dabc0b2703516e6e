/* The laws of linear and sparse attention: bytes and FLOP of shapes that are
 * small enough to count by hand, and the times that follow. */
#include "stepcost/kernel/mixer_law.h"
#include "tap.h"

/* ---- linear attention ---- */

/* Two key heads and three value heads: 2 x 2 x 4 + 3 x 8 = 40 channels, and a
 * state of 3 x 4 x 8 = 96 numbers. */
static const struct sc_linear gdn = {SC_FAMILY_GDN, 2, 4, 3, 8, 4, 0};
/* Three heads of 4: 36 channels, 48 numbers. */
static const struct sc_linear kda = {SC_FAMILY_KDA, 3, 4, 3, 4, 4, 0};
/* Six heads of 8, two groups of 4: 64 channels, 192 numbers. */
static const struct sc_linear mamba = {SC_FAMILY_MAMBA2, 2, 4, 6, 8, 4, 16};

static void check_bytes(void)
{
	near(sc_linear_channels(&gdn), 40, 0, "channels of a delta net");
	near(sc_linear_state(&gdn), 96, 0, "its state");
	near(sc_linear_bytes(&gdn, SC_STEP_DECODE, 5, 1),
	     5 * (8 * 96 + 2 * (40 + 24)), 0, "a step reads and writes fp32");
	near(sc_linear_bytes(&kda, SC_STEP_VERIFY, 5, 3),
	     5 * (3 * 8 * 48 + 2 * 3 * (36 + 12)), 0,
	     "a step that verifies, once for each token");
	near(sc_linear_bytes(&gdn, SC_CONV_DECODE, 5, 1), 5 * 40 * 16, 0,
	     "16 bytes a channel for a token and three before it");
	near(sc_linear_bytes(&kda, SC_CONV_VERIFY, 5, 3), 5 * 36 * 24, 0,
	     "24 for three tokens");
	near(sc_linear_bytes(&gdn, SC_CONV_PREFILL, 5, 100),
	     4 * 5 * 100 * 40 + 4 * 5 * 40 * 3, 0,
	     "a prompt's convolution keeps the end of each");
	near(sc_linear_bytes(&kda, SC_CONV_PREFILL, 5, 100), 4 * 5 * 100 * 36,
	     0, "without that in Kimi's");
	near(sc_linear_bytes(&gdn, SC_SCAN_PREFILL, 5, 100),
	     5 * (2 * 100 * (40 + 48) + 8 * 96), 0, "a scan");
	near(sc_linear_bytes(&mamba, SC_SCAN_PREFILL, 5, 100),
	     5 * (2 * 100 * (64 + 48) + 8 * 192), 0, "of Mamba-2");
}

static void check_flops(void)
{
	near(sc_linear_flops(&gdn, 5, 100),
	     5 * 100 * 3 * (128 * (8 + 16) + 4 * 32), 0, "a delta net's scan");
	near(sc_linear_flops(&kda, 5, 100), 5 * 100 * 3 * (512 * 4 + 64), 0,
	     "Kimi's");
	near(sc_linear_flops(&mamba, 5, 100),
	     5 * 100 * 6 * (2 * 16 * (4 * 2 / 6. + 8) + 4 * 32), 1e-15,
	     "Mamba-2's, by chunk and group");
}

static void check_linear(void)
{
	const double state[] = {3, .5}, conv[] = {3, .5, 2},
		     scan[] = {15, .5, .25, 30};
	near(sc_linear_us(&gdn, SC_STEP_DECODE, 5, 1, 100, 1000, state),
	     3 + 5 * 896 / 50., 1e-15, "a step at half of the bandwidth");
	near(sc_linear_us(&kda, SC_CONV_PREFILL, 5, 100, 100, 1000, conv),
	     3 + 72000 / 50. + .2, 1e-15, "a convolution: each token waits");
	double work = sc_linear_flops(&kda, 5, 100) / 500 +
		      sc_linear_bytes(&kda, SC_SCAN_PREFILL, 5, 100) / 25;
	near(sc_linear_us(&kda, SC_SCAN_PREFILL, 5, 100, 100, 1000, scan),
	     15 + hypot(work, 3), 1e-12, "a scan: work and chain");
}

/* ---- pairs ---- */

static void check_pairs(void)
{
	struct sc_sparse_step s = {.batch = 2, .tokens = 3, .prefix = 4};
	near(sc_sparse_pairs(&s, INFINITY), 2 * (5 + 6 + 7), 0, "all pairs");
	near(sc_sparse_pairs(&s, 6), 2 * (5 + 6 + 6), 0, "at most six keys");
	near(sc_sparse_pairs(&s, 4), 2 * 12, 0, "all queries are cut");
	near(sc_sparse_pairs(&s, 7), 2 * 18, 0, "none is");
	s.tokens = 1;
	near(sc_sparse_pairs(&s, 3), 2 * 3, 0, "a decode");
}

/* ---- sparse attention ---- */

static struct sc_sparse layer(const char *model, uint32_t family)
{
	return (struct sc_sparse){.family = family,
				  .size = *sc_sparse_model(model),
				  .heads = 16,
				  .indexer = 1};
}

static void check_weights(void)
{
	struct sc_sparse l = layer("deepseek_v32", SC_FAMILY_DSA);
	near(sc_sparse_weights(&l),
	     7168. * 1536 + 1536 * 16 * 192 + 7168 * 576 + 512 * 16 * 256 +
		 16 * 128 * 7168 + 1536 * 64 * 128 + 7168 * (128 + 64),
	     0, "DeepSeek-V3.2 with its indexer");
	l.indexer = 0;
	near(sc_sparse_weights(&l),
	     7168. * 1536 + 1536 * 16 * 192 + 7168 * 576 + 512 * 16 * 256 +
		 16 * 128 * 7168,
	     0, "and without");
	l = layer("minimax_m3", SC_FAMILY_MSA);
	near(sc_sparse_weights(&l),
	     6144. * (16 + 2) * 128 + 16 * 128 * 6144 + 6144 * 2 * 128, 0,
	     "MiniMax-M3: one KV head for 16 heads");
	l.heads = 4;
	near(sc_sparse_kv_heads(&l), 1, 0, "at least one");
	l = layer("deepseek_v4_flash", SC_FAMILY_CSA);
	l.ratio = 128;
	double plain = 4096. * 1024 + 1024 * 16 * 512 + 4096 * 512 +
		       16 * 512 * 1024 + 8 * 1024 * 4096 / 4.;
	near(sc_sparse_weights(&l), plain + 2 * 4096 * 512, 0,
	     "DeepSeek-V4, one compressor");
	l.ratio = 4;
	near(sc_sparse_weights(&l),
	     plain + 4 * 4096 * 512 + 1024 * 64 * 128 + 4096 * 64 +
		 4 * 4096 * 128,
	     0, "two, and an indexer");
	ok(sc_sparse_model("gpt") == NULL, "no such model");
}

static void check_choice(void)
{
	struct sc_sparse l = layer("deepseek_v32", SC_FAMILY_DSA);
	struct sc_sparse_step s = {3, 1, 2047, 1};
	struct sc_sparse_work w = sc_sparse_work(&l, &s);
	near(w.bytes, 1152. * 3 * 2048, 0, "a decode reads 1152 bytes a token");
	near(w.flops, 2. * 16 * 3 * 2048 * 1088, 0, "its FLOP");
	near(w.index_bytes + w.index_flops + w.index_scores, 0, 0,
	     "2,048 tokens are all chosen");
	s.prefix = 9999;
	l.kv_is_fp8 = 1;
	w = sc_sparse_work(&l, &s);
	near(w.bytes, 656. * 3 * 2048, 0, "and no more of a longer context");
	near(w.index_bytes, 132. * 3 * 10000, 0, "the indexer reads all");
	near(w.index_flops, 2. * 64 * 128 * 3 * 10000, 0, "and computes all");
	near(w.index_scores, 4. * 3 * 10000, 0, "and sorts them");
	s = (struct sc_sparse_step){2, 100, 3000, 0};
	w = sc_sparse_work(&l, &s);
	near(w.bytes, 656 * (2 * 3100. + 2 * 100 * 2048 / 64.), 0,
	     "prompts read what 64 queries share");
}

static void check_blocks(void)
{
	struct sc_sparse l = layer("minimax_m3", SC_FAMILY_MSA);
	struct sc_sparse_step s = {3, 1, 9999, 1};
	struct sc_sparse_work w = sc_sparse_work(&l, &s);
	near(w.bytes, 512. * 3 * 2048, 0, "16 blocks of 128 tokens");
	near(w.flops, 4. * 16 * 3 * 2048 * 128, 0, "their FLOP");
	near(w.index_bytes, 256. * 3 * 10000, 0, "a key of 256 bytes a token");
	near(w.index_scores, 3 * 10000 / 128., 1e-15, "a score a block");
	l = layer("deepseek_v4_flash", SC_FAMILY_CSA);
	l.ratio = 128;
	s.prefix = 12799;
	w = sc_sparse_work(&l, &s);
	near(w.bytes, 584. * 3 * (128 + 100), 0, "a window and all entries");
	near(w.index_bytes, 0, 0, "of which none is chosen");
	l.ratio = 4;
	w = sc_sparse_work(&l, &s);
	near(w.bytes, 584. * 3 * (128 + 512), 0, "a window and 512 entries");
	near(w.index_bytes, 132. * 3 * 3200, 0, "out of a quarter as many");
	near(w.index_scores, 3 * 12800, 0, "a token has a score");
	s.prefix = 2047;
	near(sc_sparse_work(&l, &s).index_bytes, 0, 0,
	     "512 entries are all chosen");
}

static void check_module(void)
{
	struct sc_mixer m = {.sparse = layer("glm_5", SC_FAMILY_DSA)};
	struct sc_mixer_law l = {.table = SC_MIXER_DSA_DECODE,
				 .rates = {2000, 1000, 4000, 10, 1},
				 .c = {60, .5, .8, .4, .2, 7}};
	const struct sc_mixer_at at = {4, 1, 8191};
	const struct sc_sparse_step s = {4, 1, 8191, 1};
	double w = sc_sparse_weights(&m.sparse);
	struct sc_sparse_work k = sc_sparse_work(&m.sparse, &s);
	double cubes[3] = {pow(2 * 4 * w / 1000, 3) + pow(w / 8, 3),
			   pow(k.bytes / 8, 3) + pow(k.flops / 400, 3),
			   pow(k.index_bytes / 8, 3) +
			       pow(k.index_flops / 800, 3)};
	near(sc_mixer_us(&l, &m, &at),
	     60 + cbrt(cubes[0]) + cbrt(cubes[1]) + cbrt(cubes[2]) +
		 7 * k.index_scores / 1e6,
	     1e-12, "projections, attention, indexer, scores");
	near(sc_sparse_work(&m.sparse, &s).index_scores, 4. * 4 * 8192, 0,
	     "of the whole context");
}

/* ---- tables ---- */

static void check_tables(void)
{
	double axis[SC_MIXER_AXES];
	struct sc_mixer m = {.linear = gdn};
	const struct sc_mixer_at at = {5, 7, 11};
	ok(sc_mixer_table("gdn") == SC_MIXER_GDN &&
	       sc_mixer_table("kda_suspect") == SC_N_MIXERS,
	   "tables by name");
	ok(sc_linear_op("scan_prefill") == SC_SCAN_PREFILL &&
	       sc_linear_op("scan") == SC_N_LINEAR_OPS,
	   "kernels by name");
	sc_mixer_axes(SC_MIXER_GDN, &m, &at, axis);
	ok(axis[0] == 2 && axis[1] == 3 && axis[2] == 5 && axis[3] == 7,
	   "key heads, value heads, batch, tokens");
	m.linear = mamba;
	sc_mixer_axes(SC_MIXER_MAMBA2, &m, &at, axis);
	ok(axis[0] == 6 && axis[1] == 4, "heads, state");
	m.sparse.heads = 16;
	sc_mixer_axes(SC_MIXER_MSA_PREFILL, &m, &at, axis);
	ok(axis[0] == 16 && axis[2] == 7 && axis[3] == 11, "tokens, prefix");
	sc_mixer_axes(SC_MIXER_MSA_DECODE, &m, &at, axis);
	ok(axis[2] == 18 && axis[3] == 0, "a decode's context has its token");
	near(sc_mixer_log(SC_MIXER_MSA_PREFILL, 3, 0), log(256), 0,
	     "no prefix is a place");
	near(sc_mixer_log(SC_MIXER_GDN, 3, 8), log(8), 0, "others plainly");
	for (uint32_t i = 0; i < SC_N_MIXER_LAWS; i++)
		for (uint32_t k = 0; k < sc_mixer_laws[i].n; k++) {
			const struct sc_oplaw_constant *c =
			    &sc_mixer_laws[i].constant[k];
			if (!(c->start > c->least) ||
			    (c->most > 0 && !(c->start < c->most)))
				ok(0, "%s begins outside", c->name);
		}
	ok(sc_mixer_law_of(SC_MIXER_KDA, SC_CONV_PREFILL) == SC_MIXER_CONV &&
	       sc_mixer_law_of(SC_MIXER_KDA, SC_STEP_VERIFY) ==
		   SC_MIXER_STATE &&
	       sc_mixer_law_of(SC_MIXER_CSA_DECODE, 0) == SC_MIXER_MODULE,
	   "a law for each");
}

int main(void)
{
	check_bytes();
	check_flops();
	check_linear();
	check_pairs();
	check_weights();
	check_choice();
	check_blocks();
	check_module();
	check_tables();
	return done();
}
