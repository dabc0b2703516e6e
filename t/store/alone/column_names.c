/* A store takes any name of a metric: as many columns as there are names, each
 * written, sorted by and read back.  The test has a table of metrics of its
 * own, which the linker takes before the one in librecord. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "record/metrics.h"
#include "store/columns.h"
#include "store/reader.h"
#include "store/rows.h"
#include "store/store.h"
#include "tap.h"

const struct metric metric[] = {
    {.name = "plain_ms"},    {.name = "p99.9_ttft_ms"},
    {.name = "mean-itl"},    {.name = "it's a \"name\""},
    {.name = "select"},      {.name = "9th"},
    {.name = "ms; DROP"},    {.name = "100 %"},
    {.name = "a,b REAL, c"}, {.name = "result.point"},
};
const size_t n_metrics = sizeof metric / sizeof *metric;

static const char *const axis[] = {"engine.max_num_seqs", "x-y.\"z\""};

static struct store *made(const char *path, struct problem *p)
{
	struct store *s = store_open(path, STORE_WRITE, p);
	const struct store_study study = {.mode = STORE_RUN,
					  .stepcost = "0",
					  .configuration = "",
					  .axes = "{}",
					  .options = "{}",
					  .arms = "a",
					  .points = 2};
	ok(s && store_begin(s, &study, axis, 2, p) == 0, "the store is made");
	if (!s || !store_has_study(s))
		bail_out(p->text);
	return s;
}

/* The i-th metric of point k is 100 k + i. */
static void add(struct store *s, int k, struct problem *p)
{
	static const char *const value[][2] = {{"1", "u"}, {"2", "v"}};
	static const char *const saturation[] = {"none"};
	double number[STORE_NUMBERS];
	for (int i = 0; i < STORE_NUMBERS; i++)
		number[i] = i < (int)n_metrics ? 100 * k + i : (double)NAN;
	const struct store_row row = {.point = k ? "second" : "first",
				      .axis = value[k],
				      .arm = "a",
				      .key = "k",
				      .number = number,
				      .text = saturation,
				      .host = "h"};
	ok(store_add(s, &row, p) == 0, "point %d is added", k);
}

/* Sorted by that column, from above, the second point comes first. */
static void read_back(struct store *s, int i, struct problem *p)
{
	char sort[100];
	snprintf(sort, sizeof sort, "-%s", metric[i].name);
	struct reader *r = reader_open(s, NULL, sort, p);
	long at = r ? reader_column(r, metric[i].name, p) : -1;
	int found = 0;
	for (int k = 1; at >= 0 && k >= 0; k--)
		found += reader_next(r, p) == 1 &&
			 reader_cell(r, (size_t)at)->number == 100 * k + i;
	ok(found == 2, "%s", metric[i].name);
	reader_close(r);
}

int main(void)
{
	struct problem p = {0};
	char folder[] = "/tmp/column_names-XXXXXX";
	char path[sizeof folder + 20], lock[sizeof path];
	if (!mkdtemp(folder))
		bail_out("no temporary folder");
	snprintf(path, sizeof path, "%s/store.db", folder);
	snprintf(lock, sizeof lock, "%s/store.db.lock", folder);
	struct store *s = made(path, &p);
	add(s, 0, &p);
	add(s, 1, &p);
	ok(store_commit(s, &p) == 0, "both are there");
	for (int i = 0; i < (int)n_metrics; i++)
		read_back(s, i, &p);
	ok(store_close(s, &p) == 0, "the store is closed");
	unlink(path), unlink(lock), rmdir(folder);
	return done();
}
