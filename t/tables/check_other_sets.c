/* A table against those of the other sets in its folder. */
#include "tables/check_other_sets.h"
#include "findings.h"
#include "scratch.h"

static void write_set(const char *set, const char *gpu, const char *kernel,
		      const char *dtype, double us)
{
	char name[100];
	scratch_folder(set);
	snprintf(name, sizeof name, "%s/MANIFEST", set);
	scratch_file(name, gpu);
	snprintf(name, sizeof name, "%s/moe.csv", set);
	FILE *f = fopen(scratch_path(name), "w");
	fputs("dtype,kernel,routing,tokens,hidden,inter,experts,topk,tp,ep,"
	      "latency_us\n",
	      f);
	for (int t = 1; t <= 1 << 19; t *= 2)
		fprintf(f, "%s,%s,balanced,%d,2048,768,128,8,1,1,%g\n", dtype,
			kernel, t, us + t);
	fclose(f);
}

static void check(const char *name)
{
	struct library l = {0};
	struct checked_table c;
	struct other_sets other_sets;
	struct problem p;
	char path[100];
	const struct table_set *s = library_set(&l, scratch, name, 0, &p);
	snprintf(path, sizeof path, "%s/moe.csv", name);
	said[0] = '\0';
	if (!s || other_sets_find(&other_sets, &l, scratch, s) < 0)
		bail_out(p.text);
	ok(checked_table_open(&c, scratch_path(path), NULL, note_finding, NULL,
			      &p) == 0 &&
	       tables_check_other_sets(&c, &s->file[0], &other_sets, &p) == 0,
	   "%s", name);
	checked_table_close(&c);
	other_sets_free(&other_sets);
	library_free(&l);
}

int main(void)
{
	scratch_open();
	write_set("slow", "gpu = H9 SXM\n", "a", "fp8", 1e7);
	write_set("fast", "gpu = H9 SXM 80GB\n", "b", "fp8", 3e6);
	write_set("fair", "gpu = H9 SXM\n", "c", "fp8", 2.4e6);
	check("slow");
	says("2 not_tuned: fp8 a balanced: 4.2 times what other sets of this "
	     "GPU take, in the median of 20 points");
	check("fast");
	is(said, "", "engines differ by less than 2.5");
	write_set("slow", "gpu = A9 SXM\n", "a", "fp8", 1e7);
	check("slow");
	is(said, "", "another GPU is no measure");
	write_set("slow", "gpu = H9 SXM\n", "a", "bf16", 1e7);
	check("slow");
	is(said, "", "nor is another number format");
	write_set("slow", "gpu = A9 SXM\n", "c", "fp8", 2.4e6);
	check("slow");
	is(said,
	   "0 same_file: the same bytes as fair/moe.csv, which is of another "
	   "GPU: H9 SXM\n",
	   "one file for two GPUs");
	return done();
}
