/* AIConfigurator on the shipped tables h100-sxm.vllm-0.24, by the plugin's own
 * functions: single queries and passes that are no steps.  With an argument it
 * prices lines of standard input (tools/field_golden.py), nan where there is no
 * answer:
 *   query OP NUMBERS...        ->  us      (of aic_engine.csv)
 *   KIND MODEL... NUMBERS...   ->  ms      (decode, context, mixed) */
#include "aic_tables.h"
#include "cost/kernel_op.h"
#include "tables/set.h"
#include "tap.h"
#include "aic_pass.h"

static const struct aic_system h100 = {3.35e12, 989e12, 450e9};

static double query(const struct aic_tables *t, const char *op)
{
	double n[5] = {0};
	if (!strcmp(op, "gemm"))
		return scanf("%lf %lf %lf", n, n + 1, n + 2) == 3
			   ? 1e6 * aic_table_gemm(t, n[0], n[1], n[2])
			   : NAN;
	if (!strcmp(op, "all_reduce")) {
		if (scanf("%lf %lf", n, n + 1) != 2)
			return NAN;
		struct aic_grid g = aic_grid_of(t, AIC_ALL_REDUCE, n[0], 0);
		return 1e6 * aic_ask(&g, n + 1);
	}
	if (scanf("%lf %lf %lf %lf %lf", n, n + 1, n + 2, n + 3, n + 4) != 5)
		return NAN;
	struct aic_grid g = aic_grid_of(
	    t, !strcmp(op, "decode") ? AIC_DECODE : AIC_PREFILL, n[0], n[1]);
	return 1e6 * aic_ask(&g, n + 2);
}

static double pass(struct aic_silicon *s, const char *kind)
{
	double n[3];
	struct mixed w;
	memset(s->body, 0, sizeof s->body); /* of the model before */
	memset(s->head_s, 0, sizeof s->head_s);
	memset(s->batch, 0, sizeof s->batch);
	if (!read_model(&s->a))
		return NAN;
	silicon_operators(s);
	if (!strcmp(kind, "mixed"))
		return read_mixed(&w) ? mixed_ms(&s->a, &w) : NAN;
	if (scanf("%lf %lf", n, n + 1) != 2)
		return NAN;
	if (!strcmp(kind, "decode"))
		return 1000 * (aic_sum(aic_rest(&s->a, n[0], n[0])) +
			       aic_decode(&s->a, n[0], n[1]));
	if (scanf("%lf", n + 2) != 1)
		return NAN;
	return 1000 * (aic_sum(aic_rest(&s->a, n[0] * n[1], n[0])) +
		       aic_prefill(&s->a, n[0], n[1], n[2]) +
		       aic_context_extra(&s->a));
}

int main(void)
{
	static struct aic_silicon s;
	struct table_set set = {0};
	struct problem p;
	sc_error err = {.size = sizeof err};
	char word[40], path[4096];
	const char *data = getenv("STEPCOST_DATA_PATH");
	snprintf(path, sizeof path, "%s/bench_data", data ? data : "..");
	if (set_load(&set, path, "h100-sxm.vllm-0.24", KERNEL_OF_ANY, &p) < 0)
		bail_out(p.text);
	sc_setup setup = {
	    .size = sizeof setup, .n_tables = set.n, .table = set.view};
	if (aic_load(&s.t, &h100, &setup, &err) != SC_OK)
		bail_out(err.text);
	while (*unit_arguments && scanf("%39s", word) == 1) {
		char op[40];
		if (!strcmp(word, "query") && scanf("%39s", op) == 1)
			printf("%.17g\n", query(&s.t, op));
		else
			printf("%.17g\n", pass(&s, word));
	}
	if (!*unit_arguments) {
		double q[] = {5, 2, 64};
		struct aic_grid g = aic_grid_of(&s.t, AIC_DECODE, 8, 128);
		near(1e6 * aic_ask(&g, q), 9.519828531443379, 1e-9,
		     "five heads: between those of the table");
		near(1e6 * aic_table_gemm(&s.t, 1, 12288, 1536), 16.36, 1e-9,
		     "a measured GEMM");
		ok(isnan(aic_table_gemm(&s.t, 1, 1e9, 1)),
		   "a GEMM of no known size has no answer");
	}
	aic_free(&s.t);
	set_free(&set);
	return *unit_arguments ? 0 : done();
}
