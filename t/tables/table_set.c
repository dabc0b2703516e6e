/* Tables of a set, and the files that they were read from. */
#include "tables/table_set.h"
#include "scratch.h"
#include "tables/table_csv.h"

static struct table_set s;
static struct problem p;
static char told[400];

static int read_file(const char *name, struct table *t)
{
	const struct table_file of = {.name = (char *)(uintptr_t)name};
	p = (struct problem){0};
	return table_set_read(&s, t, scratch, &of, &p);
}

static void taken(void)
{
	struct table t;
	scratch_file("gemm.csv", "m,n,k,latency_us\n1,2,3,4\n");
	scratch_file("more.csv", "m,n,k,latency_us\n1,2,3,4\n5,6,7,8\n");
	ok(read_file("gemm.csv", &t) == 0 && table_set_take(&s, &t, &p) == 0 &&
	       read_file("more.csv", &t) == 0 &&
	       table_set_take(&s, &t, &p) == 0 && s.n == 2 && s.n_files == 2,
	   "two tables of two files: %s", p.text);
	ok(!t.head && s.table[1]->view.n_rows == 2, "a table is moved");
	is(s.file[0].name, "gemm.csv", "a file has its name");
	is(s.file[0].sha256,
	   "0a0a91e2cb0d81ee63269cc1df6a7fa21a14f9d8113992d590ddceb400a1d874",
	   "and the hash of its bytes");
}

static void refused(const char *name, int code, const char *want)
{
	struct table t = {0};
	uint32_t before = s.n_files;
	if (!ok(read_file(name, &t) < 0 && p.code == code &&
		    strstr(p.text, want) && s.n_files == before && !t.head,
		"%s", want))
		printf("# got %s\n", p.text);
}

static void faults(void)
{
	scratch_file("data.csv.gz", "x");
	scratch_file("bad.csv", "m,n\n1,x\n");
	refused("none.csv", EXIT_USAGE, "none.csv: No such file");
	refused("data.csv.gz", EXIT_INPUT, "gz:1: compressed: unpack it first");
	refused("bad.csv", EXIT_INPUT, "bad.csv:2: not a finite number");
}

static void on_bad(void *user, const struct problem *q)
{
	snprintf(user, sizeof told, "%.390s", q->text);
}

static void outcomes(void)
{
	const struct table_bad bad = {on_bad, told};
	problem_set(&p, EXIT_INPUT, "x.csv:2: dtype is none of them");
	ok(table_set_tell(&s, NULL, 0, &p) == 0 &&
	       table_set_tell(&s, &bad, 0, &p) == 0 && !*told,
	   "a table that was read");
	ok(table_set_tell(&s, NULL, -1, &p) == -1, "one that could not be");
	ok(table_set_tell(&s, &bad, -1, &p) == 0, "is only told of");
	is(told, "x.csv:2: dtype is none of them", "with its line");
	*told = '\0';
	ok(table_set_tell(&s, NULL, TABLE_FOREIGN, &p) == 0 &&
	       table_set_tell(&s, &bad, TABLE_FOREIGN, &p) == 0 && !*told &&
	       s.left_out.n == 2,
	   "one in a format that nobody knows is left out");
}

static void names(void)
{
	static const struct {
		const char *name;
		int is_file;
	} of[] = {{"gemm.csv", 1},    {"data.csv.gz", 1}, {".gemm.csv", 0},
		  {"gemm.csv.xz", 0}, {"csv", 0},         {"MANIFEST", 0}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct dirent d = {0};
		snprintf(d.d_name, sizeof d.d_name, "%s", of[i].name);
		ok(table_set_is_file(&d) == of[i].is_file, "%s is %s table",
		   of[i].name, of[i].is_file ? "a" : "no");
	}
}

int main(void)
{
	scratch_open();
	taken();
	faults();
	outcomes();
	names();
	table_set_clear(&s);
	ok(!s.n && !s.n_files && !s.table && !s.file, "all is freed");
	names_free(&s.left_out);
	return done();
}
