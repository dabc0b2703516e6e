/* Sets in memory: each is read once, also one that cannot be read. */
#include "tables/library.h"
#include "scratch.h"

#define GEMM "m,n,k,latency_us\n1,2,3,4\n"

static void once(void)
{
	struct library l = {0};
	struct problem p;
	scratch_folder("alpha");
	scratch_folder("beta");
	scratch_file("alpha/gemm.csv", GEMM);
	scratch_file("beta/gemm.csv", "m,n,k,latency_us\n1,2,3,0\n");
	const struct table_set *s = library_set(&l, scratch, "alpha", 0, &p);
	ok(s && s->n == 1, "a set");
	scratch_file("alpha/gemm.csv", "broken");
	ok(library_set(&l, scratch, "alpha", 0, &p) == s &&
	       s->view[0]->n_rows == 1,
	   "is read once");
	ok(!library_set(&l, scratch, "beta", 0, &p) && p.code == EXIT_INPUT &&
	       strstr(p.text, "gemm.csv:2: latency_us is 0"),
	   "one that cannot be read: %s", p.text);
	scratch_file("beta/gemm.csv", GEMM);
	p.text[0] = '\0';
	ok(!library_set(&l, scratch, "beta", 0, &p) &&
	       strstr(p.text, "latency_us is 0"),
	   "is said each time");
	library_free(&l);
	ok(l.n == 0, "freed, it is empty");
}

static void folders(void)
{
	struct library l = {0};
	scratch_file("alpha/gemm.csv", GEMM);
	scratch_file("alpha/MANIFEST", "gpu = H100 SXM\n");
	const struct library_folder *f = library_folder(&l, scratch, 0);
	ok(f && f->set.n == 2 && f->gpu.n == 2, "a folder's sets");
	is(f->gpu.item[0], "H100 SXM", "the GPU that its MANIFEST names");
	is(f->gpu.item[1], "beta", "or the set's name");
	ok(library_folder(&l, scratch, 0) == f, "listed once");
	library_free(&l);
	scratch_file("alpha/MANIFEST", "gpu = H100 SXM\nauto = no\n");
	f = library_folder(&l, scratch, 0);
	ok(f && f->set.n == 2, "a set that is used only by its name");
	is(f->gpu.item[0], "", "is chosen for no GPU");
	library_free(&l);
}

int main(void)
{
	scratch_open();
	once();
	folders();
	return done();
}
