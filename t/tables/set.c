#include "tables/set.h"
#include "cost/kernel_op.h"
#include "scratch.h"
#include "stepcost/kernel/operator_rows.h"

static void sets(void)
{
	struct table_set s;
	struct problem err;
	char path[4096];
	const char *top = getenv("top_srcdir");

	snprintf(path, sizeof path, "%s/bench_data", top ? top : ".");
	if (set_load(&s, path, "h100-sxm.infersim", 0, &err) < 0)
		bail_out(err.text);
	const sc_setup setup = {
	    .size = sizeof setup, .n_tables = s.n, .table = s.view};
	const sc_table *t = sc_table_of(&setup, "gemm");
	ok(t && !sc_table_of(&setup, "gem"), "a table by op");
	is(t->set, "h100-sxm.infersim", "it knows its set");
	ok(sc_column(t, "m") && !sc_column(t, "mfu"), "a column by name");
	is(sc_note(t, "licence"), "Apache-2.0", "a note from the MANIFEST");
	near(sc_note_number(t, "gemm_peak_tflops"), 1979, 0, "a number");
	ok(isnan(sc_note_number(t, "source")), "a note that is no number");
	ok(!sc_note(t, "nope"), "no such note");
	set_free(&s);
	ok(set_load(&s, path, "nope", 0, &err) < 0, "no such set");
	ok(strstr(err.text, "nope: No such file"), "says so");
	scratch_folder("bare");
	scratch_file("bare/gemm.csv", "m,n,k,latency_us\n1,2,3,4\n");
	ok(set_load(&s, scratch_path("bare"), "", 0, &err) == 0 && s.n == 1,
	   "tables without a folder around them are a set without a name");
	set_free(&s);
	ok(set_load(&s, path, "", 0, &err) < 0, "no tables: %s",
	   strrchr(err.text, ':'));
}

#define GEMM "m,n,k,latency_us\n1,2,3,4\n"

static void finding(void)
{
	struct names names = {0};
	struct problem err;
	char buf[200];
	scratch_folder("data/bench_data/alpha");
	scratch_folder("data/bench_data/beta");
	scratch_folder("data/bench_data/empty");
	scratch_folder("data/bench_data/gemm/gamma");
	scratch_folder("own/alpha");
	scratch_file("data/bench_data/alpha/gemm.csv", GEMM);
	scratch_file("data/bench_data/beta/other.csv", GEMM);
	scratch_file("data/bench_data/gemm/gamma/data.csv", GEMM);
	scratch_file("own/alpha/gemm.csv", GEMM);
	setenv("STEPCOST_DATA_PATH", scratch_path("data"), 1);
	ok(set_names(&names, scratch_path("data/bench_data"), 0) == 0,
	   "listed");
	is(names_join(&names, buf, sizeof buf), "alpha, gamma",
	   "folders with a table by the name of an op, and InferSim's");
	names_free(&names);
	char *path = set_find(NULL, NULL, "alpha", &err);
	is(path ? path : err.text, scratch_path("data/bench_data"),
	   "in the data folders");
	free(path);
	path = set_find(scratch_path("own"), NULL, "alpha", &err);
	is(path ? path : err.text, scratch_path("own"), "in a folder given");
	free(path);
	path = set_find(scratch_path("own"), NULL, "gamma", &err);
	ok(!path && err.code == EXIT_USAGE &&
	       strstr(err.text, "there are: alpha"),
	   "and there alone: %s", err.text);
	path = set_find(scratch_path("own"), "bench_data", "gamma", &err);
	is(path ? path : err.text, scratch_path("data/bench_data"),
	   "unless a configuration spells it as the data folders do");
	free(path);
	path = set_find(NULL, NULL, "alpah", &err);
	ok(!path && strstr(err.text, "(did you mean 'alpha'?)"), "%s",
	   err.text);
	path = set_find(scratch_path("own"), "", "gamma", &err);
	is(path ? path : err.text, scratch_path("data/bench_data"),
	   "or leaves it empty");
	free(path);
	path = set_find(scratch_path("own"), "./own", "gamma", &err);
	ok(!path && err.code == EXIT_USAGE,
	   "a path that is written is no data folder");
	path =
	    set_find(scratch_path("own"), scratch_path("own"), "gamma", &err);
	ok(!path && err.code == EXIT_USAGE, "a whole path neither");
	ok(!set_find(scratch_path("own"), NULL, "", &err) &&
	       strstr(err.text, "no set of tables ''"),
	   "an empty name is that of no set: %s", err.text);
	static const char *const paths[] = {".alpha", "data/.alpha",
					    "../alpha"};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		ok(!set_find(NULL, NULL, paths[i], &err) &&
		       strstr(err.text,
			      "the name of a folder in [tables] path"),
		   "%s is a path", paths[i]);
	scratch_file("data/bench_data/README", "no folder\n");
	ok(set_names(&names, scratch_path("data/bench_data"), 0) == 0 &&
	       names.n == 2,
	   "a file is no set");
	names_free(&names);
	scratch_folder("void");
	ok(!set_find(scratch_path("void"), NULL, "alpha", &err) &&
	       strstr(err.text, "void; there are: none"),
	   "a folder without sets: %s", err.text);
	unsetenv("STEPCOST_DATA_PATH");
}

