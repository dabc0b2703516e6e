/* Every finding about a table, in a table that was made to have it. */
#include "tables/check.h"
#include "findings.h"
#include "scratch.h"

static char path[200];
static struct problem p;

static FILE *table(const char *name)
{
	snprintf(path, sizeof path, "%s", scratch_path(name));
	FILE *f = fopen(path, "w");
	if (!f)
		bail_out(path);
	return f;
}

static int check(void)
{
	static const struct check_place in;
	said[0] = '\0';
	p.text[0] = '\0';
	return tables_check_file(path, &in, note_finding, NULL, &p);
}

/* GEMMs of 1.1e15 FLOP/s, their MFU to 3 digits of a peak. */
static void gemm(double peak_tflops)
{
	FILE *f = table("gemm.csv");
	fputs("m,n,k,latency_us,mfu\n", f);
	for (int m = 64; m <= 4096; m *= 2) {
		double flop = 2. * m * 4096 * 6144, us = 3 + flop / 1.1e9;
		us = nearbyint(us * 1000) / 1000;
		fprintf(f, "%d,4096,6144,%.3f,%.3f\n", m, us,
			flop / us * 1e-6 / peak_tflops);
	}
	fclose(f);
	ok(check() == 0, "%s", p.text);
}

static void peaks(void)
{
	gemm(1979);
	says("mfu_peak: mfu is relative to 1979 TFLOP/s (an H100 or H200 in "
	     "FP8): 7 of 7 rows agree");
	ok(!strstr(said, "above_1"), "nothing above 1");
	gemm(989.5);
	says("mfu is relative to 989.5 TFLOP/s");
	says("!8 mfu_above_1: rows with an MFU above 1: 3, up to 1.09");
	gemm(148);
	says("mfu is relative to 148 TFLOP/s (an H20 in BF16): 7 of 7");
	gemm(523);
	says("(of no known GPU): 7 of 7 rows agree");
}

/* A shape that only the name tells. */
static void decode(const char *rows)
{
	FILE *f = table("32-8-128-tp2.csv");
	fprintf(f, "batch_size,kv_len,latency_us,mfu\n%s", rows);
	fclose(f);
	ok(check() == 0, "%s", p.text);
}

static void grids(void)
{
	/* 4 * 16 * 128 * batch * kv / latency / 989.5e6 */
	decode("1,1024,20,0.0\n1,4096,18,0.002\n16,4096,60,0.009\n");
	says("2 zero_mfu: rows with an MFU of 0: 1, which is rounding: here it "
	     "is 0.000424");
	says("2 hole: 1 points of the grid are missing, in 1 of 1 shapes");
	says("2 warm_up: the first row of 1 of 1 shapes is slower than a "
	     "larger point (here line 3)");
	says("3 non_monotone: time falls along kv_len in 1 of 1 steps; most "
	     "here: 10.0 % below line 2");
	decode("1,1024,20,0.0\n1,2048,30,0.001\n1,1024,20,0.0\n"
	       "1,2048,31,0.001\n");
	says("4 duplicate: the same point as line 2, with the same time");
	says("!5 duplicate: the same point as line 3, with another time");
	ok(!strstr(said, "hole"), "a grid without holes");
	FILE *f = table("gemm.csv");
	fputs("dtype,m,n,k,latency_us\nbf16,1,2,3,4\nfp8,1,2,3,4\n", f);
	fclose(f);
	ok(check() == 0, "%s", p.text);
	is(said,
	   "3 mixed_dtype: fp8 after bf16: more than one number format "
	   "in a table\n",
	   "formats mixed, and nothing else");
	f = table("x.csv");
	fputs("dtype,m,n,k,latency_us\nbf16,8,2,3,9\nbf16,16,2,3,6\n", f);
	fclose(f);
	ok(check() == 0, "%s", p.text);
	says("2 suffix_minimum: 1 of 2 rows take at least 5 % longer than "
	     "a row of more m; most here, 1.5 times m 16");
}

static void kinds(void)
{
	FILE *f = table("x.csv");
	fputs("colour,latency_us\nred,1\nblue,1\nred,2\n", f);
	fclose(f);
	ok(check() == 0, "%s", p.text);
	is(said,
	   "0 unknown_kind: of an unknown kind: only repeated rows are "
	   "checked\n"
	   "!4 duplicate: the same point as line 2, with another time\n",
	   "all columns that are no result are its key");
	f = table("x.csv");
	fputs("batch,kv_len,latency_us\n1,2,3\n", f);
	fclose(f);
	ok(check() < 0 && p.code == EXIT_INPUT, "%s", p.text);
	f = table("x.csv");
	fputs("a,b\n1,2\n", f);
	fclose(f);
	ok(check() < 0 && p.code == EXIT_INPUT, "%s", p.text);
}

int main(void)
{
	scratch_open();
	peaks();
	grids();
	kinds();
	return done();
}
