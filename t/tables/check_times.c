/* Times that are not the kernel's, each in a table made to have them. */
#include "tables/check_times.h"
#include <math.h>
#include "findings.h"
#include "scratch.h"

/* GEMMs that take as long as their weights at 4 TB/s and their FLOPs at 800
 * TFLOP/s, and no less than a floor. */
static void gemm(double floor_us, double resolution_us)
{
	FILE *f = fopen(scratch_path("gemm.csv"), "w");
	fputs("dtype,m,n,k,latency_us\n", f);
	for (int n = 256; n <= 16384; n *= 4)
		for (int m = 1; m <= 4096; m *= 4) {
			double us =
			    2 + n * 4096. / 4e6 + 2. * m * n * 4096 / 800e6;
			us = fmax(us, floor_us) / resolution_us;
			fprintf(f, "fp8,%d,%d,4096,%.3f\n", m, n,
				ceil(us) * resolution_us);
		}
	fclose(f);
}

static void check(double bandwidth_tbs)
{
	struct checked_table c;
	struct problem p;
	said[0] = '\0';
	ok(checked_table_open(&c, scratch_path("gemm.csv"), NULL, note_finding,
			      NULL, &p) == 0 &&
	       tables_check_times(&c, bandwidth_tbs, &p) == 0,
	   "checked");
	checked_table_close(&c);
}

int main(void)
{
	scratch_open();
	gemm(0, 0.001);
	check(4);
	is(said, "", "a sound table");
	gemm(57, 0.001);
	check((double)NAN);
	says("2 host_floor: fp8: 89 % of the rows take 57 us, some with 4096 "
	     "times the work of others: time of the host");
	gemm(0, 1);
	check((double)NAN);
	is(said, "2 whole_us: times are whole us: up to 17 % off, here\n",
	   "a coarse clock");
	gemm(0, 0.001);
	check(2);
	says("in_cache: 7 rows take less than reading their weights at 2 TB/s "
	     "does, here 0.56 of it: they were in the L2 cache");
	return done();
}
