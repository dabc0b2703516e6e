#include "tables/table.h"
#include "stepcost/table.h"
#include "tap.h"

static void by_hand(void)
{
	static const char *const name[] = {"dtype", "m"};
	struct table t = {.op = strdup("gemm"), .origin = strdup("here")};
	char word[10];
	int right = 1;
	ok(!table_set_columns(&t, 2, name), "two columns");
	ok(table_column(&t, "m") == 1 && table_column(&t, "n") == -1,
	   "found by name");
	for (int i = 0; i < 1000; i++) {
		snprintf(word, sizeof word, "w%d", i);
		const struct table_cell cell[] = {{word, 0}, {NULL, i / 4.}};
		right &= table_append(&t, (uint64_t)(2 * i), cell) == 0;
	}
	table_show(&t);
	ok(right && t.view.n_rows == 1000 && t.view.n_cols == 2, "rows");
	ok(!strcmp(t.view.text[0][999], "w999") && !t.view.text[1] &&
	       sc_column(&t.view, "m")[999] == 249.75 && !t.view.col[0] &&
	       t.line[999] == 1998,
	   "words are copied, numbers are as they were");
	is(t.view.op, "gemm", "plugins see whose it is");
	table_free(&t);
	ok(!t.op && t.view.n_rows == 0, "freed, it is empty");
}

static void twice(void)
{
	static const char *const name[] = {"m", "n", "m"};
	struct table t = {0};
	const char *why = table_set_columns(&t, 3, name);
	is(why ? why : "(accepted)", "a column twice", "a column twice");
	table_free(&t);
}

int main(void)
{
	by_hand();
	twice();
	return done();
}