static void on_bad(void *user, const struct problem *q)
{
	snprintf(user, 1000, "%s", q->text);
}

static void bad_tables(void)
{
	struct table_set s;
	struct problem err;
	char told[1000] = "";
	const struct table_bad bad = {on_bad, told};
	scratch_file("own/alpha/all_reduce.csv",
		     "ranks,message_bytes,latency_us\n2,1024,x\n");
	ok(set_load(&s, scratch_path("own"), "alpha", 0, &err) < 0 &&
	       err.code == EXIT_INPUT,
	   "a bad table costs its set");
	ok(set_load_some(&s, scratch_path("own"), "alpha", &bad, &err) == 0 &&
	       s.n == 1 && !strcmp(s.view[0]->op, "gemm") &&
	       strstr(told, "all_reduce.csv:2: not a finite number"),
	   "or only itself, where it is told: %s", told);
	set_free(&s);
	scratch_file("own/alpha/all_reduce.csv",
		     "dtype,ranks,message_bytes,latency_us\nfp6,2,1024,3\n");
	ok(set_load(&s, scratch_path("own"), "alpha", 0, &err) == 0 &&
	       s.n == 1 && s.left_out.n == 1 &&
	       strstr(s.left_out.item[0], "all_reduce.csv:2: dtype is none of"),
	   "one in an unknown format costs itself");
	set_free(&s);
	scratch_file("own/alpha/all_reduce.csv",
		     "ranks,message_bytes,latency_us\n2,1024,3\n");
	scratch_file("own/alpha/MANIFEST", "not_priced = moe, all_reduce\n");
	ok(set_load(&s, scratch_path("own"), "alpha", 0, &err) == 0 &&
	       s.n == 1 && !strcmp(s.view[0]->op, "gemm"),
	   "one that is not to be priced with is not loaded");
	set_free(&s);
	ok(set_load_some(&s, scratch_path("own"), "alpha", &bad, &err) == 0 &&
	       s.n == 2,
	   "unless all are wanted");
	set_free(&s);
	scratch_file("own/alpha/MANIFEST", "not_priced = all_reducf\n");
	ok(set_load(&s, scratch_path("own"), "alpha", 0, &err) == 0 && s.n == 2,
	   "a name that only has its length is another's");
	set_free(&s);
	scratch_file("own/alpha/MANIFEST", "[section]\nx = 1\n");
	ok(set_load_some(&s, scratch_path("own"), "alpha", &bad, &err) < 0 &&
	       err.code == EXIT_INPUT &&
	       strstr(err.text, "a MANIFEST has no sections"),
	   "a bad MANIFEST costs the set: %s", err.text);
	scratch_file("own/alpha/MANIFEST", "m\372\021 = \004x\n");
	ok(set_load_some(&s, scratch_path("own"), "alpha", &bad, &err) < 0 &&
	       err.code == EXIT_INPUT &&
	       strstr(err.text, "MANIFEST:1: the key is no text"),
	   "and so does one of bytes that happen to have a =: %s", err.text);
	scratch_file("own/alpha/MANIFEST", "m\177 = x\n");
	ok(set_load_some(&s, scratch_path("own"), "alpha", &bad, &err) < 0 &&
	       strstr(err.text, "MANIFEST:1: the key is no text"),
	   "DEL is no text: %s", err.text);
	struct ini manifest;
	ok(set_manifest(&manifest, scratch_path("own"), "alpha/gemm.csv",
			&err) < 0 &&
	       err.code == EXIT_INPUT && strstr(err.text, "Not a directory"),
	   "a file in place of the set: %s", err.text);
	ini_free(&manifest);
}

