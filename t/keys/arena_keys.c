/* The keys of [arena], and the files that they name. */
#include "keys/arena_keys.h"
#include "keys/keys.h"
#include "scratch.h"

static struct ini ini;
static struct problem why;

static void load(const char *text)
{
	char path[400];
	snprintf(path, sizeof path, "%s", scratch_file("a.ini", text));
	ini_free(&ini);
	if (ini_load(&ini, path, &why) < 0)
		bail_out(why.text);
}

int main(void)
{
	struct arena_keys keys;
	struct names files = {0};
	char near_it[500];
	scratch_open();
	load("[arena]\nsets = a.csv, /b.csv,bench_data/x.csv\nmargin = 2\n");
	ok(knobs_fill(&keys, arena_key, arena_n_keys, NULL, &ini, "arena", "",
		      &why) == 0 &&
	       keys.margin == 2 && !strcmp(keys.baseline, "linear") &&
	       !*keys.runs,
	   "values and defaults");
	scratch_folder("shipped/bench_data");
	scratch_file("shipped/bench_data/x.csv", "");
	char data[400];
	snprintf(data, sizeof data, "%s/shipped", scratch);
	setenv("STEPCOST_DATA_PATH", data, 1);
	ok(arena_files(&files, &ini, "sets") == 0 && files.n == 3, "three");
	snprintf(near_it, sizeof near_it, "%s/a.csv", scratch);
	is(files.item[0], near_it, "relative to the file with the key");
	is(files.item[1], "/b.csv", "absolute");
	snprintf(near_it, sizeof near_it, "%s/bench_data/x.csv", data);
	is(files.item[2], near_it, "shipped");
	ok(arena_files(&files, &ini, "runs") == 0 && files.n == 3,
	   "a key that is not there names none");
	names_free(&files);
	ini_free(&ini);
	return done();
}
