/* Which tables were measured with given steps. */
#include "steps/own_tables.h"
#include "scratch.h"

static struct problem why;

static int find(struct names *sets, const char *path)
{
	struct step_file file[] = {{.path = (char[]){"other.csv"}},
				   {.path = strdup(path)}};
	const struct step_set steps = {.file = file, .n_files = 2};
	int rc = own_tables_find(sets, &steps, &why);
	free(file[1].path);
	return rc;
}

int main(void)
{
	struct names sets = {0};
	scratch_open();
	setenv("STEPCOST_DATA_PATH", scratch, 1);
	ok(find(&sets, "a.csv") == 0 && sets.n == 0, "no file says so");
	scratch_folder("bench_data/accuracy");
	scratch_file("bench_data/accuracy/measured_with.csv",
		     "set,file\nx,a.csv\ny,b.csv\nz,a.csv\nx,a.csv\n");
	ok(find(&sets, "folder/a.csv") == 0 && sets.n == 2 &&
	       names_have(&sets, "x") && names_have(&sets, "z"),
	   "by the file's name, each once");
	names_free(&sets);
	ok(find(&sets, "a.csv.gz") == 0 && sets.n == 0, "the whole name");
	scratch_file("bench_data/accuracy/measured_with.csv", "set\nx\n");
	ok(find(&sets, "a.csv") < 0 && why.code == EXIT_INPUT,
	   "another file is refused: %s", why.text);
	names_free(&sets);
	return done();
}
