/* The fit of linear and sparse attention: rows of a law with other constants
 * than a fit begins with. */
#include "tables/mixer_fit.h"
#include "cost/kernel_op.h"
#include "scratch.h"
#include "tables/set.h"

static struct problem p;
static struct mixer_fits fits;
static const struct sc_rates rates = {
    .peak = {[SC_BF16] = 989.5e6, [SC_FP8] = 1979e6}, .bandwidth = 3.35e6};

/* Each point twice: a slower kernel beside it. */
static void write_delta_net(int rows)
{
	const struct sc_mixer_key row_key = {.table = SC_MIXER_GDN,
					     .op = SC_SCAN_PREFILL};
	struct sc_mixer_law law = sc_mixer_start(&row_key, &rates);
	const double c[] = {25, .1, .6, 40};
	char text[20000];
	size_t n = (size_t)sprintf(
	    text, "op,kernel,k_heads,k_dim,v_heads,v_dim,conv,batch,seq_len,"
		  "latency_us\nstep_decode,a,2,128,8,128,4,1,1,5\n");
	memcpy(law.c, c, sizeof c);
	for (int i = 0; i < rows; i++) {
		const struct sc_mixer_at at = {1 << i % 3, 64 << i / 3, 0};
		const struct sc_mixer m = {
		    .linear = {SC_FAMILY_GDN, 2, 128, 8, 128, 4, 0}};
		double us = sc_mixer_us(&law, &m, &at);
		for (int k = 1; k < 3; k++)
			n += (size_t)sprintf(
			    text + n,
			    "scan_prefill,%c,2,128,8,128,4,%g,%g,%.17g\n",
			    k == 1 ? 'a' : 'b', at.batch, at.tokens, k * us);
	}
	scratch_file("x/gdn.csv", text);
}

static void write_module(void)
{
	const struct sc_mixer_key row_key = {.table = SC_MIXER_DSA_DECODE,
					     .model = "glm_5",
					     .gemm = "fp8_block",
					     .kv = "fp8",
					     .indexer = 1};
	struct sc_mixer_law law = sc_mixer_start(&row_key, &rates);
	char text[20000];
	size_t n =
	    (size_t)sprintf(text, "model,indexer,gemm_dtype,kv_dtype,kernel,"
				  "heads,batch,kv_len,latency_us\n"
				  "gpt,1,bf16,bf16,a,8,1,16,50\n");
	law.c[0] = 90;
	for (int i = 0; i < 40; i++) {
		struct sc_mixer_point at = {
		    .heads = 8, .at = {1 << i % 4, 1, (64 << i / 4) - 1}};
		struct sc_mixer m = sc_mixer_of(&row_key, &at);
		n += (size_t)sprintf(text + n,
				     "glm_5,1,fp8_block,fp8,a,8,%g,%g,%.17g\n",
				     at.at.batch, at.at.prefix + 1,
				     sc_mixer_us(&law, &m, &at.at));
	}
	scratch_file("x/dsa_module_decode.csv", text);
}

static int fit_it(void)
{
	struct table_set s;
	char key[128];
	mixer_fits_free(&fits);
	if (set_load(&s, scratch, "x", KERNEL_OF_ANY, &p) < 0)
		bail_out(p.text);
	int rc = mixer_fit_set(&fits, s.view, s.n, &p);
	for (size_t i = 0; i < fits.n; i++) {
		sc_mixer_key_numbers(&fits.item[i].row_key, key, sizeof key);
		printf("# %s %llu\n", key,
		       (unsigned long long)fits.item[i].n_points);
	}
	set_free(&s);
	return rc;
}

static const struct mixer_fit *fit_of(uint32_t table)
{
	for (size_t i = 0; i < fits.n; i++)
		if (fits.item[i].law.table == table)
			return &fits.item[i];
	bail_out("no fit");
}

#define RATES "peak_tflops_bf16 = 989.5\npeak_tflops_fp8 = 1979\n"

int main(void)
{
	scratch_open();
	scratch_folder("x");
	write_delta_net(24);
	write_module();
	scratch_file("x/MANIFEST", RATES "memory_bandwidth_tbs = 3.35\n");
	ok(fit_it() == 0 && fits.n == 2,
	   "a law for each, none of one row or of an unknown model: %s",
	   p.text);
	ok(fit_of(SC_MIXER_GDN)->n_points == 24, "of two kernels the faster");
	ok(fit_of(SC_MIXER_GDN)->mean_error < .02, "the law follows (%g)",
	   fit_of(SC_MIXER_GDN)->mean_error);
	near(fit_of(SC_MIXER_DSA_DECODE)->law.c[0], 90, .05, "a module's t0");
	ok(fit_of(SC_MIXER_DSA_DECODE)->loss < 1e-3, "and its loss");
	write_delta_net(11);
	ok(fit_it() == 0 && fits.n == 1, "too few points are left out");
	scratch_file("x/MANIFEST", RATES);
	ok(fit_it() < 0 && strstr(p.text, "lacks memory_bandwidth_tbs"), "%s",
	   p.text);
	mixer_fits_free(&fits);
	return done();
}
