#include "base/csv.h"
#include "tap.h"

static void number(double v, const char *want)
{
	char *got = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&got, &n);
	if (!f)
		bail_out("open_memstream");
	csv_number(f, v);
	fclose(f);
	is(got, want, "%a is written %s", v, *want ? want : "as nothing");
	free(got);
}

static void text(const char *cell, const char *want)
{
	char *got = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&got, &n);
	if (!f)
		bail_out("open_memstream");
	csv_text(f, cell);
	fclose(f);
	is(got, want, "a text is written %s", want);
	free(got);
}

static void next_cells(void)
{
	char *got = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&got, &n);
	if (!f)
		bail_out("open_memstream");
	csv_text(f, "a");
	csv_next_text(f, "b,c");
	csv_next_number(f, 1.5);
	csv_next_number(f, (double)NAN);
	fclose(f);
	is(got, "a,\"b,c\",1.5,", "a comma parts a cell from the one before");
	free(got);
}

static const char *collect(void *user, uint64_t row, uint32_t n,
			   char *const *cell)
{
	char *all = user;
	for (uint32_t i = 0; i < n; i++)
		sprintf(all + strlen(all), "%u%s", (unsigned)row, cell[i]);
	return !strcmp(cell[0], "stop") ? "stopped" : NULL;
}

static int read_text(const char *text, char *all, struct problem *err)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	if (!f)
		bail_out("fmemopen");
	all[0] = err->text[0] = '\0';
	int rc = csv_read(f, "f", collect, all, err);
	fclose(f);
	return rc;
}

/* Whatever a text begins with, or holds, it reads back as it was. */
static void there_and_back(void)
{
	static const char *const part[] = {"=",  "+", "-",  "@", "\t", "\r",
					   "\n", "'", "\"", ",", " ",  "a"};
	enum { N = sizeof part / sizeof *part };
	char text[16], file[64], want[64], all[99];
	int wrong = 0;
	for (int i = 0; i < N * N * N; i++) {
		struct problem err;
		snprintf(text, sizeof text, "%s%s%s", part[i / N / N],
			 part[i / N % N], part[i % N]);
		FILE *f = fmemopen(file, sizeof file, "w");
		fputs("a\n", f);
		csv_text(f, text);
		putc('\n', f);
		fclose(f);
		snprintf(want, sizeof want, "0a1%s", text);
		wrong += read_text(file, all, &err) < 0 || strcmp(all, want);
	}
	ok(wrong == 0, "%d of %d texts read back as others", wrong, N * N * N);
}

int main(void)
{
	char all[99];
	struct problem err;
	number(100, "100");
	number(0.1, "0.1");
	number(1 / 3., "0.3333333333333333");
	number(0.1 + 0.2, "0.30000000000000004");
	number(-2.5e30, "-2.5e+30");
	number(NAN, "");
	ok(read_text("a,b\r\n\r\n\"x,y\", z \r\n", all, &err) == 0, "%s",
	   err.text);
	is(all, "0a0b1x,y1z", "quotes, blanks, CRLF, an empty line");
	ok(read_text("a,b\n\n1,2\nstop,\n3,4\n", all, &err) < 0, "stopped");
	is(err.text, "f:4: stopped", "at its line");
	ok(!strchr(all, '3'), "and read no further");
	ok(read_text("a,b\r\n1,2\r\nstop", all, &err) < 0, "CRLF, cut");
	is(err.text, "f:3: fewer cells than the header: the file is cut short",
	   "at its line");
	ok(read_text("a,b\r\n1,2\r\nstop,4", all, &err) < 0, "no line end");
	is(err.text, "f:3: stopped", "at its line");
	ok(read_text("a,b\n\"1\n\",2\nstop,4\n", all, &err) < 0, "quoted");
	is(err.text, "f:4: stopped", "a line end in quotes is one");
	ok(read_text("\xef\xbb\xbf\"a\",b\n1,2\n", all, &err) == 0, "%s",
	   err.text);
	is(all, "0a0b1112", "without a byte order mark");
	ok(read_text("version https://git-lfs.github.com/spec/v1\n", all,
		     &err) < 0,
	   "a git-LFS pointer");
	is(err.text,
	   "f:1: is a git-LFS pointer, not the data: run git lfs pull",
	   "is told");
	next_cells();
	text("=1+1", "'=1+1");
	text("'=1+1", "''=1+1");
	text("a\tb", "\"a\tb\"");
	text("\033[2J", "\\x1b[2J");
	text("'tis", "'tis");
	text("\ra", "\"'\ra\"");
	text("\n=a", "\"'\n=a\"");
	text("=a\r\nb\033", "\"'=a\r\nb\\x1b\"");
	there_and_back();
	ok(read_text("a,b\n'=x,''-y\n'z,'\n", all, &err) == 0, "%s", err.text);
	is(all, "0a0b1=x1'-y2'z2'", "formulas read back as text");
	FILE *folder = fopen(".", "r");
	ok(folder && csv_read(folder, "f", collect, all, &err) < 0 &&
	       err.code == EXIT_USAGE,
	   "a folder: %s", err.text);
	fclose(folder);
	return done();
}
