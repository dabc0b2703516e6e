/* What a cost model is told of: the tables of several sets. */
#include "tables/selection.h"
#include "scratch.h"
#include "stepcost/table.h"

#define GEMM "m,n,k,latency_us\n1,2,3,4\n"

static struct problem p;

static void two_sets(void)
{
	struct library l = {0};
	struct set_choice c = {0};
	struct selection s;
	struct hardware h = {.name = (char *)(uintptr_t) "b300-sxm",
			     .gpu = "B300"};
	if (set_choice_named(&c, scratch, NULL, "b300.a,b200.b", &p) < 0)
		bail_out(p.text);
	ok(selection_make(&s, &l, &c, &h, &p) == 0 && s.n == 3, "%s", p.text);
	ok(!strcmp(s.view[0]->set, "b300.a") &&
	       !strcmp(s.view[0]->op, "gemm") &&
	       !strcmp(s.view[1]->set, "b200.b") &&
	       !strcmp(s.view[1]->op, "all_reduce") &&
	       !strcmp(s.view[2]->op, "gemm"),
	   "set by set, each with its tables");
	is(sc_note(s.view[2], "gpu"), "B200 SXM", "notes of the set");
	is(sc_note(s.view[2], "stands_in_for"), "b300-sxm",
	   "which is of another GPU");
	ok(!sc_note(s.view[0], "stands_in_for"), "or is not");
	ok(s.view[0]->col[3] ==
	       library_set(&l, scratch, "b300.a", 0, &p)->view[0]->col[3],
	   "the rows are the library's");
	selection_free(&s);
	set_choice_free(&c);
	library_free(&l);
}

int main(void)
{
	scratch_open();
	scratch_folder("b300.a");
	scratch_folder("b200.b");
	scratch_file("b300.a/gemm.csv", GEMM);
	scratch_file("b300.a/MANIFEST", "gpu = B300 288GB\n");
	scratch_file("b200.b/gemm.csv", GEMM);
	scratch_file("b200.b/all_reduce.csv",
		     "ranks,message_bytes,latency_us\n2,1024,3\n");
	scratch_file("b200.b/moe.csv", "tokens,x,latency_us\n1,2,3\n");
	scratch_file("b200.b/MANIFEST", "gpu = B200 SXM\nnot_priced = moe\n");
	two_sets();
	return done();
}
