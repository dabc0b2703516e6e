/* own_tables.c -- Finds the tables that were measured with given steps. */
#include "steps/own_tables.h"
#include <string.h>
#include "base/file/path.h"
#include "keys/datafile.h"

struct rows {
	const struct step_set *steps;
	struct names *sets;
};

static int has_file(const struct step_set *steps, const char *name)
{
	for (size_t i = 0; i < steps->n_files; i++)
		if (!strcmp(path_name(steps->file[i].path), name))
			return 1;
	return 0;
}

static const char *on_row(void *user, uint64_t row, uint32_t n,
			  char *const *cell)
{
	const struct rows *r = user;
	if (n != 2 || (row == 0 && strcmp(cell[0], "set") != 0))
		return "the columns are set, file";
	return row > 0 && has_file(r->steps, cell[1]) &&
		       names_add_new(r->sets, cell[0]) < 0
		   ? "memory is out"
		   : NULL;
}

int own_tables_find(struct names *sets, const struct step_set *steps,
		    struct problem *p)
{
	struct rows r = {steps, sets};
	return datafile_shipped_csv("bench_data/accuracy/measured_with.csv",
				    on_row, &r, p);
}
