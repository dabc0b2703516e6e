/* step_rows.h -- a set of steps from the text of a file, for tests. */
#ifndef T_STEP_ROWS_H
#define T_STEP_ROWS_H
#include "scratch.h"
#include "steps/set.h"
#include "validate/measured/aliases.h"

static struct step_set set;
static double measured[64];

/* Reads the rows; columns: decode, prefill, time_us, gpu and another one. */
__attribute__((unused)) static void rows(const char *text)
{
	static const struct step_set_options o = {.all_flags = 1};
	static struct ini aliases;
	struct problem p;
	char all[4000];
	snprintf(all, sizeof all, "decode,prefill,time_us,gpu,mine\n%s", text);
	const char *path = scratch_file("steps.csv", all);
	step_set_free(&set);
	if ((!aliases.n && aliases_read(&aliases, NULL, &p) < 0) ||
	    step_set_read(&set, &path, 1, &aliases, &o, &p) < 0)
		bail_out(p.text);
	for (size_t i = 0; i < set.n && i < 64; i++)
		measured[i] = steps_number(set.row[i].given, STEP_TIME);
}
#endif
