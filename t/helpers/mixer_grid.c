/* A grid of residuals: its points, between them, corners that are missing, the
 * nearest four, and the ends of its axes. */
#include "stepcost/kernel/mixer_grid.h"
#include "tap.h"

/* Two values of heads, three of batches, two of tokens; one cell is empty. */
enum { HEADS = 2, BATCHES = 3, TOKENS = 2, CELLS = HEADS * BATCHES * TOKENS };
static double heads[HEADS] = {8, 32}, batch[BATCHES] = {1, 4, 64},
	      tokens[TOKENS] = {16, 128}, logs[3][BATCHES];
static double residual[CELLS];
static uint32_t cell_of[CELLS], point_in[CELLS];
static struct sc_mixer_grid g = {.n_axes = 3,
				 .n = {HEADS, BATCHES, TOKENS},
				 .v = {heads, batch, tokens},
				 .log = {logs[0], logs[1], logs[2]},
				 .residual = residual,
				 .cell_of = cell_of,
				 .point_in = point_in};

static void build(void)
{
	for (int i = 0; i < 3; i++)
		for (uint32_t k = 0; k < g.n[i]; k++)
			logs[i][k] = log(g.v[i][k]);
	for (uint32_t cell = 0; cell < CELLS; cell++) {
		if (cell == 5) /* 8 heads, batch 64, 128 tokens */
			continue;
		cell_of[g.n_points] = cell;
		residual[g.n_points] = cell * cell;
		point_in[cell] = ++g.n_points;
	}
}

static double at(double h, double b, double t, uint32_t *how)
{
	const double axis[SC_MIXER_AXES] = {h, b, t};
	*how = SC_EXACT;
	return sc_mixer_residual(&g, SC_MIXER_KDA, axis, how);
}

static void answers(double h, double b, double t, double want, uint32_t how,
		    const char *what)
{
	uint32_t is;
	near(at(h, b, t, &is), want, 1e-12, "%s", what);
	ok(is == how, "%s: provenance %u", what, is);
}

static void check_points(void)
{
	answers(8, 1, 128, 1, SC_EXACT, "a point");
	answers(32, 64, 128, 121, SC_EXACT, "the last one");
	answers(16, 1, 16, 18, SC_INTERPOLATED, "half way in log heads");
	answers(16, 2, sqrt(2048), (0 + 1 + 4 + 9 + 36 + 49 + 64 + 81) / 8., //
		SC_INTERPOLATED, "in the middle of eight");
	answers(8, 16, sqrt(2048), (4 / 4. + 9 / 4. + 16 / 4.) / (3 / 4.),
		SC_INTERPOLATED, "a corner that is missing drops out");
	answers(4, 1, 16, 0, SC_CLAMPED, "below the heads");
	answers(32, 1000, 512, 121, SC_CLAMPED, "above batches and tokens");
}

/* From 8 heads, batch 64, 128 tokens: ln 4 to more heads (121), ln 8 to fewer
 * tokens (16), ln 16 to batch 4 (9), ln 4 + ln 8 to the first two (100). */
static void check_nearest(void)
{
	const double d[4] = {log(4), log(8), log(16), log(4) + log(8)};
	const double of[4] = {121, 16, 9, 100};
	double sum = 0, weights = 0;
	for (int i = 0; i < 4; i++) {
		double w = 1 / ((d[i] + .05) * (d[i] + .05));
		sum += w * of[i];
		weights += w;
	}
	answers(8, 64, 128, sum / weights, SC_SUBSTITUTED,
		"no corner: the nearest four");
}

/* ---- rows ---- */

static void check_settle(void)
{
	struct sc_mixer_point p[4] = {
	    {.at = {4, 1, 0}, .us = 5, .linear = {.v_heads = 8, .chunk = 64}},
	    {.at = {1, 1, 0}, .us = 3, .linear = {.v_heads = 8}},
	    {.at = {4, 1, 0}, .us = 4, .linear = {.v_heads = 8, .chunk = 128}},
	    {.at = {4, 1, 9}, .us = 7, .linear = {.v_heads = 8}}};
	uint64_t n = sc_mixer_deduplicate(p, 4);
	ok(n == 3 && p[0].us == 3 && p[1].us == 4 && p[2].us == 7,
	   "in order, the fastest of a place");
	ok(sc_mixer_deduplicate(p, 0) == 0, "none");
}

static void check_keys(void)
{
	const struct {
		struct sc_mixer_key row_key;
		const char *key;
	} row[] = {
	    {{.table = SC_MIXER_GDN, .op = SC_SCAN_PREFILL}, "scan_prefill"},
	    {{.table = SC_MIXER_KDA, .op = SC_STEP_DECODE, .kernel = "a"},
	     "step_decode;a"},
	    {{.table = SC_MIXER_DSA_DECODE,
	      .model = "glm_5",
	      .gemm = "bf16",
	      .kv = "fp8",
	      .indexer = 1},
	     "glm_5;1;bf16;fp8"},
	    {{.table = SC_MIXER_MSA_PREFILL,
	      .model = "minimax_m3",
	      .gemm = "nvfp4",
	      .kv = "fp8"},
	     "nvfp4;fp8"},
	    {{.table = SC_MIXER_CSA_DECODE,
	      .model = "deepseek_v4_pro",
	      .gemm = "bf16",
	      .kv = "fp8",
	      .ratio = 128},
	     "deepseek_v4_pro;128;bf16;fp8"},
	};
	char key[64];
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		sc_mixer_key_numbers(&row[i].row_key, key, sizeof key);
		is(key, row[i].key, "the key of %s", row[i].key);
	}
}

int main(void)
{
	build();
	check_points();
	check_nearest();
	check_settle();
	check_keys();
	return done();
}
