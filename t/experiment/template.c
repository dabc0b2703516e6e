/* Templates: expressions in a text, filled in for a row. */
#include "experiment/template.h"
#include "tap.h"

static struct xp_table table = {.name = "t"};
static const struct experiment x = {.table = &table, .n_tables = 1};

static void filled(const char *template, size_t row, const char *want)
{
	struct problem p = {0};
	struct scope at = {.x = &x, .in[0] = {&table, row, 0}};
	char *got = template_fill(template, &at, "f.ini:7", &p);
	is(got ? got : p.text, want, "'%s'", template);
	ok((got == NULL) == (p.code != EXIT_DONE), "and says so if it cannot");
	free(got);
}

int main(void)
{
	struct grid name = {0};
	grid_words(&table.rows, "batch", "4,5");
	grid_words(&name, "kind", "homo");
	grid_cross(&table.rows, &name);
	filled("plain", 0, "plain");
	filled("", 0, "");
	filled("64x{batch-1}", 0, "64x3");
	filled("64x{batch-1};{kind}", 1, "64x4;homo");
	filled("{batch/8}", 0, "0.5");
	filled("{batch", 0, "{batch");
	filled("}{batch}}", 0, "}4}");
	filled("{batch*}", 0,
	       "f.ini:7: a value expected at the end of: batch*");
	filled("{nothing}", 0, "f.ini:7: nothing is called nothing");
	filled("{arm.step.total_us}", 0,
	       "f.ini:7: arm.step.total_us: no such arm, step or kernel");
	grid_free(&table.rows);
	grid_free(&name);
	return done();
}
