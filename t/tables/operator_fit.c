/* The fit of a law of kernels to rows that were made from one. */
#include "tables/operator_fit.h"
#include "scratch.h"
#include "tables/set.h"

static struct problem p;
static struct operator_fits fits;

/* Rows of a law with other constants than a fit starts from. */
static const struct sc_rates rates = {
    .peak = {[SC_BF16] = 989.5e6, [SC_FP8] = 1979e6}, .bandwidth = 3.35e6};
static const double constants[] = {20, .4, .8, 1.5, .2, 8};

static struct sc_oplaw law_of(uint32_t op, const char *dtype, const char *kv)
{
	const struct sc_op_key row_key = {op, dtype, kv, NULL, NULL};
	struct sc_oplaw law = sc_op_law(&row_key, &rates);
	memcpy(law.c, constants, sizeof constants);
	return law;
}

static void write_experts(int rows)
{
	struct sc_oplaw law = law_of(SC_OPLAW_MOE, "fp8_block", NULL);
	char text[20000];
	size_t n = (size_t)sprintf(
	    text, "dtype,kernel,routing,tokens,hidden,inter,experts,topk,tp,ep,"
		  "latency_us\n");
	for (int i = 0; i < rows; i++) {
		const double ep = 1 << i / 16 % 3, tokens = 1 << i % 16,
			     key[] = {4096, 1536, 128, 8, 1, ep, 3};
		double us = sc_oplaw_us(&law, key, 1, tokens);
		n += (size_t)sprintf(text + n,
				     "fp8_block,a,balanced,%g,4096,1536,128,8,"
				     "1,%g,%.17g\n"
				     "fp8_block,b,balanced,%g,4096,1536,128,8,"
				     "1,%g,%.17g\n",
				     tokens, ep, us, tokens, ep, 2 * us);
	}
	scratch_file("x/moe.csv", text);
}

static void write_decodes(void)
{
	struct sc_oplaw law = law_of(SC_OPLAW_DECODE, "bf16", "fp8");
	char text[20000];
	size_t n =
	    (size_t)sprintf(text, "dtype,kv_dtype,heads,kv_heads,head_dim,"
				  "window,batch,kv_len,latency_us\n");
	law.c[2] = 100;
	for (int i = 0; i < 40; i++) {
		const double len = 64 << i % 10, batch = 1 << 2 * (i / 10),
			     key[7] = {32, 8, 128};
		n += (size_t)sprintf(text + n,
				     "bf16,fp8,32,8,128,0,%g,%g,%.17g\n", batch,
				     len, sc_oplaw_us(&law, key, batch, len));
	}
	scratch_file("x/attention_decode_more.csv", text);
}

static int fit_it(void)
{
	struct table_set s;
	operator_fits_free(&fits);
	if (set_load(&s, scratch, "x", 0, &p) < 0)
		bail_out(p.text);
	int rc = operator_fit_set(&fits, s.view, s.n, &p);
	set_free(&s);
	return rc;
}

/* What the pull costs where the law is exact. */
static void check_loss(const struct operator_fit *fit, const char *what)
{
	const struct sc_oplaw_kind *kind = &sc_oplaw_kinds[fit->row_key.op];
	double far = 0;
	for (uint32_t i = 0; i < kind->n_constants; i++) {
		const struct sc_oplaw_constant *k = &kind->constant[i];
		double a = constants[i], b = k->start;
		if (fit->row_key.op == SC_OPLAW_DECODE && i == 2)
			a = 100;
		double d = k->most > 0
			       ? log(a / (k->most - a)) - log(b / (k->most - b))
			       : log((a - k->least) / (b - k->least));
		far += d * d;
	}
	ok(fit->loss > 0 && fit->loss <= 1e-4 * far,
	   "%s: no worse than the constants it is made of (%g, %g)", what,
	   fit->loss, 1e-4 * far);
	ok(fit->mean_error < 0.03, "%s: the law follows the table (%g)", what,
	   fit->mean_error);
}

#define RATES "peak_tflops_bf16 = 989.5\npeak_tflops_fp8 = 1979\n"

int main(void)
{
	char key[64];
	scratch_open();
	scratch_folder("x");
	write_experts(48);
	write_decodes();
	scratch_file("x/MANIFEST", RATES "memory_bandwidth_tbs = 3.35\n");
	ok(fit_it() == 0 && fits.n == 2, "a law for each: %s", p.text);
	ok(fits.item[0].n_points == 48, "of two kernels the faster");
	check_loss(&fits.item[0], "experts");
	check_loss(&fits.item[1], "decode");
	sc_op_key_numbers(&fits.item[0].row_key, key, sizeof key);
	is(key, "fp8_block;balanced", "as a MANIFEST names it");
	sc_op_key_numbers(&fits.item[1].row_key, key, sizeof key);
	is(key, "attn bf16;kv fp8", "attention");
	write_experts(17);
	ok(fit_it() == 0 && fits.n == 1, "too few points are left out");
	scratch_file("x/MANIFEST", RATES);
	ok(fit_it() < 0 && strstr(p.text, "lacks memory_bandwidth_tbs"), "%s",
	   p.text);
	scratch_file("x/MANIFEST", "memory_bandwidth_tbs = 3.35\n");
	ok(fit_it() < 0 && strstr(p.text, "lacks peak_tflops_bf16"), "%s",
	   p.text);
	operator_fits_free(&fits);
	return done();
}
