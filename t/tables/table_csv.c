#include "tables/table_csv.h"
#include "stepcost/table.h"
#include "tap.h"

static int load_bytes(const char *text, size_t n, struct table *t,
		      struct problem *err)
{
	FILE *f = n ? fmemopen((void *)(uintptr_t)text, n, "r")
		    : fopen("/dev/null", "r");
	if (!f)
		bail_out("fmemopen");
	int rc = table_read(t, f, "a/x.csv", NULL, err);
	fclose(f);
	return rc;
}

static int load(const char *text, struct table *t, struct problem *err)
{
	return load_bytes(text, strlen(text), t, err);
}

static void refused(const char *text, const char *want)
{
	struct table t;
	struct problem err = {0, "(accepted)"};
	load(text, &t, &err);
	is(err.text, want, "refused: %s", want);
}

static void reads(void)
{
	struct table t;
	struct problem err = {0};
	char many[4096] = "dtype,m\n";

	ok(load("m,mfu\n1,0.5\n2,0.25", &t, &err) == 0, "no final newline");
	ok(t.view.n_rows == 2 && t.view.n_cols == 2, "2x2");
	near(t.view.col[1][1], 0.25, 0, "value");
	is(t.view.op, "x", "the file's name is the op");
	table_free(&t);
	ok(load("dtype,m\nbf16,1\nfp8,2\n", &t, &err) == 0 && !t.view.col[0] &&
	       !strcmp(t.view.text[0][1], "fp8"),
	   "a column of words");
	table_free(&t);
	for (int i = 0; i < 200; i++)
		strcat(many, "bf16,1\n");
	ok(load(many, &t, &err) == 0 && t.view.n_rows == 200, "many rows");
	table_free(&t);
	strcat(many, "bf16,x\n");
	refused(many, "a/x.csv:202: not a finite number");
	refused("m,mfu\n1,2\n\n1,abc\n", "a/x.csv:4: not a finite number");
	refused("m,mfu\n1\n", "a/x.csv:2: fewer cells than the header");
	refused("m,mfu\n1,2,3\n", "a/x.csv:2: more cells than the header");
	refused("m,mfu\n1,2x\n", "a/x.csv:2: not a finite number");
	refused("m,mfu\n1,nan\n", "a/x.csv:2: not a finite number");
	refused("m,mfu\n1,1e999\n", "a/x.csv:2: not a finite number");
	refused("m,mfu\n1,\n", "a/x.csv:2: not a finite number");
	refused("m,m\n", "a/x.csv:1: a column twice");
	refused("m,mfu\n", "a/x.csv:1: no rows");
	refused("", "a/x.csv:1: is empty: nothing was written to it; make it "
		    "again, or name another file");
	refused("dtype,m\n\nbf16,1\nfp9,2\n",
		"a/x.csv:4: dtype is none of fp32, fp16, bf16, fp8, int8, fp4, "
		"int4, fp8_block, nvfp4, mxfp4, w4a16_mxfp4, w4a8_mxfp4_mxfp8, "
		"w4a4_mxfp4, w4a16, w8a16");
	refused("m,latency_us\n1,x\n", "a/x.csv:2: not a finite number");
	refused("m,latency_us\r\n1,2\r\n1,0", "a/x.csv:3: latency_us is 0");
	refused("m,latency_us\n0.5,1\n", "a/x.csv:2: not a whole number");
	refused("version https://git-lfs.github.com/spec/v1\noid x\n",
		"a/x.csv:1: is a git-LFS pointer, not the data: run git lfs "
		"pull");
	ok(load("\xef\xbb\xbfm,\"mfu\"\n\"1\",0.5\n\n2,1\n", &t, &err) == 0,
	   "a byte order mark, quotes, an empty line: %s", err.text);
	ok(sc_column(&t.view, "m") && sc_column(&t.view, "mfu") &&
	       t.line[0] == 2 && t.line[1] == 4,
	   "by name, and the lines are known");
	table_free(&t);
	ok(load_bytes("m,mfu\n1,2\0\n", 11, &t, &err) < 0, "NUL: %s", err.text);
	ok(load("m,mfu\n1,\"2\n", &t, &err) < 0, "open quote: %s", err.text);
}

