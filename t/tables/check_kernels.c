/* Points that differ in kernel or routing alone. */
#include "tables/check_kernels.h"
#include "findings.h"
#include "scratch.h"

#define HEAD                                                                   \
	"dtype,kernel,routing,tokens,hidden,inter,experts,topk,tp,ep,"         \
	"latency_us\n"
#define SHAPE ",2048,768,128,8,1,1,"

static void check(const char *rows)
{
	struct checked_table c;
	struct problem p;
	scratch_file("moe.csv", rows);
	said[0] = '\0';
	ok(checked_table_open(&c, scratch_path("moe.csv"), NULL, note_finding,
			      NULL, &p) == 0 &&
	       tables_check_kernels(&c, &p) == 0,
	   "checked");
	checked_table_close(&c);
}

int main(void)
{
	scratch_open();
	check(HEAD "fp8,a,balanced,1" SHAPE "20\nfp8,b,balanced,1" SHAPE "30\n"
		   "fp8,a,balanced,2" SHAPE "20\nfp8,b,balanced,2" SHAPE "40\n"
		   "fp8,a,balanced,4" SHAPE "50\n");
	is(said,
	   "5 kernels: 2 points differ in kernel alone, 1.75 times apart in "
	   "the "
	   "median; most here, 2.0 times line 4: the fastest counts\n",
	   "two kernels");
	check(HEAD "fp8,a,balanced,1" SHAPE "20\nfp8,a,skewed,1" SHAPE "24\n"
		   "bf16,a,balanced,1" SHAPE "20\nfp8,b,skewed,2" SHAPE "9\n");
	is(said,
	   "3 routings: 1 points differ in routing alone, 1.20 times apart in "
	   "the median; most here, 1.2 times line 2: do not mix them\n",
	   "two routings");
	check(HEAD "fp8,a,balanced,1" SHAPE "20\nfp8,b,skewed,1" SHAPE "30\n");
	is(said, "", "neither alone");
#define OF(kernel, inter) "fp8," kernel ",balanced,1,2048," inter ",8,2,1,1,9\n"
	check(HEAD OF("a", "1") OF("a", "2") OF("a", "3") OF("a", "4")
		  OF("b", "5") OF("b", "6") OF("b", "7") OF("b", "8"));
	is(said,
	   "2 families: fp8 a balanced: 4 shapes have this kernel alone; fp8 b "
	   "balanced: 4 have that: shapes of one say little of the other's\n",
	   "families of shapes with a kernel each");
	check(HEAD OF("a", "1") OF("a", "2") OF("a", "3") OF("a", "4")
		  OF("b", "5") OF("b", "6") OF("b", "7"));
	is(said, "", "three are exceptions");
	return done();
}
