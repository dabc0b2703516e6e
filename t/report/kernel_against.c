/* kernel_against.c -- Errors by operator, and the worst rows first. */
#include "report/kernel_against.h"
#include <math.h>
#include "tap.h"

static char *text;
static size_t size;
static struct problem p;

static FILE *begin(void)
{
	free(text);
	return open_memstream(&text, &size);
}

static void has(const char *part)
{
	if (!ok(strstr(text, part), "%s", part))
		printf("# in: %s\n", text);
}

static void add(struct kernels *k, const char *op, const char *m)
{
	const char *cell[KERNEL_COLUMNS];
	for (int c = 0; c < KERNEL_COLUMNS; c++)
		cell[c] = "";
	cell[KERNEL_OP] = op;
	if (!strcmp(op, "gemm")) {
		cell[KERNEL_M] = m;
		cell[KERNEL_N] = cell[KERNEL_K] = "64";
	} else {
		cell[KERNEL_TP] = "2";
		cell[KERNEL_MESSAGE_BYTES] = m;
	}
	if (kernels_add(k, cell, &p) < 0)
		bail_out(p.text);
}

int main(void)
{
	struct measured_kernel of[] = {{"gemm", "gemm", 2, 10},
				       {"gemm", "gemm", 3, 20},
				       {"all_reduce", "all_reduce", 2, 5}};
	struct measured_kernels m = {.of = of, .n_left_out = 4};
	add(&m.kernels, "gemm", "1"), add(&m.kernels, "gemm", "2");
	add(&m.kernels, "all_reduce", "256");
	const struct against_price near_by[] = {{11, 0}, {16, 0}, {NAN, 0}};
	const struct against_price far[] = {{1, 0}, {40, 0}, {5, 0}};
	const struct against_arm arm[] = {{"near", near_by}, {"far", far}};
	const struct kernel_against k = {"a.set", &m, arm, 2};
	FILE *f = begin();
	kernel_against_text(&k, f), fclose(f);
	has("a.set: 3 measured kernels");
	has("4 rows are of kernels that no cost model is asked for");
	has("  gemm                      2          0     15.0     15.0     "
	    "19.0     -5.0");
	has("  all_reduce                0          1\n");
	has("as a factor\n  gemm.csv:2: measured 10 us, predicted 1 us: m=1 "
	    "n=64 k=64\n  gemm.csv:3: measured 20 us, predicted 40 us");
	f = begin();
	kernel_against_csv(&k, f), fclose(f);
	has("table,line,op,dtype,m,n,k,");
	has("gemm,3,gemm,,2,64,64,,,,,,,,,20,far,40,1,");
	has("all_reduce,2,all_reduce,,,,,,,,2,,,,256,5,near,,,\n");
	f = begin();
	kernel_against_json(&k, f), fclose(f);
	has("\"schema\": \"stepcost kernels 1\"");
	has("\"operator\": \"all\", \"rows\": 2, \"not_priced\": 1");
	kernels_free(&m.kernels);
	free(text);
	return done();
}