static void formats(void)
{
	struct table t;
	struct problem err = {0};
	ok(load("dtype,kv_dtype,kernel,m\nbfloat16,fp8,3d,1\nw8a8_int8,fp8,3d,"
		"2\n",
		&t, &err) == 0 &&
	       !strcmp(t.view.text[0][0], "bf16") &&
	       !strcmp(t.view.text[0][1], "int8"),
	   "formats by the first of their names: %s", err.text);
	ok(t.view.text[2] && t.view.text[2][0] == t.view.text[2][1],
	   "words are words whatever they begin with, and kept once");
	table_free(&t);
	ok(load("dtype,m\nfp6,1\n", &t, &err) == TABLE_FOREIGN &&
	       err.code == EXIT_INPUT && strstr(err.text, "a/x.csv:2: dtype"),
	   "a format that nobody knows: %s", err.text);
	ok(load("gemm_dtype,m\nfp6,1\n", &t, &err) == TABLE_FOREIGN, "%s",
	   err.text);
	ok(load("dtype,m\nbf16,x\n", &t, &err) == -1, "another fault");
}

static void wide(void)
{
	struct table t;
	struct problem err = {0};
	ok(load("dtype,n,k,m=1,m=8,m=16\nbf16,2,3,5,,7.5\nfp8,2,3,,6,\n", &t,
		&err) == 0,
	   "written wide: %s", err.text);
	ok(t.view.n_cols == 5 && t.view.n_rows == 3 &&
	       !strcmp(t.view.col_name[3], "m") &&
	       !strcmp(t.view.col_name[4], "latency_us"),
	   "a row for each time");
	ok(sc_column(&t.view, "m")[1] == 16 &&
	       sc_column(&t.view, "latency_us")[1] == 7.5 &&
	       sc_column(&t.view, "m")[2] == 8 &&
	       !strcmp(t.view.text[0][2], "fp8") && t.line[1] == 2 &&
	       t.line[2] == 3,
	   "with its axis, and the line of the file");
	table_free(&t);
	ok(load("m=1,m=2\n3,4\n", &t, &err) == 0 && t.view.n_rows == 2,
	   "and nothing else");
	table_free(&t);
	refused("n,m=1,m=2\n1,,\n", "a/x.csv:2: no time");
	refused("n,m=1,m=2\n1,2,0\n", "a/x.csv:2: latency_us is 0");
	refused("n,m=1,m=2\n1,2,x\n", "a/x.csv:2: not a finite number");
	refused("n,m=1,k=2\n1,2,3\n",
		"a/x.csv:1: columns AXIS=VALUE of more than one axis");
	refused("n,m=1,k\n1,2,3\n", "a/x.csv:1: columns AXIS=VALUE come last");
	refused("m,m=1\n1,2\n", "a/x.csv:1: a column twice");
	refused("latency_us,m=1\n1,2\n", "a/x.csv:1: a column twice");
}

static void headless(void)
{
	static const char *const columns[] = {"dtype", "m", NULL};
	const char text[] = "bf16,1\nbf16,2\n", named[] = "m,x\n1,2\n";
	struct table t;
	struct problem err = {0};
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	ok(f && table_read(&t, f, "a/x.csv", columns, &err) == 0 &&
	       t.headless && t.view.n_rows == 2 &&
	       sc_column(&t.view, "m")[0] == 1,
	   "a file without a header");
	table_free(&t);
	fclose(f);
	f = fmemopen((void *)(uintptr_t)named, strlen(named), "r");
	ok(f && table_read(&t, f, "a/x.csv", columns, &err) == 0 &&
	       !t.headless && t.view.n_rows == 1,
	   "one with a header of its own");
	table_free(&t);
	fclose(f);
}

/* Names with an '=' that are no AXIS=VALUE, and other columns of no kind. */
static void odd_columns(void)
{
	static const char *const name[] = {"=1", "m=x", "m=", "m=inf", "m=-1"};
	struct table t;
	struct problem err = {0};
	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		char text[40];
		snprintf(text, sizeof text, "%s,k\n5,2\n", name[i]);
		ok(load(text, &t, &err) == 0 && t.view.n_cols == 2 &&
		       sc_column(&t.view, name[i])[0] == 5,
		   "'%s' is a name: %s", name[i], err.text);
		table_free(&t);
	}
	refused("n,m=1,mm=2\n1,2,3\n",
		"a/x.csv:1: columns AXIS=VALUE of more than one axis");
	refused("mine\ninf\n", "a/x.csv:2: not a finite number");
	ok(load("dtype,m\nunknown,1\n", &t, &err) == 0 &&
	       !strcmp(t.view.text[0][0], "unknown"),
	   "an unknown format may be said to be one");
	table_free(&t);
	FILE *f = fmemopen((void *)(uintptr_t) "m,k\n1,2\n", 8, "r");
	ok(f && table_read(&t, f, "gemm", NULL, &err) == 0 &&
	       !strcmp(t.view.op, "gemm"),
	   "a file without a folder and an ending");
	table_free(&t);
	fclose(f);
}

int main(void)
{
	reads();
	formats();
	wide();
	headless();
	odd_columns();
	return done();
}
