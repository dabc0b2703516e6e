/* Points beside their neighbours, and kernels that were not measured. */
#include "tables/check_points.h"
#include "findings.h"
#include "scratch.h"

static void check(const char *file, const char *rows)
{
	struct checked_table c;
	struct problem p;
	scratch_file(file, rows);
	said[0] = '\0';
	ok(checked_table_open(&c, scratch_path(file), NULL, note_finding, NULL,
			      &p) == 0 &&
	       tables_check_points(&c, &p) == 0,
	   "checked");
	checked_table_close(&c);
}

static void outliers(void)
{
	check("gemm.csv", "m,n,k,latency_us\n1,8,8,10\n2,8,8,18\n4,8,8,11\n"
			  "1,9,8,10\n2,9,8,6\n4,9,8,10\n");
	is(said,
	   "6 outlier: 2 of 2 points are 1.5 times off both of their "
	   "neighbours in m, or more; most here, 1.7 times\n",
	   "a spike and a dip");
	check("gemm.csv", "m,n,k,latency_us\n1,8,8,10\n2,8,8,14\n4,8,8,11\n"
			  "8,8,8,99\n1,9,8,400\n2,9,8,500\n");
	is(said, "", "no more than noise, and other shapes are no neighbours");
	check("gemm.csv", "m,n,k,latency_us\n1,8,8,10\n2,8,8,50\n4,8,8,11\n"
			  "8,8,8,12\n");
	is(said,
	   "3 outlier: 1 of 2 points are 1.5 times off both of their "
	   "neighbours in m, or more; most here, 4.5 times\n"
	   "3 untuned: 1 points take 3 times as long as the next larger m, or "
	   "more; most here, 4.5 times line 4: not tuned there\n",
	   "a kernel that was not tuned at one size");
	check("attention_decode.csv",
	      "dtype,heads,kv_heads,head_dim,batch,kv_len,latency_us\n"
	      "bf16,8,8,128,1,10,5\nbf16,8,8,128,2,10,5\n"
	      "bf16,8,8,128,4,10,5\nbf16,8,8,128,1,20,5\n"
	      "bf16,8,8,128,2,20,50\nbf16,8,8,128,4,20,5\n");
	is(said,
	   "6 outlier: 1 of 2 points are 1.5 times off both of their "
	   "neighbours in batch, or more; most here, 10.0 times\n"
	   "6 untuned: 1 points take 3 times as long as the next larger batch, "
	   "or more; most here, 10.0 times line 7: not tuned there\n",
	   "along either axis");
}

#define HEAD "op,k_heads,k_dim,v_heads,v_dim,conv,batch,seq_len,latency_us\n"
#define ROW(op, batch, us) op ",2,128,4,128,4," batch ",1," us "\n"

static void linear(void)
{
	check("gdn.csv",
	      HEAD ROW("step_decode", "1", "5") ROW("step_decode", "2", "9")
		  ROW("step_decode", "4", "40") ROW("conv_decode", "1", "3"));
	is(said,
	   "0 incomplete: lacks kernels that a layer needs: conv_prefill, "
	   "scan_prefill\n"
	   "4 jump: from one batch to the next the time grows 1.3 times "
	   "faster than the work, 1 times; most here, 2.2 times line 3: "
	   "another kernel or clock, or no longer in the cache\n",
	   "a table without prompts, and a jump");
	check("gdn.csv",
	      HEAD ROW("step_decode", "1", "5") ROW("conv_prefill", "1", "5")
		  ROW("scan_prefill", "1", "5") ROW("conv_decode", "1", "5")
		      ROW("conv_decode", "2", "9"));
	is(said, "", "all four");
}

int main(void)
{
	scratch_open();
	outliers();
	linear();
	return done();
}
