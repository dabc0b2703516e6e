/* Rows of a table by their strings. */
#include "tables/row_groups.h"
#include "findings.h"
#include "scratch.h"

int main(void)
{
	struct checked_table c;
	struct row_groups g;
	struct problem p;
	char words[ROW_WORDS];
	scratch_open();
	scratch_file("gemm.csv", "dtype,m,n,k,latency_us\nbf16,1,2,3,4\n"
				 "fp8,1,2,3,4\nfp8,2,2,3,4\nbf16,2,2,3,4\n");
	ok(checked_table_open(&c, scratch_path("gemm.csv"), NULL, note_finding,
			      NULL, &p) == 0,
	   "a table");
	ok(row_groups_make(&g, &c) == 0 && g.n == 2, "two number formats");
	ok(g.of[0] == g.of[3] && g.of[1] == g.of[2] && g.of[0] != g.of[1],
	   "the rows of each");
	ok(g.first[g.of[0]] == 0 && g.first[g.of[1]] == 1, "the first of each");
	is(row_text(&c, 2, words), "fp8: ", "its words");
	row_groups_free(&g);
	checked_table_close(&c);
	return done();
}
