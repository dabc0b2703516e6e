/* A table that fits the lines, or is stacked. */
#include "report/columns.h"
#include <math.h>
#include <stdlib.h>
#include "tap.h"

static char *written(const struct columns *c, size_t width)
{
	static char *out;
	size_t size;
	free(out);
	out = NULL;
	FILE *f = open_memstream(&out, &size);
	columns_write(c, f, width, 0);
	fclose(f);
	return out;
}

/* Two columns say what a row is about, and each part repeats them. */
static void of_subjects(void)
{
	struct columns c = {.n_groups = 1,
			    .per_group = 4,
			    .n_repeated = 1,
			    .are_labels_right = 1};
	columns_row(&c, "long\nname");
	columns_words(&c, 0, 0, "arm");
	columns_cell(&c, 0, 1, "first_\nfigure");
	columns_cell(&c, 0, 2, "second");
	columns_row(&c, "1");
	columns_words(&c, 0, 0, "a");
	columns_cell(&c, 0, 1, "11");
	columns_cell(&c, 0, 2, "12");
	columns_words(&c, 0, 3, "[1]");
	columns_row(&c, "2");
	columns_words(&c, 0, 0, "b");
	columns_remark(&c, 0, 1, "failed for a long reason");
	is(written(&c, 60),
	   "long       first_\n"
	   "name  arm  figure  second\n"
	   "   1  a        11      12  [1]\n"
	   "   2  b    failed for a long reason\n",
	   "names have lines, and a remark runs over empty cells");
	is(written(&c, 24),
	   "long       first_\n"
	   "name  arm  figure\n"
	   "   1  a        11\n"
	   "   2  b    failed for a\n"
	   "           long reason\n"
	   "\n"
	   "long\n"
	   "name  arm  second\n"
	   "   1  a        12  [1]\n"
	   "   2  b\n",
	   "each part says what its rows are about");
	ok(!c.failed, "memory was enough");
	columns_free(&c);
	struct columns alone = {.n_groups = 1, .per_group = 1};
	columns_row(&alone, "a");
	columns_row(&alone, "1");
	columns_remark(&alone, 0, 0, "refused");
	is(written(&alone, 80), "a\n1  refused\n", "a remark alone");
	columns_free(&alone);
}

static void begun(void)
{
	static const char *const head[] = {"rows", "mean %"};
	struct columns c = columns_begin(head, 2, "%s of %d", "errors", 3);
	ok(c.n_rows == 1 && !c.failed && columns_width(&c) == 3, "a head");
	is(columns_at(&c, 0)[0].text, "errors of 3", "its label");
	is(columns_at(&c, 0)[2].text, "mean %", "its cells, as they are");
	columns_free(&c);
}

int main(void)
{
	of_subjects();
	struct columns c = {.n_groups = 3, .per_group = 2};
	columns_row(&c, "%s", "");
	columns_cell(&c, 0, 0, "one");
	columns_cell(&c, 1, 0, "two");
	columns_cell(&c, 2, 0, "three");
	columns_row(&c, "metric");
	for (size_t i = 0; i < 3; i++) {
		columns_cell(&c, i, 0, "%d", (int)i + 10);
		if (i)
			columns_cell(&c, i, 1, "%+d", (int)i);
	}
	columns_row(&c, "±");
	columns_cell(&c, 2, 0, "x");
	is(written(&c, 100),
	   "        one  two      three\n"
	   "metric   10   11  +1     12  +2\n"
	   "±                         x\n",
	   "as wide as its content, an empty column is none");
	is(written(&c, 25),
	   "        one  two\n"
	   "metric   10   11  +1\n"
	   "±\n"
	   "\n"
	   "        one  three\n"
	   "metric   10     12  +2\n"
	   "±                x\n",
	   "stacked, the first beside each");
	is(written(&c, 18),
	   "        one\n"
	   "metric   10\n"
	   "±\n"
	   "\n"
	   "        two\n"
	   "metric   11  +1\n"
	   "±\n"
	   "\n"
	   "        three\n"
	   "metric     12  +2\n"
	   "±           x\n",
	   "each alone where not even two fit");
	columns_cell(&c, 2, 0, "y");
	ok(strstr(written(&c, 100), "y\n") && !strstr(written(&c, 100), "x"),
	   "a cell is set again");
	columns_free(&c);

	struct columns words = {.n_groups = 1, .per_group = 2};
	columns_row(&words, "head");
	columns_cell(&words, 0, 0, "number");
	columns_cell(&words, 0, 1, "why");
	columns_row(&words, "a");
	columns_number(&words, 0, 0, 1.5, 1, "!");
	columns_words(&words, 0, 1, "a reason in many words");
	columns_row(&words, "b");
	columns_number(&words, 0, 0, NAN, 1, "");
	columns_words(&words, 0, 1, "short");
	is(written(&words, 100),
	   "head  number  why\n"
	   "a       1.5!  a reason in many words\n"
	   "b          -  short\n",
	   "words are flush left, numbers flush right");
	is(written(&words, 28),
	   "head  number  why\n"
	   "a       1.5!  a reason in\n"
	   "              many words\n"
	   "b          -  short\n",
	   "words that are too long are broken");
	ok(columns_at(&words, 1)[1].value > 1.4 &&
	       columns_is_words(&words, 2) && !columns_is_words(&words, 1),
	   "a cell knows its number");
	is(written(&words, 17),
	   "head  number\n"
	   "a       1.5!\n"
	   "b          -\n"
	   "\n"
	   "head  why\n"
	   "a     a reason in many words\n"
	   "b     short\n",
	   "a single group is cut between its cells");
	columns_free(&words);

	struct columns plain = {.n_groups = 2, .per_group = 1, .is_plain = 1};
	columns_row(&plain, "a");
	columns_cell(&plain, 0, 0, "11111");
	columns_cell(&plain, 1, 0, "2 ");
	is(written(&plain, 8), "a  11111\n\na  2\n",
	   "the first group is not repeated, and no line ends in blanks");
	columns_free(&plain);

	struct columns one = {.n_groups = 1, .per_group = 1};
	columns_row(&one, "a");
	columns_cell(&one, 0, 0, "1");
	is(written(&one, 1), "a  1\n", "one group, however narrow");
	columns_free(&one);
	struct columns none = {.n_groups = 2, .per_group = 1};
	is(written(&none, 80), "", "no rows");
	begun();
	return done();
}
