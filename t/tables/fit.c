#include "tables/fit.h"
#include "scratch.h"
#include "tables/set.h"

static struct problem p;
static struct kernel_fit fit[SC_N_FORMATS];

/* The law that makes the table; the fit must find its constants again. */
static struct sc_law law = {
    .op = SC_OP_GEMM, .element = 2, .peak = 989.5e12, .bandwidth = 3.35e12};

static void write_gemms(const char *manifest, const char *head, int rows)
{
	const struct sc_law_kind *kind = sc_law_kind_of(SC_OP_GEMM);
	char text[20000];
	size_t n = (size_t)sprintf(text, "%s\n", head);
	for (uint32_t i = 0; i < kind->n_constants; i++)
		law.c[i] =
		    sqrt(kind->constant[i].start *
			 sqrt(kind->constant[i].min * kind->constant[i].max));
	for (int i = 0; i < rows; i++) {
		double m = pow(2, i % 12), k = 1024 << i / 12 % 3, nn = 4096;
		const double shape[3] = {nn, k, 0};
		n += (size_t)sprintf(text + n, "bf16,%g,%g,%g,%.17g\n", m, nn,
				     k, sc_law_us(&law, shape, 1, m));
	}
	scratch_file("x/gemm.csv", text);
	scratch_file("x/MANIFEST", manifest);
}

static int fit_it(void)
{
	struct table_set s;
	if (set_load(&s, scratch, "x", 0, &p) < 0)
		bail_out(p.text);
	int n = kernel_fit_table(s.view[0], fit, &p);
	set_free(&s);
	return n;
}

#define RATES "peak_tflops_bf16 = 989.5\nmemory_bandwidth_tbs = 3.35\n"
#define HEAD "dtype,m,n,k,latency_us"

int main(void)
{
	scratch_open();
	scratch_folder("x");
	write_gemms(RATES, HEAD, 36);
	ok(fit_it() == 1 && fit[0].format == SC_BF16 && fit[0].n_points == 36,
	   "one law for one format: %s", p.text);
	ok(fit[0].mean_error < 1e-3, "that a table of the law follows (%g)",
	   fit[0].mean_error);
	ok(fit[0].law.peak == law.peak && fit[0].law.bandwidth == law.bandwidth,
	   "with the rates of the MANIFEST");
	write_gemms(RATES, HEAD, 3);
	ok(fit_it() == 0, "too few points are left out");
	write_gemms("peak_tflops_bf16 = 989.5\n", HEAD, 36);
	ok(fit_it() < 0 && strstr(p.text, "lacks memory_bandwidth_tbs"), "%s",
	   p.text);
	write_gemms("memory_bandwidth_tbs = 3.35\n", HEAD, 36);
	ok(fit_it() < 0 && strstr(p.text, "lacks peak_tflops_bf16"), "%s",
	   p.text);
	write_gemms(RATES, "dtype,x,n,k,latency_us", 36);
	ok(fit_it() < 0 && strstr(p.text, "no column m"), "%s", p.text);
	write_gemms(RATES, "format,m,n,k,latency_us", 36);
	ok(fit_it() < 0 && strstr(p.text, "no column dtype"), "%s", p.text);
	return done();
}