/* Of experts without a gate: a list that is damaged is refused where it stands,
 * since a cost model would take it for an empty one. */
static void lists_of_shapes(void)
{
	static const char *const good[] = {"1-2-3-4", "1-2-3-4, 5-6-7-8", ""};
	static const char *const bad[] = {"1-2-3",   "1-2-3-4 5-6-7-8",
					  "a-2-3-4", "1-2-3-4, 5-6-7",
					  "1-2-3-",  "1,2,3,4"};
	struct table_set s;
	struct problem err;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		char text[100];
		snprintf(text, sizeof text, "gpu = x\nungated_experts = %s\n",
			 good[i]);
		scratch_file("own/alpha/MANIFEST", text);
		ok(set_load(&s, scratch_path("own"), "alpha", 0, &err) == 0,
		   "'%s' is a list of shapes", good[i]);
		set_free(&s);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char text[100];
		snprintf(text, sizeof text, "gpu = x\nungated_experts = %s\n",
			 bad[i]);
		scratch_file("own/alpha/MANIFEST", text);
		ok(set_load(&s, scratch_path("own"), "alpha", 0, &err) < 0 &&
		       err.code == EXIT_INPUT &&
		       strstr(err.text, "MANIFEST:2: ungated_experts"),
		   "'%s' is none: %s", bad[i], err.text);
	}
	const double first[] = {2688, 1856, 128, 6}, last[] = {1, 2, 3, 22},
		     none[] = {2688, 1856, 128, 7};
	const char *list = "2688-1856-128-6, 1-2-3-22";
	ok(sc_op_lists_shape(list, first) && sc_op_lists_shape(list, last) &&
	       !sc_op_lists_shape(list, none) &&
	       !sc_op_lists_shape(NULL, first) && !sc_op_lists_shape("", first),
	   "a shape is in a list, or not");
}

/* Tables that only some layers use are left where no model has such layers. */
static void of_layers(void)
{
	struct table_set s;
	struct problem err;
	struct names names = {0};
	scratch_folder("some");
	scratch_folder("some/a");
	scratch_folder("some/b");
	scratch_file("some/a/gemm.csv", "m,n,k,latency_us\n1,2,3,4\n");
	scratch_file("some/a/mhc.csv",
		     "op,hidden,mult,tokens,latency_us\npre,8,4,1,2\n");
	scratch_file("some/b/mhc.csv",
		     "op,hidden,mult,tokens,latency_us\npre,8,4,1,2\n");
	ok(set_load(&s, scratch_path("some"), "a", KERNEL_OF_GDN, &err) == 0 &&
	       s.n == 1 && !strcmp(s.view[0]->op, "gemm"),
	   "another model's table is not read");
	set_free(&s);
	ok(set_load(&s, scratch_path("some"), "a", KERNEL_OF_CSA, &err) == 0 &&
	       s.n == 2,
	   "its own is");
	set_free(&s);
	ok(set_names(&names, scratch_path("some"), KERNEL_OF_GDN) == 0 &&
	       names.n == 1,
	   "a set of others' tables alone is none");
	names_free(&names);
	ok(set_names(&names, scratch_path("some"), KERNEL_OF_ANY) == 0 &&
	       names.n == 2,
	   "but listed");
	names_free(&names);
}

int main(void)
{
	scratch_open();
	sets();
	finding();
	bad_tables();
	lists_of_shapes();
	of_layers();
	return done();
}
