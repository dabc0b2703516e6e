#include "base/file/filetype.h"
#include <string.h>
#include "tap.h"

static void is_not_text(const char *head, size_t n, const char *want)
{
	const char *got = filetype_not_text(head, n);
	if (ok(got && strstr(got, want), "%s", want) && n > 1)
		ok(!filetype_not_text(head, n - 1), "but not a byte earlier");
}

static void bad_json(const char *text, uint64_t line, const char *want)
{
	struct problem p;
	json_error_t e;
	json_t *top = json_loadb(text, strlen(text), 0, &e);
	ok(top == NULL, "no JSON: %s", text);
	json_decref(top);
	ok(filetype_bad_json(&e, "a.json", line, &p) < 0 &&
	       p.code == EXIT_INPUT,
	   "refused");
	is(p.text, want, "%s", want);
}

static void json(void)
{
	bad_json("", 1,
		 "a.json:1: is empty: nothing was written to it; make it "
		 "again, or name another file");
	bad_json("{\n\"a\": [1, 2", 1,
		 "a.json:2: the file is cut short: ']' expected near end of "
		 "file");
	bad_json("{\n\"a\": [1, 2", 10,
		 "a.json:11: the file is cut short: ']' expected near end of "
		 "file");
	bad_json("{\"a\" 1}", 1, "a.json:1: not JSON: ':' expected near '1'");
}

int main(void)
{
	is_not_text("\x1f\x8b", 2, "gzip");
	is_not_text("\x28\xb5\x2f\xfd", 4, "zstd");
	is_not_text("\xfd"
		    "7zXZ",
		    5, "xz");
	is_not_text("BZh", 3, "bzip2");
	is_not_text("PK\x03\x04", 4, "zip archive");
	is_not_text("PAR1", 4, "Parquet");
	is_not_text("\xff\xfe", 2, "UTF-16");
	is_not_text("version https://git-lfs", 23, "git lfs pull");
	is_not_text("<!DOCTYPE", 9, "a web page");
	is_not_text("<html", 5, "a web page");
	ok(!filetype_not_text("", 0), "nothing is text");
	ok(!filetype_not_text("m,n,k\n1,2,3\n", 12), "CSV is text");
	ok(!filetype_not_text("{\"a\": 1}", 8), "JSON is text");
	ok(!filetype_not_text(" PAR1", 5), "only the first bytes tell");
	ok(filetype_bom("\xef\xbb\xbfx", 4) == 3 &&
	       filetype_bom("\xef\xbb\xbf", 3) == 3,
	   "a byte order mark is three bytes");
	ok(filetype_bom("\xef\xbb", 2) == 0 && filetype_bom("abc", 3) == 0 &&
	       filetype_bom("", 0) == 0,
	   "less of it, or none, is none");
	json();
	return done();
}
